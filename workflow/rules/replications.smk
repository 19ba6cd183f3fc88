# what a paper leaves to chance, more often than it did; the numbers are shipped, so that no other rule asks for them


use rule run as replicate with:
    output:
        "results/replications/{study}/{dataset}/{task}/{block}.h5",
    log:
        "results/logs/replications/{study}/{dataset}/{task}/{block}.log",


use rule collect as means with:
    input:
        lambda w: RESOURCES.replication_records(w.study),
    output:
        "results/replications/{study}.csv",
    log:
        "results/logs/replications/{study}.log",
    params:
        **params_of("means"),


rule replications:
    input:
        [
            f"results/replications/{study}.csv"
            for study in PLAN.studies
            if TARGETS.replicated(study)
        ],
