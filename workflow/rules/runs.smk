import re


rule run:
    input:
        layout.PREPARED,
        lambda w: TARGETS.kernels_from(w.study, w.dataset),
    output:
        layout.RECORD,
    log:
        "results/logs/run/{study}/{dataset}/{task}.log",
    group:
        lambda w: RESOURCES.group(Cell.of(**w))
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: RESOURCES.run_mb(w.study, w.dataset, attempt),
        runtime=lambda w, attempt: RESOURCES.run_minutes(Cell.of(**w), attempt),
        private_mb=PLAN.project.limits.memory_mb,
        seconds=lambda w: RESOURCES.run_seconds(Cell.of(**w)),
    params:
        spec=lambda w: SPECS.run_spec(Cell.of(**w)),
        code=lambda w: SPECS.run_code(Cell.of(**w)),
    # a fit may end its supervisor by SIGKILL (128 + 9): a second call says so; any other end is that of the job
    shell:
        "record() {{ python -m grambench.pipeline.steps run /dev/stdin {params.code} {output} --seconds"
        ' {resources.seconds} --memory-mb {resources.private_mb} "$@" {input}'
        " <<< {params.spec:q}; }};"
        " {{ record || {{ code=$?; [ $code = 137 ] || exit $code; record --killed; }}; }} 2> {log}"


use rule run as block with:
    output:
        temp(layout.BLOCK),
    log:
        "results/logs/run/{study}/{dataset}/{task}/{block}.log",


ruleorder: join > run


rule join:
    input:
        lambda w: [
            block.path(layout.BLOCK) for block in RESOURCES.blocks(Cell.parse(w.run))
        ],
    output:
        "results/runs/{run}.h5",
    log:
        "results/logs/join/{run}.log",
    wildcard_constraints:
        run="|".join(re.escape(str(cell)) for cell in RESOURCES.split()) or "none",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:  # of the blocks too, which are deleted, so that nothing else tells of a change
        spec=lambda w: SPECS.run_spec(Cell.parse(w.run)),
        run_code=lambda w: SPECS.run_code(Cell.parse(w.run)),
        code=SPECS.step_code("join"),
    shell:
        "python -m grambench.pipeline.steps join {output} {input} 2> {log}"
