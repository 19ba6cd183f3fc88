"""What the rules call: `python -m grambench.pipeline.steps.<step> [SPEC] OUTPUT... INPUT...`, one module a rule.

SPEC is the canonical JSON of the step's settings (`grambench.pipeline.fingerprint.spec`), where it has any. Where that
may be long, the rules write it to the standard input and name that as SPEC (`grambench.pipeline.specification`).
"""
