"""Settings of the site: Sphinx reads the Markdown of the whole repository; `scripts/docs` builds it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from reference import write
from sphinx.application import Sphinx

from parsolve import __version__

project = "parsolve"
author = copyright = "The parsolve developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["[AC]*.md", "SECURITY.md", "docs/**.md", "results/**.md"]
exclude_patterns = ["build", ".*"]

myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 4
default_role = "code"  # docstrings are written with single backticks
highlight_language = "text"
napoleon_use_ivar = True
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"

html_theme = "furo"
html_title = f"parsolve {release}"
html_additional_pages = {"index": "front.html"}
templates_path = ["templates"]
html_copy_source = False
html_extra_path = ["schemas"]  # at fixed addresses, for editors
man_pages = [("docs/reference/commands", "parsolve", "count and list every cheapest solution of a puzzle", author, 1)]


def setup(app: Sphinx) -> None:
    """Write the generated pages before Sphinx looks for its sources."""
    app.connect("builder-inited", lambda app: write(Path(app.confdir) / "reference"))
    app.connect("autodoc-process-docstring", keep_as_sentence, priority=400)


def keep_as_sentence(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Begin an attribute's docstring with a comment: napoleon would take what is before a colon for its type."""
    if what in ("attribute", "property"):
        lines[:0] = ["..", ""]
