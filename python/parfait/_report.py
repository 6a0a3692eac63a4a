"""Reports and their pictures, in notebooks and as files."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Mapping
from typing import Any

from . import _parfait

FIGURE = re.compile(r'<figure\b[^>]*\bdata-plot="([^"]*)"[^>]*>.*?</figure>', re.DOTALL)
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
STYLE_TAG = re.compile(r"</?style>")
LEGEND = re.compile(r'<p class="legend">.*?</p>', re.DOTALL)
SVG_TAG = re.compile(r"<svg\b|</svg>")


def _pictures(markup: str) -> list[str]:
    """Every outermost <svg>, with those inside it: curves lie in one of their own."""
    found, depth, begin = [], 0, 0
    for tag in SVG_TAG.finditer(markup):
        if tag.group() != "</svg>":
            begin = begin if depth else tag.start()
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                found.append(markup[begin:tag.end()])
    return found


class Report:
    """A page that explains a result. In a notebook it shows itself.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> from parfait.samples import decay
    >>> page = decay().simulate(until=1).report()
    >>> page.html[:15]
    '<!DOCTYPE html>'
    """

    def __init__(self, page: str):
        self.html = page

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the page.

        Parameters
        ----------
        file : path
            A name with .html.
        """
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.html)

    def _repr_html_(self) -> str:
        return ('<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:0" '
                f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>')

    def __repr__(self) -> str:
        return f"<parfait.Report: {len(self.html) // 1000} kB>"


class Plot:
    """Pictures of a report. In a notebook they show themselves.

    Attributes
    ----------
    name : str
        What they show.
    svg : list of str
        The text of each picture.
    figures : list of str
        The same with their legends, as HTML.

    Examples
    --------
    >>> from parfait.samples import decay
    >>> run = decay().simulate(until=1)
    >>> run.plot("quantity").svg[0][:4]
    '<svg'
    """

    def __init__(self, name: str, figures: list[str], style: str):
        self.name = name
        self.figures = figures
        self.svg = [svg for figure in figures for svg in _pictures(LEGEND.sub("", figure))]
        self._style = style

    def save(self, file: str | os.PathLike[str]) -> None:
        """As a page of its own, or the first picture alone.

        Parameters
        ----------
        file : path
            A name with .html or .svg.
        """
        name = os.fspath(file)
        with open(file, "w", encoding="utf-8") as out:
            if name.endswith(".svg"):
                out.write(self._standing_alone())
            else:
                out.write(f"<!doctype html><meta charset='utf-8'>{self._repr_html_()}")

    def _standing_alone(self) -> str:
        """The first picture with what it takes from a page: the namespace, the style, the ground."""
        opening, rest = self.svg[0].split(">", 1)
        opening = opening.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
        style = html.escape(STYLE_TAG.sub("", self._style), quote=False)
        return f'{opening}><style>{style}svg{{background:var(--page)}}</style>{rest}'

    def _repr_html_(self) -> str:
        return f'<div>{self._style}{"".join(self.figures)}</div>'

    def __repr__(self) -> str:
        return f"<parfait.Plot {self.name}: {len(self.svg)} pictures>"


def lines(curves: Mapping[str, tuple[Any, Any]], *, title: str = "", x: str = "", y: str = "", log: bool = False) -> Plot:
    """A picture of curves of your own, drawn as reports draw.

    Parameters
    ----------
    curves : mapping of str to (x, y)
        Two sequences of numbers by name: ``{"k": (x, y)}``.
    title : str
        Above the picture.
    x, y : str
        What the axes show, with units.
    log : bool
        Whether the y axis is logarithmic.

    Returns
    -------
    Plot

    Examples
    --------
    >>> len(pf.lines({"a": ([0, 1, 2], [1, 4, 2])}, title="three points").svg)
    1
    """
    given = [(name, [float(v) for v in a], [float(v) for v in b]) for name, (a, b) in curves.items()]
    figure, style = _parfait.draw_lines(title, x, y, log, given)
    return Plot("lines", [figure], style)


def plots(page: str) -> dict[str, Plot]:
    """Every picture of a page, by the kind of plot."""
    styles = "".join(STYLE.findall(page))
    found: dict[str, list[str]] = {}
    for match in FIGURE.finditer(page):
        found.setdefault(html.unescape(match.group(1)), []).append(match.group(0))
    return {name: Plot(name, figures, styles) for name, figures in found.items()}
