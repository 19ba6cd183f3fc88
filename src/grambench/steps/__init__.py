"""What the rules of the workflow call: `python -m grambench.steps.<step> [SPEC] OUTPUT... INPUT...`, one module a rule.

SPEC is the canonical JSON of the step's settings (`grambench.fingerprint.spec`), where it has any.
"""
