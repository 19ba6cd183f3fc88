# what describes images: of the images of a base that its tasks use, one file a descriptor


rule images:
    input:
        "data/raw/{base}/source.json",
    output:
        "results/images/{base}.h5",
    log:
        "results/logs/images/{base}.log",
    priority: 1
    group:
        "images"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
    params:
        **params_of("images"),
    shell:
        STEP


use rule images as codebook with:
    input:
        "results/images/{base}.h5",
    output:
        "results/features/{base}/{descriptor}.codebook.h5",
    log:
        "results/logs/codebook/{base}/{descriptor}.log",
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        **params_of("codebook"),


rule describe:
    input:
        "results/images/{base}.h5",
        lambda w: TARGETS.codebook(w.base, w.descriptor),
    output:
        temp("results/features/{base}/{descriptor}/{part}.h5"),
    log:
        "results/logs/describe/{base}/{descriptor}/{part}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        **params_of("describe"),
    shell:
        STEP


rule features:
    input:
        "results/images/{base}.h5",
        lambda w: TARGETS.codebook(w.base, w.descriptor),
        lambda w: TARGETS.described(w.base, w.descriptor),
    output:
        "results/features/{base}/{descriptor}.h5",
    log:
        "results/logs/features/{base}/{descriptor}.log",
    priority: 1
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        **params_of("features"),
    shell:
        STEP


rule pairs:
    input:
        "results/datasets/{dataset}.h5",
        lambda w: TARGETS.features(w.study, w.dataset),
    output:
        "results/pairs/{study}/{dataset}.h5",
    log:
        "results/logs/pairs/{study}/{dataset}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * (1500 + 3 * RESOURCES.gram_mb(w.dataset)),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        **params_of("pairs"),
    shell:
        STEP
