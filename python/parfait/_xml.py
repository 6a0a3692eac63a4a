"""Model and problem files are written as text: the text is the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def escape(text: str) -> str:
    """As xml.sax.saxutils has it, which takes 15 ms to import."""
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def quoteattr(text: str) -> str:
    """The text in quotes."""
    text = escape(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else '"' + text.replace('"', "&quot;") + '"'


def number(value: Any) -> str:
    """The shortest text that reads back as the same double; a string is a formula and stays."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if not isinstance(value, int) else str(value)


def words(values: Any) -> str:
    """A list of numbers and formulas, as attributes take them."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return number(values)
    texts = [number(v) for v in values]
    return " ".join(f"({t})" if " " in t.strip() else t for t in texts)


class Element:
    """<name a="b"> ... </name>"""

    def __init__(self, name: str, attributes: Mapping[str, Any] | None = None, text: str = ""):
        self.name = name
        self.attributes = {k: v for k, v in (attributes or {}).items() if v is not None}
        self.text = text
        self.children: list[Element] = []

    def add(self, name: str, attributes: Mapping[str, Any] | None = None, text: str = "") -> Element:
        child = Element(name, attributes, text)
        self.children.append(child)
        return child

    def lines(self, indent: str = "") -> Iterable[str]:
        head = indent + "<" + self.name
        for key, value in self.attributes.items():
            head += f" {key}={quoteattr(words(value))}"
        if not self.children and not self.text:
            yield head + "/>"
        elif not self.children:
            yield f"{head}>{escape(self.text)}</{self.name}>"
        else:
            yield head + ">"
            for child in self.children:
                yield from child.lines(indent + "  ")
            yield f"{indent}</{self.name}>"

    def document(self) -> str:
        return "\n".join(self.lines()) + "\n"
