"""The documentation site: ``python -m sphinx -W --keep-going -b html docs build/docs`` builds it, offline."""

from __future__ import annotations

import dataclasses
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.util.typing import stringify_annotation

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "renderer")]

from gym_batchnav import __version__  # noqa: E402

project = "gym-batchnav"
author = "The gym-batchnav authors"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
root_doc = "index"
default_role = "code"
nitpicky = True
# Types of other libraries are not linked, as that would need the network; ours are where they are documented.
nitpick_ignore_regex = [(r"py:.*", r"(?!(gym_batchnav|batchnav_renderer)\.).*")]
# Parts that signatures name and nobody makes or uses.
nitpick_ignore = [
    ("py:class", "gym_batchnav.envs.watching.panel.Moment"),
    ("py:class", "gym_batchnav.nav.ground.Ground"),
    ("py:class", "gym_batchnav.nav.ground.PolygonMesh"),
    ("py:class", "gym_batchnav.nav.triangles.SightMesh"),
    ("py:class", "gym_batchnav.rl.distributed.world.World"),
    ("py:class", "gym_batchnav.rl.nets.recurrent.FragmentPlan"),
    ("py:class", "gym_batchnav.scenes.cache.keys.Recipe"),
]

# Links that GitHub follows are links here too: to headings by their text, to files beside the pages.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
autoclass_content = "both"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
add_module_names = False
toc_object_entries_show_parents = "hide"
copybutton_exclude = ".linenos, .gp"

ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")
NDARRAY = r"~?(?:numpy\.)?ndarray\[~?tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[([^\[\]]+)\]\]"

html_theme = "furo"
html_title = f"gym-batchnav {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def short_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Signatures that people can read.

    Configurations list their fields below, with what they mean; arrays go by the names that the code gives
    them, not by what NumPy makes of these.
    """
    if what == "class" and dataclasses.is_dataclass(obj) and len(dataclasses.fields(obj)) > 6:
        return "(...)", None
    return named_arrays(signature), named_arrays(returned)


def named_arrays(text: str | None) -> str | None:
    """``ArrayLike`` and ``NDArray[...]`` in place of their definitions."""
    if text is None:
        return None
    return re.sub(NDARRAY, r"NDArray[\1]", text.replace(ARRAY_LIKE, "ArrayLike"))


def short_types(app: Any, domain: str, objtype: str, content: addnodes.desc_content) -> None:
    """Types of attributes name their arrays too."""
    for part in content.parent.findall(addnodes.desc_annotation):
        # A type that may be linked is there twice, in full and as it is shown.
        shown = part.deepcopy()
        for twin in list(shown.findall(addnodes.pending_xref_condition)):
            if twin["condition"] == "*":
                twin.parent.remove(twin)
        if (named := named_arrays(shown.astext())) != shown.astext():
            part.clear()
            part += nodes.Text(named)


def describe_attribute(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """The default of a configuration's field stands below what it means."""
    if what not in ("attribute", "property") or not lines:
        return
    # Else napoleon takes what stands before a colon for a type; a comment in front stops it.
    lines[:0] = ["..", ""]
    owner = pkgutil.resolve_name(name.rpartition(".")[0])
    for field in dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ():
        if field.name == name.rpartition(".")[2] and field.default is not dataclasses.MISSING:
            plain = not dataclasses.is_dataclass(field.default)
            shown = repr(field.default) if plain else f"{type(field.default).__name__}()"
            lines += ["", f"Default: ``{shown}``."]


def from_the_root(app: Any, docname: str, source: list[str]) -> None:
    """Two pages are files of the root, their links being brought into this folder."""
    names = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md"}
    if name := names.get(docname):
        path = HERE.parent / name
        app.env.note_dependency(path)
        links = r"\]\((?!https?:|#)(docs/)?"
        text = path.read_text("utf-8")
        source[0] = re.sub(links, lambda link: "](" if link[1] else "](../", text)


def setup(app: Any) -> None:
    """Connect what is above."""
    app.connect("source-read", from_the_root)
    app.connect("object-description-transform", short_types)
    app.connect("autodoc-process-signature", short_signature)
    app.connect("autodoc-process-docstring", describe_attribute, priority=400)
