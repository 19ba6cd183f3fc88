"""The steps of the workflow: `python -m grambench.pipeline.steps STEP [SPEC] OUTPUT... INPUT...`, one module a rule.

SPEC is the canonical JSON of the settings of the step (`grambench.common.provenance.spec`), if it has any. If it is
long it comes through the standard input, and SPEC is /dev/stdin.
"""
