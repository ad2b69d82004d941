"""What stands in texts that tests read: links of HTML, and what Python code says."""

from __future__ import annotations

import ast
import html
import re

# What Python's own parser of HTML finds, in a fifth of its time.
ELEMENT = re.compile(r"""<!--.*?-->|
    <(?P<raw>script|style)\b(?P<of_raw>[^>]*)>.*?</(?P=raw)\s*>|
    <(?P<tag>[a-zA-Z][^\s/>]*)(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>""",
                     re.DOTALL | re.VERBOSE)
ATTRIBUTE = re.compile(r"""\s(href|src|id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


class Links:
    """Where a page leads to, what in it can be led to, and the names of its elements."""

    def __init__(self, text: str):
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        for element in ELEMENT.finditer(text):
            if tag := element["tag"] or element["raw"]:
                self.tags.add(tag.lower())
                for name, *values in ATTRIBUTE.findall(
                        element["attributes"] or element["of_raw"] or ""):
                    if value := html.unescape("".join(values)):
                        if name in ("href", "src"):
                            self.links.append(value)
                        else:
                            self.ids.add(value)


def text_of(node: ast.AST, varies=lambda node: "7") -> str:
    """The text of an expression; what varies in it is `varies` of its node."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part, varies) for part in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left, varies) + text_of(node.right, varies)
    return varies(node)
