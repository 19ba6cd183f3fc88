# the rules that use this one share its group, its environment and its call of a step
rule collect:
    input:
        lambda w: TARGETS.records(w.study),
    output:
        "results/{study}/runs.parquet",
        "results/{study}/curves.parquet",
        "results/{study}/cells.csv",
    log:
        "results/logs/collect/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    resources:
        runtime=lambda w, attempt: attempt,  # the minutes of all tables of a study add up in one job
    params:
        **params_of("collect"),
    shell:
        STEP


use rule collect as summarise with:
    input:
        "results/{study}/runs.parquet",
        "results/{study}/cells.csv",
    output:
        report(
            "results/{study}/summary.csv",
            caption="../report/summary.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "summary"},
        ),
    log:
        "results/logs/summarise/{study}.log",
    params:
        **params_of("summarise"),
