"""Pictures for a page: matplotlib's drawings as inline SVG that follows the page's theme and can be read aloud."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Drawn in colours nobody uses, which become the variables of the page's style sheet.
_NAMES = ("ink", "faint", "rule", "card", "pate", "dpsgd", "bound", "paper", "good", "bar")
COLOURS = {name: f"#{number:02x}01{number:02x}" for number, name in enumerate(_NAMES, start=1)}
_FONT = 9.0
WIDTH, HEIGHT = 5.2, 3.5  # inches


@contextmanager
def drawing(width: float = WIDTH, height: float = HEIGHT) -> Iterator[tuple[Figure, Axes]]:
    """A figure of so many inches and its axes, in the page's quiet style; matplotlib's own state is left alone."""
    import matplotlib
    from matplotlib.figure import Figure

    ink, faint, rule = (COLOURS[name] for name in ("ink", "faint", "rule"))
    style: Any = {
        "svg.fonttype": "none", "svg.hashsalt": "pate", "font.size": _FONT, "text.color": ink, "axes.edgecolor": rule,
        "axes.labelcolor": faint, "xtick.color": faint, "ytick.color": faint, "axes.grid": True, "grid.color": rule,
        "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
        "xtick.major.size": 0, "ytick.major.size": 0, "xtick.minor.size": 0, "ytick.minor.size": 0,
        "legend.frameon": False, "legend.fontsize": _FONT - 0.5, "axes.labelsize": _FONT, "figure.dpi": 96,
    }  # fmt: skip
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        yield figure, axes


def inline(figure: Figure, name: str, title: str, description: str, pointed: Mapping[str, str] | None = None) -> str:
    """The figure as an svg element: themed, of any width, with ids of its own, a title and a description. `pointed`
    are words for parts of it, by their gid, for whoever points at them or gets to them with the keyboard."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    svg = text[text.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    for colour, value in COLOURS.items():
        svg = svg.replace(value, f"var(--{colour})")
    svg = re.sub(r"font: ([0-9.]+px) [^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    for part, words in (pointed or {}).items():
        said = escape(words)
        told = f'<g id="{name}-{part}" class="point" tabindex="0" aria-label="{said}"><title>{said}</title>'
        svg = svg.replace(f'<g id="{name}-{part}">', told)
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    opening = (
        f'<svg viewBox="{box[1]}" role="img" aria-labelledby="{name}-title {name}-desc" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    )
    return opening + svg[svg.index(">") + 1 :].strip()
