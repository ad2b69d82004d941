#!/usr/bin/env python3
"""The catalogues of the lessons' Chinese (common/language/language.hpp): what a lesson says has an
entry, with other seeds, too, and every entry is something that a lesson says. What the lessons said
stands in XF_LESSONS, where their own tests leave it (XF_KEYS); a lesson that has not run is left
out, and named. For another seed the programs of XF_BIN run, but for lesson 7, which takes a minute.

    tests/language_test.py 2                the gaps of chapter 2, to fill
    tests/language_test.py --seeds 3        three seeds of all lessons, that of chapter 7 as well
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support.checkout import BIN, ROOT, read
from tools.catalogue import entries, entry

LESSONS = Path(os.environ.get("XF_LESSONS", ROOT / "build" / "release" / "lessons"))
CHAPTERS = sorted(path.parent.name for path in ROOT.glob("chapters/*/main.cpp"))
COMMON = ROOT / "common" / "zh.po"
ERRORS = ROOT / "common" / "errors.zh.po"  # tests/chinese_help_test.py
WORDS = re.compile(r"[A-Za-z]{3}")
WHERE_A_LESSON_FAILS = ["{} (section {})", "FALSE: ", "NOT EQUAL, max |difference| {}: ",
                        "this claim of the lesson is false: "]
NAME = re.compile(r"\S*[/_:(.=<]\S*|-?inf|-?nan")  # one word: a file, a name in the code, a number
SENTENCE = re.compile(r"(?:\b[A-Za-z]?[a-z]+ ){3}[a-z]+\b")  # four words of English
PLACE = re.compile(r"\{(\d?)\}")  # of an argument, as in std::format
LONG = "07_transformer"  # most of what it prints is data: the sentences of its corpus
seeds, thorough = 1, False  # --seeds N


def keys_in(path: Path) -> list[str]:
    return [line.replace("\\n", "\n") for line in read(path).split("\n")]


def said(chapter: str) -> list[str] | None:
    """What the lesson said, with the places of its arguments; None where it has not run."""
    path = LESSONS / f"{chapter}.keys"
    return keys_in(path) if path.exists() else None


def said_by_commands(chapter: str) -> set[str]:
    """The literals of its commands' sources: what `measure` prints, which needs other processes,
    and `encode`, which needs a model."""
    sources = sorted((ROOT / "chapters" / chapter / "program").glob("*.cpp"))
    text = "".join(read(path) for path in sources)
    return set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", text)))


def said_with(chapter: str, seed: int) -> tuple[list[str], list[str]]:
    """What the Chinese lesson looks up with this seed, and the lines that it prints; some of its
    claims may be false there."""
    with tempfile.TemporaryDirectory() as folder:
        keys = Path(folder, "keys")
        ran = subprocess.run([BIN / chapter, "--language", "zh", "--seed", str(seed),
                              "--threads", "1", "--out", folder],
                             env={**os.environ, "XF_KEYS": str(keys)}, capture_output=True)
        assert ran.returncode in (0, 2), f"{chapter} --seed {seed}: {ran.stderr.decode()}"
        return keys_in(keys), ran.stdout.decode().split("\n")


def english_in(line: str) -> bool:
    """Whether the line holds a sentence that should be Chinese. What stands in quotes is data."""
    sentence = SENTENCE.search(re.sub("“[^”]*”", "", line))
    return bool(sentence and WORDS.search(sentence[0]))


def places(text: str) -> list[int]:
    """Which arguments the text has: {} in order, or {0}, {1} …"""
    found = PLACE.findall(text.replace("{{", "").replace("}}", ""))
    return sorted(int(number or i) for i, number in enumerate(found))


def needs_an_entry(key: str) -> bool:
    return bool(WORDS.search(key)) and not NAME.fullmatch(key)


def gaps(chapter: str, keys: list[str]) -> list[str]:
    known = {**entries(COMMON), **entries(ERRORS), **entries(ROOT / "chapters" / chapter / "zh.po")}
    return [key for key in dict.fromkeys(keys) if needs_an_entry(key) and key not in known]


class Language(unittest.TestCase):
    def test_what_a_lesson_says_has_an_entry(self):
        for chapter in CHAPTERS:
            with self.subTest(chapter):
                missing = gaps(chapter, said(chapter) or [])
                self.assertEqual(missing, [], f"chapters/{chapter}/zh.po lacks {len(missing)}; "
                                 f"tests/language_test.py {int(chapter[:2])} prints them")

    def test_with_any_seed_a_lesson_speaks_chinese(self):
        runs = [(chapter, seed) for chapter in CHAPTERS for seed in range(1, 1 + seeds)
                if chapter != LONG or thorough]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (chapter, seed), (keys, lines) in zip(runs, pool.map(said_with, *zip(*runs))):
                with self.subTest(chapter, seed=seed):
                    self.assertEqual(gaps(chapter, keys), [])
                    self.assertEqual([line for line in lines if english_in(line)
                                      and chapter != LONG], [])

    def test_what_is_missing_is_looked_up_by_the_number_of_the_chapter(self):
        key = "After {} steps nobody has said this."
        with mock.patch(f"{__name__}.said", return_value=[key]) as asked:
            self.assertEqual([key], missing_in(2))
        asked.assert_called_once_with("02_attention")
        with mock.patch(f"{__name__}.said", return_value=None), \
                self.assertRaisesRegex(SystemExit, "--filter lesson_02"):
            missing_in(2)
        with self.assertRaisesRegex(SystemExit, "chapter 99 has no lesson"):
            missing_in(99)

    def test_english_is_noticed(self):
        self.assertTrue(english_in("注意：the loss of this run falls"))
        self.assertTrue(english_in("    the best word at each position  3"))
        self.assertTrue(english_in("    x  ->  embedding: id 8 is not in a table"))
        for line in ("    d d h c h H e g", "输入“I love Beijing in the winter”", "损失 1.5"):
            self.assertFalse(english_in(line), line)

    def test_what_stays_english_is_no_sentence(self):
        for po in [COMMON, *ROOT.glob("chapters/*/zh.po")]:
            for key, text in entries(po).items():
                self.assertIsNone(SENTENCE.search(key if not text else ""), f"{po}: {key}")

    def test_every_entry_is_something_that_a_lesson_says(self):
        everything: set[str] = set()
        for chapter in CHAPTERS:
            keys = said(chapter)
            if keys is None:
                print(f"not looked at: {chapter}, whose lesson has not run")
                continue
            everything |= set(keys)
            stale = sorted(set(entries(ROOT / "chapters" / chapter / "zh.po")) - set(keys)
                           - said_by_commands(chapter))
            self.assertEqual(stale, [], f"chapters/{chapter}/zh.po: nothing says this any more")
        if all(said(chapter) is not None for chapter in CHAPTERS):
            self.assertEqual(sorted(set(entries(COMMON)) - everything),
                             sorted(WHERE_A_LESSON_FAILS),
                             "common/zh.po: nothing says this any more")

    def test_a_translation_has_the_places_of_its_text(self):
        for po in [*ROOT.glob("common/*.po"), *ROOT.glob("chapters/*/zh.po"), ROOT / "bench/zh.po"]:
            for key, text in entries(po).items():
                if text and PLACE.search(key.replace("{{", "").replace("}}", "")):
                    self.assertEqual(places(text), places(key), f"{po.relative_to(ROOT)}: {key}")


def missing_in(number: int) -> list[str]:
    """What the lesson of this chapter said without an entry."""
    chosen = next((name for name in CHAPTERS if name.startswith(f"{number:02}_")), None)
    if not chosen:
        sys.exit(f"chapter {number} has no lesson")
    if (keys := said(chosen)) is None:
        sys.exit(f"{chosen} has not run since it was built: ./learn test --filter "
                 f"lesson_{number:02}")
    return gaps(chosen, keys)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].isdigit():
        print("".join(entry(key) + "\n" for key in missing_in(int(sys.argv[1]))), end="")
    else:
        if thorough := sys.argv[1:2] == ["--seeds"]:
            seeds = int(sys.argv[2])
            del sys.argv[1:3]
        unittest.main()
