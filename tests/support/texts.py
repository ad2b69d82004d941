"""What stands in texts that tests read: links of HTML, and what Python code says."""

from __future__ import annotations

import ast
from html.parser import HTMLParser


class Links(HTMLParser):
    """Where a page leads to, what in it can be led to, and the names of its elements."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
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
