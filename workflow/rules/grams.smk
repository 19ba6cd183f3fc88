rule inner:
    input:
        layout.PREPARED,
    output:
        layout.INNER,
    log:
        "results/logs/inner/{dataset}.log",
    group:
        "data"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * (800 + 3 * RESOURCES.gram_mb(w.dataset)),
    params:
        code=SPECS.step_code("inner"),
    shell:
        "python -m grambench.pipeline.steps inner {params.code} {output} {input} 2> {log}"


rule gram:
    input:
        layout.INNER,
    output:
        layout.GRAM,
    log:
        "results/logs/gram/{dataset}/{kernel}.log",
    group:
        "data"
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: 2 if TARGETS.dataset(w.dataset).n > 5000 else 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.matrix_mb(w.dataset, attempt),
        runtime=lambda w, attempt: RESOURCES.matrix_minutes(attempt),
        private_mb=PLAN.project.limits.memory_mb,
        seconds=PLAN.project.limits.seconds,
    params:
        spec=lambda w: SPECS.gram_spec(w.kernel),
        code=SPECS.step_code("gram"),
    shell:
        "python -m grambench.pipeline.steps gram {params.spec:q} {params.code} {output} {input} {threads}"
        " --seconds {resources.seconds} --memory-mb {resources.private_mb} 2> {log}"
