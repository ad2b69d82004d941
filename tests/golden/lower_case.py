"""Writes digests of what Python's str.lower() does, for common/text/unicode.cpp.

    python3 tests/golden/lower_case.py [--check]

lower_case.json holds a digest of each of the 17 planes of Unicode, with every character alone and
before a sigma, and one of all words of a few letters. --check compares instead of writing, and
leaves with 77 where this Python knows another Unicode.
"""

import json
import pathlib
import sys
import unicodedata
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGESTS = ROOT / "tests/golden/lower_case.json"
LETTERS, LONGEST_WORD = "ΣA'1ʰİ", 5  # ' is looked through, ʰ as well, though it is cased

CHARACTERS = [chr(value) for value in range(0x110000) if not 0xD800 <= value <= 0xDFFF]


def digests() -> dict:
    """The CRC-32 of what becomes of the texts that tests/text/unicode_test.cpp makes, too."""
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
    found = json.dumps(digests()) + "\n"
    if "--check" not in sys.argv:
        DIGESTS.write_text(found, encoding="utf-8")
        return 0
    wanted = DIGESTS.read_text(encoding="utf-8")
    known = json.loads(wanted)["unicode"]
    if known != unicodedata.unidata_version:
        print(f"Unicode {known}; this Python knows {unicodedata.unidata_version}")
        return 77
    print("as str.lower() says" if found == wanted else "not what str.lower() says")
    return 0 if found == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
