# what all rules share: their params, and the call of a step, a module of grambench.pipeline.steps


def params_of(rule):
    """Return the params of a rule: its step, and the settings and the code of its files.

    The method of the rule's name in grambench.pipeline.specifications tells them. They are functions, since snakemake
    takes braces in a text, such as a title's, for wildcards.
    """
    return {
        "step": rule,
        "spec": lambda w: getattr(SPECS, rule)(**w).spec,
        "code": lambda w: getattr(SPECS, rule)(**w).code,
    }


CALL = "python -m grambench.pipeline.steps {params.step} {params.code} --output {output} --input {input:q} <<< {params.spec:q}"
LIMITS = "--threads {threads} --seconds {resources.seconds} --memory-mb {resources.private_mb}"

STEP = f"{CALL} 2> {{log}}"
LIMITED_STEP = f"{STEP} {LIMITS}"
# a fit may end its supervisor by SIGKILL (128 + 9): a second call says so; any other end is that of the job
RECORDED_STEP = (
    f'record() {{{{ {CALL} {LIMITS} "$@"; }}}};'
    " {{ record || {{ code=$?; [ $code = 137 ] || exit $code; record --killed; }}; }} 2> {log}"
)
