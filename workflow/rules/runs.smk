import re


rule run:
    input:
        "results/datasets/{dataset}.h5",
        lambda w: TARGETS.kernels_from(w.study, w.dataset),
    output:
        "results/runs/{study}/{dataset}/{task}.h5",
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
        **params_of("run"),
    shell:
        RECORDED_STEP


use rule run as block with:
    output:
        temp("results/blocks/{study}/{dataset}/{task}/{block}.h5"),
    log:
        "results/logs/run/{study}/{dataset}/{task}/{block}.log",


ruleorder: join > run


# the record of a long run, of its blocks, which are deleted: of its inputs, the data set alone tells of a change
rule join:
    input:
        lambda w: RESOURCES.block_records(Cell.parse(w.run)),
        lambda w: f"results/datasets/{Cell.parse(w.run).dataset}.h5",
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
    resources:
        runtime=lambda w, attempt: attempt,
    params:
        **params_of("join"),
    shell:
        STEP
