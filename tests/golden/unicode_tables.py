"""Writes the tables of Unicode that byte-level tokenizers ask for.

    python tests/golden/unicode_tables.py [--check]

common/text/character_classes_table.hpp: the ranges of letters (L) and numbers (N), as the regular
expressions of `tokenizers` know them. composition_table.hpp, for NFC: the characters that have a
canonical decomposition, and those that are never composed again. combining_table.hpp: the
combining classes, but of characters that `tokenizers`, which knows an older Unicode than Python,
moves past no other. Needs tokenizers (made with 0.23.3 and Python 3.11); --check compares instead
of writing, and leaves with 77 without it.
"""

import pathlib
import sys
import unicodedata

try:
    from tokenizers import Regex, normalizers, pre_tokenizers
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
from lower_case import CHARACTERS, ranges

TEXT = pathlib.Path(__file__).resolve().parent.parent.parent / "common/text"
HEAD = "#pragma once\n\n// Written by tests/golden/unicode_tables.py: {}.\n\nnamespace xf {{\n"


def matched(pattern: str) -> list:
    """The characters that the expression matches alone."""
    split = pre_tokenizers.Split(Regex(pattern), "removed")
    return [ord(c) for c in CHARACTERS if not split.pre_tokenize_str(c)]


def rows(entries) -> str:
    lines, line = [], "  "
    for entry in entries:
        text = "{" + ",".join(map(str, entry)) + "},"
        if len(line + text) > 99:
            lines.append(line)
            line = "  "
        line += text
    return "\n".join(lines + [line])


def table(kind: str, name: str, entries) -> str:
    return f"constexpr {kind} {name}[] = {{\n{rows(entries)}\n}};\n"


def classes() -> str:
    return (HEAD.format("letters and numbers") +
            "\nstruct CharacterSpan {\n  char32_t first, last;\n};\n\n// clang-format off\n" +
            table("CharacterSpan", "letters", ranges(matched(r"\p{L}"))) +
            table("CharacterSpan", "numbers", ranges(matched(r"\p{N}"))) +
            "// clang-format on\n\n}  // namespace xf\n")


def compositions() -> str:
    decomposed, single = [], []
    for c in CHARACTERS:
        parts = unicodedata.decomposition(c)
        if parts and not parts.startswith("<"):
            values = [int(part, 16) for part in parts.split()]
            decomposed.append((ord(c), values[0], values[1] if len(values) > 1 else 0))
            if len(values) > 1 and unicodedata.normalize("NFC", c) != c:
                single.append(ord(c))
    return (HEAD.format("canonical decompositions") +
            "\n// A character that is another one (second: 0), or two, the first of which may be\n"
            "// decomposed further.\n"
            "struct Decomposition {\n  char32_t whole, first, second;\n};\n"
            "struct NeverComposed {\n  char32_t first, last;\n};\n\n// clang-format off\n" +
            table("Decomposition", "decompositions", decomposed) +
            table("NeverComposed", "never_composed", ranges(single)) +
            "// clang-format on\n\n}  // namespace xf\n")


def combining() -> str:
    nfc, spans = normalizers.NFC(), []
    for c in CHARACTERS:
        value, kind = ord(c), unicodedata.combining(c)
        text = "\u0316\u0301" + c
        if kind == 0 or nfc.normalize_str(text) != unicodedata.normalize("NFC", text):
            continue
        if spans and spans[-1][1] == value - 1 and spans[-1][2] == kind:
            spans[-1][1] = value
        else:
            spans.append([value, value, kind])
    return (HEAD.format("combining classes") +
            "\nstruct CombiningSpan {\n  char32_t first, last;\n  int kind;\n};\n\n"
            "// clang-format off\n" + table("CombiningSpan", "combining_spans", spans) +
            "// clang-format on\n\n}  // namespace xf\n")


if __name__ == "__main__":
    same = True
    for name, content in (("character_classes_table.hpp", classes()),
                          ("composition_table.hpp", compositions()),
                          ("combining_table.hpp", combining())):
        if "--check" not in sys.argv:
            (TEXT / name).write_text(content)
            print(name, content.count("\n"), "lines")
        elif (TEXT / name).read_text() != content:
            print(name, "differs")
            same = False
    sys.exit(0 if same else 1)
