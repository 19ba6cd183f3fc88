localrules:
    report,


use rule collect as reproduce with:
    input:
        "results/{study}/runs.parquet",
        "results/{study}/cells.csv",
        lambda w: TARGETS.published(w.study),
        lambda w: TARGETS.prepared(w.study),
        lambda w: TARGETS.shipped(w.study),
    output:
        report(
            "results/{study}/reproduction.csv",
            caption="../report/reproduction.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "published numbers"},
        ),
    log:
        "results/logs/reproduce/{study}.log",
    params:
        **params_of("reproduce"),


use rule collect as claims with:
    input:
        "results/{study}/runs.parquet",
        "results/{study}/cells.csv",
        "results/{study}/curves.parquet",
        TARGETS.chances(),
    output:
        report(
            "results/{study}/claims.csv",
            caption="../report/claims.rst",
            category="{study}",
            subcategory="Numbers",
            labels={"what": "claims"},
        ),
    log:
        "results/logs/claims/{study}.log",
    params:
        **params_of("claims"),


use rule collect as table with:
    input:
        "results/{study}/runs.parquet",
        "results/{study}/cells.csv",
        "results/{study}/reproduction.csv",
        lambda w: TARGETS.prepared(w.study),
    output:
        report(
            "results/{study}/tables/{table}.csv",
            caption="../report/table.rst",
            category="{study}",
            subcategory="Tables",
            labels={"what": "{table}"},
        ),
        "results/{study}/tables/{table}.md",
        "results/{study}/tables/{table}.tex",
    log:
        "results/logs/table/{study}/{table}.log",
    params:
        **params_of("table"),


use rule collect as figure with:
    input:
        "results/{study}/runs.parquet",
        "results/{study}/cells.csv",
        "results/{study}/curves.parquet",
        "results/{study}/reproduction.csv",
    output:
        report(
            "results/{study}/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
            labels={"what": "{figure}"},
        ),
        "results/{study}/figures/{figure}.pdf",
        "results/{study}/figures/{figure}.column.svg",
        "results/{study}/figures/{figure}.column.pdf",
        "results/{study}/figures/{figure}.png",
    log:
        "results/logs/figure/{study}/{figure}.log",
    params:
        **params_of("figure"),


rule report:
    input:
        [name for study in PLAN.studies for name in TARGETS.shown(study)],
        TARGETS.explained(),
    output:
        "results/report/index.html",
        report(
            "results/report/report.html",
            caption="../report/page.rst",
            category="Report",
        ),
        directory("results/report/pages"),
        directory("results/report/files"),
    log:
        "results/logs/report.log",
    conda:
        "../../envs/environment.yaml"
    params:
        step="report",
        spec=lambda w: SPECS.report(last_run.finished(PLAN, PLAN.studies)).spec,
        code=SPECS.code("report"),
    shell:
        STEP
