"""Writes what Python's str.lower() does: the tables of common/text/letter_case.cpp, and digests.

    python3 tests/golden/lower_case.py [--check]

letter_case_table.hpp holds every character that has a lower-case form, and the two classes that
decide whether a capital sigma ends a word, as str.lower() itself tells them: behind "A" and before
nothing, "Σ" becomes "ς"; a character between the two either is looked through (case-ignorable), or
counts itself (cased), or ends the word. lower_case.json holds a digest of each of the 17 planes of
Unicode, with every character alone and before a sigma, and one of all words of a few letters.
--check compares instead of writing, and leaves with 77 where this Python knows another Unicode.
"""

import json
import pathlib
import sys
import unicodedata
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "common/text/letter_case_table.hpp"
DIGESTS = ROOT / "tests/golden/lower_case.json"
LETTERS, LONGEST_WORD = "ΣA'1ʰİ", 5  # ' is looked through, ʰ as well, though it is cased

CHARACTERS = [chr(value) for value in range(0x110000) if not 0xD800 <= value <= 0xDFFF]


def ends_word(before: str) -> bool:
    return (before + "Σ").lower().endswith("ς")


def is_cased(character: str) -> bool:
    """And not looked through: then "1", which has no case, would be what counts."""
    return ends_word("1" + character)


def is_ignorable(character: str) -> bool:
    return ends_word("A" + character) and not is_cased(character)


def ranges(values) -> list:
    found = []
    for value in values:
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return found


def lowered() -> list:
    """[first, last, step, difference]: every step-th character from first to last."""
    found = []
    for character in CHARACTERS:
        lower = character.lower()
        if lower == character or len(lower) > 1:  # "İ" alone becomes two
            continue
        value, difference = ord(character), ord(lower) - ord(character)
        last = found[-1] if found else None
        if last and last[3] == difference and value - last[1] in (1, 2) and (
                last[2] in (0, value - last[1])):
            last[1], last[2] = value, value - last[1]
        else:
            found.append([value, value, 0, difference])
    return [[first, last, step or 1, difference] for first, last, step, difference in found]


def rows(entries) -> str:
    """As many entries a line as fit."""
    lines = [" "]
    for entry in entries:
        text = "{" + ", ".join(f"0x{number:X}" if i < 2 else str(number)
                               for i, number in enumerate(entry)) + "},"
        if len(lines[-1]) + 1 + len(text) > 100:
            lines.append(" ")
        lines[-1] += " " + text
    return "\n".join(lines)


def table() -> str:
    return f"""#pragma once

// Written by tests/golden/lower_case.py from str.lower() of a Python that knows Unicode
// {unicodedata.unidata_version}.

namespace xf {{

struct CharacterRange {{
  char32_t first, last;
}};
// Every step-th character from first to last becomes the one that is `difference` after it.
struct LoweredRange {{
  char32_t first, last;
  int step, difference;
}};

// clang-format off
constexpr LoweredRange lowered_characters[] = {{
{rows(lowered())}
}};

constexpr CharacterRange cased_characters[] = {{
{rows(ranges(ord(c) for c in CHARACTERS if is_cased(c)))}
}};

constexpr CharacterRange case_ignorable_characters[] = {{
{rows(ranges(ord(c) for c in CHARACTERS if is_ignorable(c)))}
}};
// clang-format on

}}  // namespace xf
"""


def digests() -> dict:
    """The CRC-32 of what becomes of the texts that tests/text/letter_case_test.cpp makes, too."""
    planes = []
    for plane in range(17):
        near = (c for c in CHARACTERS if ord(c) >> 16 == plane)
        text = "".join(f"1{c}Σ1A{c}Σ" for c in near)
        planes.append(zlib.crc32(text.lower().encode()))
    words = [""]
    for word in words:  # which grow meanwhile
        words += [word + letter for letter in LETTERS] if len(word) < LONGEST_WORD else []
    lowered_words = " ".join(word.lower() for word in words)
    return {"unicode": unicodedata.unidata_version, "planes": planes,
            "words": zlib.crc32(lowered_words.encode())}


def main() -> int:
    wanted = {TABLE: table(), DIGESTS: json.dumps(digests()) + "\n"}
    if "--check" not in sys.argv:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    known = json.loads(DIGESTS.read_text(encoding="utf-8"))["unicode"]
    if known != unicodedata.unidata_version:
        print(f"Unicode {known}; this Python knows {unicodedata.unidata_version}")
        return 77
    wrong = [path.name for path, text in wanted.items()
             if path.read_text(encoding="utf-8") != text]
    print("not what str.lower() says: " + ", ".join(wrong) if wrong else "as str.lower() says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
