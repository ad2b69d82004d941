"""The task of an exercise, or a hint, as text for a terminal, without the markup of Markdown and
LaTeX. The formulas come out in one line each: `softmax(Q Kᵀ / √d_k) V`.

They are LaTeX because the site and GitHub typeset them, and the notes of the slides convert the
pages' formulas with the same functions. No library writes them so: of 216 in tasks and hints,
pylatexenc 2.11 leaves out brackets in 56, as in f(x + ε e_i) - f(x)/ε for a difference quotient;
unicodeit 0.7.5 leaves LaTeX in 122, flatlatex 0.15 in 105."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from tools.terminal import ROOT, bold, columns_of, is_wide, painted, shown, width, wrapped

LONG_CODE = 32  # characters; shorter code stays on one line
WIDEST = 100  # columns; longer lines are hard to read

# ---- formulas ------------------------------------------------------------------------------------

WIDE = "\ue000"  # a wide space in a formula
FIXED = "\ue001"  # a non-breaking space
SIGNS = {"sum": "Σ", "cdot": "·", "le": "≤", "ge": "≥", "ne": "≠", "dots": "…", "mu": "μ",
         "sigma": "σ", "gamma": "γ", "epsilon": "ε", "beta": "β", "alpha": "α", "theta": "θ",
         "delta": "δ", "rho": "ρ", "partial": "∂", "times": "×", "in": "∈", "top": "ᵀ",
         "quad": WIDE, "qquad": "\n", " ": " ", ",": " ", ";": " ", "!": "", "_": "_", "left": "",
         "right": "", "big": "", "Big": "", "odot": "⊙", "infty": "∞", "to": "→", "approx": "≈",
         "eta": "η", "omega": "ω", "pi": "π", "varphi": "φ", "Phi": "Φ", "varepsilon": "ε",
         "tau": "τ", "nu": "ν", "lambda": "λ", "prod": "Π", "pm": "±", "lfloor": "⌊", "rfloor": "⌋",
         "Delta": "Δ", "Pi": "Π", "circ": "∘", "mid": "|", "leftarrow": "←",
         "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "lbrace": "{", "rbrace": "}",
         "{": "{", "}": "}", "\\": "; "}
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304"}  # placed after their letter
NAMES = ("max", "log", "sin", "cos", "exp", "min", "tanh")  # a space before their argument
FUNCTION = re.compile(r"[a-z]{2,} ?$")  # what follows is its argument: erf(x / √2)
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|[^\\{}^_&]", re.S)


class Formula:
    """Parses LaTeX from left to right; each method returns the text for what it has consumed."""

    def __init__(self, latex: str):
        self.rest = TOKEN.findall(re.sub(r"\s+", " ", latex))
        self.in_matrix = False
        self.labels: list[tuple[str, str]] = []  # for parts of it: the part, its label

    def take(self) -> str:
        return self.rest.pop(0) if self.rest else ""

    def argument(self) -> str:
        while self.rest and self.rest[0] == " ":
            self.take()
        token = self.take()
        return self.until("}") if token == "{" else self.sign(token)

    def until(self, end: str) -> str:
        text = ""
        while self.rest and self.rest[0] != end:
            token = self.take()
            part = self.sign(token)
            applied = token == "\\frac" and FUNCTION.search(text)
            text += f"({part})" if applied else part
        self.take()
        return text

    def sign(self, token: str) -> str:
        if token == "{":
            return self.until("}")
        if token in ("^", "_"):
            return script(token, self.argument())
        name = token[1:]
        if not name:
            return (", " if self.in_matrix else " ") if token == "&" else token
        if name == "partial" and self.rest[:1] == [" "]:
            self.take()  # no space between d and its variable
        if name in ("text", "mathrm"):
            return self.words()
        if name == "frac":
            return fraction(self.argument(), self.argument())
        if name == "sqrt":
            inside = self.argument()
            return "√" + (inside if re.fullmatch(r"\w+", inside) else f"({inside})")
        if name == "underbrace":
            inside = self.argument()
            self.take()  # the _ before the label
            self.labels.append((inside, self.argument()))
            return inside
        if name in ACCENTS:
            return unicodedata.normalize("NFC", self.argument() + ACCENTS[name])
        if name == "overline":  # means the average in all tasks
            return f"mean({self.argument()})"
        if name in ("begin", "end"):
            if self.argument() != "pmatrix":
                return ""
            self.in_matrix = name == "begin"
            return "(" if self.in_matrix else ")"
        if name in NAMES and not (self.rest and self.rest[0] in (*" _^'(", "\\left")):
            return name + " "
        return SIGNS.get(name, name)

    def words(self) -> str:
        """The argument of \\text: spaces are kept, and \\_ is an underscore."""
        text = ""
        self.take()
        while self.rest and self.rest[0] != "}":
            token = self.take()
            text += token[1:] if token.startswith("\\") else token
        self.take()
        return text


def script(mark: str, text: str) -> str:
    if mark == "^" and text in ("T", "ᵀ"):
        return "ᵀ"
    simple = re.fullmatch(r"\w+" if mark == "_" else r"\w", text)
    return mark + (text if simple else f"({text})")


def fraction(above: str, below: str) -> str:
    """Adds parentheses where a sum, or a product in the denominator, would be misread."""
    above, below = tidy(above), tidy(below)
    if re.search(r" [+-] ", above):
        above = f"({above})"
    if " " in re.sub(r"\([^()]*\)", "", below) or "Σ" in below:
        below = f"({below})"
    between = "" if re.fullmatch(r"\w+/\w+", f"{above}/{below}") else " "
    return f"{above}{between}/{between}{below}"


def tidy(text: str) -> str:
    return re.sub(r"(?<=\() +| +(?=[),;])", "", re.sub(r" +", " ", text)).strip()


def formula(latex: str) -> list[str]:
    """The lines of a formula: parts that LaTeX sets far apart get one each. The labels of braces
    follow below."""
    read = Formula(latex)
    lines = [tidy(line) for line in read.until("").split("\n")]
    lines += [f"{part}{'：' if is_wide(label[-1]) else ': '}{label}" for part, label in read.labels]
    return [re.sub(f" ?{WIDE} ?", "  ", line.rstrip(",")) for line in lines if line]


# ---- Markdown ------------------------------------------------------------------------------------


def inline(text: str, folder: Path) -> str:
    text = re.sub(r"\$`(.+?)`\$", lambda m: "  ".join(formula(m[1])).replace(" ", FIXED), text)
    text = re.sub(r"(`[^`]+`)|\[([^\]]+)\]\(([^)]+)\)",  # [=](…) in code is not a link
                  lambda m: m[1] or linked(m[2], m[3], folder), text)
    text = re.sub(r"(?<=[。，：；！？]\*\*) ", "", text)
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if part.startswith("`"):
            part = part.replace(" ", FIXED) if len(part) < LONG_CODE else part
            coloured = painted(part[1:-1], "cyan")  # without colours, the backticks stay
            parts[i] = part if coloured == part[1:-1] else coloured
        else:
            part = re.sub(r"(?<=[\w)]) ([=+<>≤≥-]) (?=[\w(])", FIXED + r"\1" + FIXED, part)
            parts[i] = re.sub(r"\*\*(.+?)\*\*", lambda m: bold(m[1]), part)
    return "".join(parts)


def linked(text: str, link: str, folder: Path) -> str:
    place = link if "://" in link else shown((folder / link.partition("#")[0]).resolve())
    return f"{text}（{place}）" if is_wide(text[-1]) else f"{text} ({place})"


def joined(lines: list[str]) -> str:
    """Joins the lines of a paragraph; there is no space between two Chinese characters."""
    text = lines[0].strip()
    for line in map(str.strip, lines[1:]):
        first = line.lstrip("[*")[:1]  # the first visible character
        chinese = is_wide(text[-1]) and is_wide(first) or text[-1] in "，。：；、？！（）"
        text += line if chinese else " " + line
    return text


def table(rows: list[str], columns: int, folder: Path) -> list[str]:
    cells = [[inline(cell.strip(), folder) for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]
             for row in rows if not re.fullmatch(r"[|:\- ]+", row)]
    widths = [max(columns_of(row[i]) for row in cells) for i in range(len(cells[0]))]
    while sum(widths) + 2 * len(widths) > columns:
        widths[widths.index(max(widths))] -= 1
    lines = []
    for number, row in enumerate(cells):
        broken = [wrapped(cell, size, 0) for cell, size in zip(row, widths)]
        for height in range(max(map(len, broken))):
            parts = [cell[height] if height < len(cell) else "" for cell in broken]
            line = "  ".join(part + " " * (size - columns_of(part))
                             for part, size in zip(parts, widths))
            lines.append("  " + (painted(line.rstrip(), "dim") if number == 0 else line.rstrip()))
    return lines


BLOCK = re.compile(r"""
      (?P<math>    ^```math.*\n (?s:.*?) ^```.* )
    | (?P<code>    ^```.*\n (?s:.*?) ^```.* )
    | (?P<table>   (?: ^\|.*\n )+ )
    | (?P<heading> ^\#.* )
    | (?P<item>    ^(?: -[ ] | \d\.[ ] ).*\n (?: ^(?! ``` | \| | \# | -[ ] | \d\.[ ] ).*\S.*\n )* )
    | (?P<text>    ^.*\S.*\n (?: ^(?! ``` | \| | \# | -[ ] | 1\.[ ] ).*\S.*\n )* )""", re.M | re.X)


def blocks(markdown: str):
    """(kind, lines) of each block: code, math, table, heading, item, text. A line of a text that
    begins with a number other than 1 continues it, as in Markdown: "… gets\\n0. The factor …"."""
    for found in BLOCK.finditer(markdown + "\n"):
        kind, lines = found.lastgroup, found[0].splitlines()
        yield kind, lines[1:-1] if kind in ("math", "code") else lines


def plain(markdown: str, folder: Path = ROOT) -> str:
    """The text, wrapped to the terminal's width; its links are relative to `folder`."""
    columns, shown_blocks = min(width(), WIDEST), []
    for kind, lines in blocks(markdown):
        if kind == "code":
            out = ["    " + line for line in lines]
        elif kind == "math":
            out = [part for line in formula(" ".join(lines))
                   for part in wrapped("    " + line, columns, 8)]
        elif kind == "table":
            out = table(lines, columns - 2, folder)
        elif kind == "heading":
            out = [bold(lines[0].lstrip("# "))]
        else:
            text = inline(joined(lines), folder)
            indent = len(re.match(r"(- |\d\. )?", text)[0])
            out = wrapped(text, columns, indent)
        tight = kind == "item" and shown_blocks and shown_blocks[-1][0] == "item"
        shown_blocks.append((kind, ("" if tight or not shown_blocks else "\n") + "\n".join(out)))
    return "\n".join(text for _kind, text in shown_blocks).replace(FIXED, " ")


def escaped(text: str) -> str:
    """Escapes the text so that it is literal in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)
