"""What the papers' own numbers say to their claims, and how often they would fulfil them again.

It writes the table that rule `claims` reads, config/replications/claims.csv; run it where a claim, a published number
or a table of replications has changed.
"""

import argparse
from pathlib import Path

import pandas as pd

from grambench.claims import chances
from grambench.common import layout
from grambench.config.project import Configuration

CONFIG = Path("config")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=layout.CHANCES)
    output = parser.parse_args().output
    configuration, parts = Configuration(CONFIG), []
    for name in configuration.names("studies"):
        study = configuration.study(name)
        if study.published:
            files = {file: CONFIG / "published" / file for file in study.published.files()}
            again = chances.replicated(CONFIG / f"replications/{name}.csv")
            # parts are shared by all algorithms: without replications nobody knows how their means vary together
            waits = study.replications and study.protocol.paired and not again
            parts.append(chances.table(name, chances.compute(study, files, again, 0 if waits else chances.DRAWS)))
            print(f"{name}: {len(parts[-1])} claims, {len(again)} numbers with replications", flush=True)
    output.parent.mkdir(exist_ok=True)
    pd.concat(parts).to_csv(output, index=False)


if __name__ == "__main__":
    main()
