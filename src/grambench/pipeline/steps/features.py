"""Rule `features`: one descriptor of all images of a base, joined from its parts.

Input: the images and the codebook that the parts are made from, then the parts, which are removed when this is done.
"""

from grambench.common.provenance import identities, made_from
from grambench.datasets import store, views
from grambench.datasets.store import Unavailable
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the descriptions of all images, or why there are none."""
    (output,), paths = job.output, [path for path in job.input if path.stem.isdigit()]
    parts = [views.read(path) for path in paths]
    available = [part for part in parts if not isinstance(part, Unavailable)]
    content = views.joined(available) if len(available) == len(parts) else parts[0]
    sources = [path for path in job.input if path not in paths]
    store.write(output, content, made_from(job.spec, job.code, identities(sources)))
