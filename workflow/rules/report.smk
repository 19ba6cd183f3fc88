# settings are given by functions: snakemake takes braces in a plain string, such as a title's, for wildcards


localrules:
    report,


rule reproduce:
    input:
        runs=layout.RUNS,
        cells=layout.CELLS,
        published=lambda w: TARGETS.published(w.study),
        prepared=lambda w: TARGETS.prepared(w.study),
        shipped=lambda w: TARGETS.shipped(w.study),
    output:
        report(
            layout.REPRODUCTION,
            caption="../report/reproduction.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "published numbers"},
        ),
    log:
        "results/logs/reproduce/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.study_spec(w.study),
        code=SPECS.step_code("reproduce"),
        replications=lambda w, input: (
            ["--replications", *input.shipped] if input.shipped else []
        ),
    shell:
        "python -m grambench.pipeline.steps reproduce /dev/stdin {output} {input.runs} {input.cells}"
        " --published {input.published} --prepared {input.prepared} {params.replications} 2> {log} <<< {params.spec:q}"


rule claims:
    input:
        layout.RUNS,
        layout.CELLS,
        layout.CURVES,
        lambda w: TARGETS.chances(),
    output:
        report(
            layout.CLAIMS,
            caption="../report/claims.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "claims"},
        ),
    log:
        "results/logs/claims/{study}.log",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.study_spec(w.study),
        code=lambda w: SPECS.claims_code(w.study),
        titles=lambda w: SPECS.titles(),
    shell:
        "python -m grambench.pipeline.steps claims /dev/stdin {output} {input} 2> {log} <<< {params.spec:q}"


rule table:
    input:
        layout.RUNS,
        layout.CELLS,
        layout.REPRODUCTION,
        lambda w: TARGETS.prepared(w.study),
    output:
        report(
            layout.TABLE.replace("{suffix}", "csv"),
            caption="../report/table.rst",
            category="{study}",
            subcategory="Tables",
            labels={"what": "{table}"},
        ),
        expand(layout.TABLE, suffix=["md", "tex"], allow_missing=True),
    log:
        "results/logs/table/{study}/{table}.log",
    wildcard_constraints:
        table="[a-z][a-z0-9_]*",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.study_spec(w.study),
        code=lambda w: SPECS.table_code(w.study, w.table),
        titles=lambda w: SPECS.titles(),
    shell:
        "python -m grambench.pipeline.steps table /dev/stdin {output} {input} 2> {log} <<< {params.spec:q}"


rule figure:
    input:
        layout.RUNS,
        layout.CELLS,
        layout.CURVES,
        layout.REPRODUCTION,
    output:
        report(
            layout.FIGURE.replace("{suffix}", "svg"),
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
            labels={"what": "{figure}"},
        ),
        expand(layout.FIGURE, suffix=layout.FIGURE_SUFFIXES[1:], allow_missing=True),
    log:
        "results/logs/figure/{study}/{figure}.log",
    wildcard_constraints:
        figure="[a-z][a-z0-9_]*",
    group:
        "after"
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.study_spec(w.study),
        code=lambda w: SPECS.figure_code(w.study, w.figure),
        titles=lambda w: SPECS.titles(),
    shell:
        "python -m grambench.pipeline.steps figure /dev/stdin {output} {input} 2> {log} <<< {params.spec:q}"


rule report:
    input:
        files=[name for study in PLAN.studies for name in TARGETS.shown(study)],
        notes=TARGETS.explained(),
    output:
        index=layout.REPORT,
        whole=report(
            layout.REPORT_FILE, caption="../report/page.rst", category="Report"
        ),
        pages=directory(layout.REPORT_PAGES),
        files=directory(layout.REPORT_FILES),
    log:
        "results/logs/report.log",
    conda:
        "../../envs/environment.yaml"
    params:
        spec=lambda w: SPECS.report_spec(last_run.earlier(PLAN)),
        code=SPECS.step_code("report"),
        prose=lambda w: SPECS.prose(),
    shell:
        "python -m grambench.pipeline.steps report /dev/stdin {output.index} {input} 2> {log} <<< {params.spec:q}"
