# what a paper leaves to chance, more often than it did; the numbers are shipped, so that no other rule asks for them


use rule run as replicate with:
    output:
        layout.REPLICATION,
    log:
        "results/logs/replications/{study}/{dataset}/{task}/{block}.log",


rule summary:
    input:
        records=lambda w: PLAN.replication_records(w.study),
        published=lambda w: PLAN.published(w.study),
    output:
        layout.REPLICATIONS,
    log:
        "results/logs/replications/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        code=code("grambench.pipeline.steps.replications"),
    shell:
        "python -m grambench.pipeline.steps.replications {output} --records {input.records}"
        " --published {input.published} 2> {log}"


rule replications:
    input:
        [
            layout.REPLICATIONS.format(study=study)
            for study in PLAN.studies
            if PLAN.replicated(study)
        ],
