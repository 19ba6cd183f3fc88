rule collect:
    input:
        lambda w: PLAN.records(w.study),
    output:
        runs=layout.RUNS,
        curves=layout.CURVES,
        cells=layout.CELLS,
    log:
        "results/logs/collect/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        identities=lambda w: PLAN.identities(w.study),
        code=code("grambench.pipeline.steps.collect"),
    shell:
        "python -m grambench.pipeline.steps.collect {params.identities:q} {output} {input} 2> {log}"
