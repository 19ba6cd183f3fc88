rule collect:
    input:
        lambda w: PLAN.records(w.study),
    output:
        runs=layout.RUNS,
        curves=layout.CURVES,
        cells=layout.CELLS,
    params:
        code=code("grambench.steps.collect"),
    log:
        layout.LOGS + "/collect/{study}.log",
    conda:
        "../../envs/environment.yaml"
    shell:
        "python -m grambench.steps.collect {output} {input} 2> {log}"
