# what describes images: of the images of a base that its tasks use, one file a descriptor


rule images:
    input:
        lambda w: layout.RAW.format(dataset=w.base),
    output:
        layout.IMAGES,
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
        spec=lambda w: SPECS.images_spec(w.base),
        code=SPECS.step_code("images"),
    shell:
        "python -m grambench.pipeline.steps images {params.spec:q} {params.code} {output} {input} 2> {log}"


rule codebook:
    input:
        layout.IMAGES,
    output:
        layout.CODEBOOK,
    log:
        "results/logs/codebook/{base}/{descriptor}.log",
    priority: 1
    group:
        "images"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: SPECS.codebook_spec(w.base, w.descriptor),
        code=lambda w: SPECS.features_code("codebook", w.descriptor),
    shell:
        "python -m grambench.pipeline.steps codebook {params.spec:q} {params.code} {output} {input} 2> {log}"


rule describe:
    input:
        lambda w: TARGETS.described_from(w.base, w.descriptor),
    output:
        temp(layout.DESCRIBED),
    log:
        "results/logs/describe/{base}/{descriptor}/{part}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: SPECS.describe_spec(w.base, w.descriptor, w.part),
        code=lambda w: SPECS.features_code("describe", w.descriptor),
    shell:
        "python -m grambench.pipeline.steps describe {params.spec:q} {params.code} {output} {input} 2> {log}"


rule features:
    input:
        lambda w: TARGETS.described(w.base, w.descriptor),
    output:
        layout.FEATURES,
    log:
        "results/logs/features/{base}/{descriptor}.log",
    priority: 1
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        code=SPECS.step_code("features"),
    shell:
        "python -m grambench.pipeline.steps features {params.code} {output} {input} 2> {log}"


rule pairs:
    input:
        layout.PREPARED,
        lambda w: TARGETS.features(w.study, w.dataset),
    output:
        layout.PAIRS,
    log:
        "results/logs/pairs/{study}/{dataset}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * (1500 + 3 * RESOURCES.gram_mb(w.dataset)),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: SPECS.pairs_spec(w.study, w.dataset),
        code=SPECS.step_code("pairs"),
    shell:
        "python -m grambench.pipeline.steps pairs {params.spec:q} {params.code} {output} {input} 2> {log}"
