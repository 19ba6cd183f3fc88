"""The documentation as a site: `make docs`. Pages are the Markdown files of this folder; nothing else is configured."""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

from grambench.common.provenance import version_of
from grambench.config.shown import FIGURES, TABLES

sys.path.insert(0, str(Path(__file__).parent))  # sphinx-gallery imports from `site_pages` too
import site_pages

project = "grambench"
release = version_of("grambench")
author = copyright = "the authors of grambench"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
extensions += ["sphinx_gallery.gen_gallery"]
default_role = "code"  # a name between single backticks, in docstrings
autodoc_default_options = {
    "members": True,
    "show-inheritance": True,
    "exclude-members": "set_score_request, set_partial_fit_request",  # scikit-learn's, which refer to its own pages
}
autodoc_typehints = "none"  # types stand in the docstrings, with shapes and units
autosummary_generate_overwrite = True
napoleon_google_docstring = False
napoleon_use_ivar = True
strip_signature_backslash = True  # else napoleon loses the last underscore of `classes_`
myst_heading_anchors = 4
suppress_warnings = ["ref.python"]  # types of docstrings that two classes have as a name
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "site_pages.GalleryOrder",
    "reset_modules": ("matplotlib", "site_pages.plain_axes"),
    "image_srcset": ["2x"],
    "notebook_extensions": set(),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,  # a time would differ from build to build
}
exclude_patterns = ["examples", "_templates"]  # whose pages are in the gallery
html_theme = "furo"
html_title = f"grambench {release}"
html_copy_source = False
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Link pages that a text names as `docs/page.md` and those of examples, and complete the list of the front page."""
    source[0] = re.sub(r"`docs/(\w+\.md)`", r"[\1](\1)", source[0])
    source[0] = re.sub(r"\]\(examples/(\w+)\.py\)", r"](gallery/\1.rst)", source[0])
    if page == "index":
        known = set(re.findall(r"^(?:.*<)?([a-z_]+)>?$", source[0], re.M))
        rest = sorted(path.stem for path in Path(app.srcdir).glob("*.md") if path.stem not in known | {"index"})
        source[0] = source[0].replace("% and all others", "\n".join(rest))
    source[0] = source[0].replace("% all kinds", kinds())


def kinds() -> str:
    """Return the tables of all kinds of tables and figures, from their classes."""
    lines = []
    for each in (TABLES, FIGURES):
        lines += ["", f"| {each.item} | what it shows | own keys |", "|---|---|---|"]
        for kind in each.names():
            model = each.load(kind)
            keys = ", ".join(f"`{name}`" for name in model.model_fields if name not in ("title", "caption", "kind"))
            lines.append(f"| `{kind}` | {model.__doc__.partition(chr(10))[0]} | {keys} |")
    return "\n".join(lines)


def setup(app: Sphinx) -> None:
    """Write the generated pages, and register what completes the others."""
    site_pages.write_algorithm_pages(Path(app.srcdir) / "_algorithms")
    app.connect("source-read", complete)
