rule run:
    input:
        prepared=layout.PREPARED,
        grams=lambda w: PLAN.grams(w.study, w.dataset),
    output:
        layout.RECORD,
    log:
        "results/logs/run/{study}/{dataset}/{task}.log",
    group:
        lambda w: PLAN.group(w.study, w.dataset, w.task)
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=lambda w, attempt: PLAN.run_mb(w.study, w.dataset, attempt),
        runtime=lambda w, attempt: PLAN.run_minutes(w.study, w.dataset, w.task, attempt),
        private_mb=PLAN.project.limits.memory_mb,
        seconds=PLAN.project.limits.seconds,
    params:
        spec=lambda w: PLAN.run_spec(w.study, w.dataset, w.task),
        code=lambda w: PLAN.run_code(w.study, w.task),
    shell:
        "python -m grambench.steps.run {params.spec:q} {output} --seconds {resources.seconds}"
        " --memory-mb {resources.private_mb} {input.prepared} {input.grams} 2> {log}"
