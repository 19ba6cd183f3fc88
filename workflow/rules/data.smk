localrules:
    fetch,  # the nodes of a cluster need not reach the network


rule fetch:
    input:
        lambda w: TARGETS.own_files(w.dataset),
    output:
        "data/raw/{dataset}/source.json",
    log:
        "results/logs/fetch/{dataset}.log",
    priority: 1  # most jobs wait for data; without a priority, jobs with the largest inputs come first
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=1000,  # files without a checksum are read
    params:
        **params_of("fetch"),
    shell:
        STEP


rule prepare:
    input:
        lambda w: TARGETS.raw(w.dataset),
    output:
        "results/datasets/{dataset}.h5",
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
        **params_of("prepare"),
    shell:
        STEP
