"""The steps of the workflow, one module a rule, each with a function `main` of a `grambench.pipeline.job.Job`.

`python -m grambench.pipeline.steps STEP CODE --output FILE... --input FILE...` reads the settings of the step from the
standard input, as canonical JSON (`grambench.common.provenance.spec`).
"""
