rule run:
    input:
        prepared=layout.PREPARED,
        grams=lambda w: PLAN.grams(w.study, w.dataset),
    output:
        layout.RECORD,
    log:
        "results/logs/run/{study}/{dataset}/{task}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=PLAN.project.limits.memory_mb,
        seconds=PLAN.project.limits.seconds,
        cache=PLAN.compiled,  # not a param: it changes with every algorithm
    params:
        spec=lambda w: PLAN.run_spec(w.study, w.dataset, w.task),
        code=lambda w: PLAN.run_code(w.study, w.task),
    shell:
        "python -m grambench.steps.run {params.spec:q} {output} --seconds {resources.seconds}"
        " --memory-mb {resources.mem_mb} --cache {resources.cache}"
        " {input.prepared} {input.grams} 2> {log}"
