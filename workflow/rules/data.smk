localrules:
    fetch,  # the nodes of a cluster need not reach the network


rule fetch:
    input:
        lambda w: TARGETS.own_files(w.dataset),
    output:
        layout.RAW,
    log:
        "results/logs/fetch/{dataset}.log",
    priority: 1  # most jobs wait for data; without a priority, jobs with the largest inputs come first
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=1000,  # files without a checksum are read
    params:
        spec=lambda w: SPECS.fetch_spec(w.dataset),
        code=SPECS.step_code("fetch"),
    shell:
        "python -m grambench.pipeline.steps fetch {params.spec:q} {output} 2> {log}"


rule prepare:
    input:
        lambda w: TARGETS.raw(w.dataset),
    output:
        layout.PREPARED,
    log:
        "results/logs/prepare/{dataset}.log",
    priority: 1
    group:
        "data"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
    params:
        spec=lambda w: SPECS.prepare_spec(w.dataset),
        code=SPECS.step_code("prepare"),
    shell:
        "python -m grambench.pipeline.steps prepare {params.spec:q} {params.code} {output} {input} 2> {log}"
