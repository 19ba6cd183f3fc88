rule fetch:
    output:
        layout.RAW,
    params:
        spec=lambda w: PLAN.fetch_spec(w.dataset),
        code=code("grambench.steps.fetch"),
    log:
        layout.LOGS + "/fetch/{dataset}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=500,
    shell:
        "python -m grambench.steps.fetch {params.spec:q} {output} 2> {log}"


rule prepare:
    input:
        layout.RAW,
    output:
        layout.PREPARED,
    params:
        spec=lambda w: PLAN.prepare_spec(w.dataset),
        code=code("grambench.steps.prepare"),
    log:
        layout.LOGS + "/prepare/{dataset}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=1000,
    shell:
        "python -m grambench.steps.prepare {params.spec:q} {output} {input} 2> {log}"
