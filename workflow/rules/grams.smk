rule inner:
    input:
        "results/datasets/{dataset}.h5",
    output:
        "results/grams/{dataset}/inner.h5",
    log:
        "results/logs/inner/{dataset}.log",
    group:
        "data"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: attempt * (800 + 3 * RESOURCES.gram_mb(w.dataset)),
        runtime=lambda w, attempt: RESOURCES.matrix_minutes(w.dataset, attempt),
    params:
        **params_of("inner"),
    shell:
        STEP


rule gram:
    input:
        "results/grams/{dataset}/inner.h5",
    output:
        "results/grams/{dataset}/{kernel}.h5",
    log:
        "results/logs/gram/{dataset}/{kernel}.log",
    group:
        "data"
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: 2 if TARGETS.dataset(w.dataset).n > 5000 else 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.matrix_mb(w.dataset, attempt),
        runtime=lambda w, attempt: RESOURCES.matrix_minutes(w.dataset, attempt),
        private_mb=PLAN.project.limits.memory_mb,
        seconds=PLAN.project.limits.seconds,
    params:
        **params_of("gram"),
    shell:
        LIMITED_STEP
