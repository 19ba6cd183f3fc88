rule collect:
    input:
        lambda w: TARGETS.records(w.study),
    output:
        runs=layout.RUNS,
        curves=layout.CURVES,
        cells=layout.CELLS,
    log:
        "results/logs/collect/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        identities=lambda w: SPECS.identities(w.study),
        code=SPECS.step_code("collect"),
    shell:
        "python -m grambench.pipeline.steps collect {params.identities:q} {output} {input} 2> {log}"


rule summarise:
    input:
        layout.RUNS,
        layout.CELLS,
    output:
        report(
            layout.SUMMARY,
            caption="../report/summary.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "summary"},
        ),
    log:
        "results/logs/summarise/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.study_spec(w.study),
        code=SPECS.step_code("summarise"),
        titles=lambda w: SPECS.titles(),
        datasets=lambda w: SPECS.dataset_titles(w.study),
    shell:
        "python -m grambench.pipeline.steps summarise /dev/stdin {output} {input} {params.datasets:q} 2> {log}"
        " <<< {params.spec:q}"
