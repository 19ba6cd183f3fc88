"""What the rules call: `python -m grambench.pipeline.steps.<step> [SPEC] OUTPUT... INPUT...`, one module a rule.

SPEC is the canonical JSON of the step's settings (`grambench.pipeline.fingerprint.spec`), where it has any.
"""
