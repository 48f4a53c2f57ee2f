"""Sphinx's settings for the site that `make docs` writes (scripts/docs.sh).

The source folder is the repository itself, so that links between pages, and from pages to examples
and files, are the same on the site and on a Git server. Nothing is fetched from the network when a
page is read: the theme uses the reader's fonts, formulae are Unicode, and the search is local.
"""

from importlib.metadata import version as installed

project = "phasewise"
author = "the phasewise authors"
copyright = "the phasewise authors; BSD-3-Clause"  # noqa: A001
version = release = installed("phasewise")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "examples/*/README.md",
    "benchmarks/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".*", "build", "runs", "scans"]

# Anchors of headings as a Git server makes them. Examples of JSON have an ellipsis in them.
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

# Docstrings write `name` for code.
default_role = "literal"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False
toc_object_entries_show_parents = "hide"
# Links between pages are checked; types in signatures, many of them private, need no page.
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]

html_theme = "furo"
html_title = f"phasewise {version}"
html_static_path = ["site/style.css"]
html_css_files = ["style.css"]
html_extra_path = ["site/index.html"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True
highlight_language = "none"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
