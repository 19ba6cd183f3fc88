# what a paper leaves to chance, more often than it did; the numbers are shipped, so that no other rule asks for them


use rule run as replicate with:
    output:
        layout.REPLICATION,
    log:
        "results/logs/replications/{study}/{dataset}/{task}/{block}.log",


rule means:
    input:
        lambda w: RESOURCES.replication_records(w.study),
    output:
        layout.REPLICATIONS,
    log:
        "results/logs/replications/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        code=SPECS.step_code("means"),
        metrics=lambda w: TARGETS.judged(w.study),
        shipped=lambda w: [
            word for path in TARGETS.shipped(w.study) for word in ("--shipped", path)
        ],
    shell:
        "python -m grambench.pipeline.steps means {output} --records {input}"
        " --metrics {params.metrics} {params.shipped} 2> {log}"


rule replications:
    input:
        [
            layout.REPLICATIONS.format(study=study)
            for study in PLAN.studies
            if TARGETS.replicated(study)
        ],
