rule inner:
    input:
        layout.PREPARED,
    output:
        temp(layout.INNER),
    params:
        code=code("grambench.steps.inner"),
    log:
        layout.LOGS + "/inner/{dataset}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w: 500 + 2 * PLAN.gram_mb(w.dataset),
    shell:
        "python -m grambench.steps.inner {output} {input} 2> {log}"


rule gram:
    input:
        layout.INNER,
    output:
        layout.GRAM,
    params:
        spec=lambda w: PLAN.gram_spec(w.kernel),
        code=code("grambench.steps.gram"),
    log:
        layout.LOGS + "/gram/{dataset}/{kernel}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=500,
    shell:
        "python -m grambench.steps.gram {params.spec:q} {output} {input} 2> {log}"
