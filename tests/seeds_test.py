#!/usr/bin/env python3
"""Does each paragraph of the documents behind the tutorial have its place, and does it exist?

docs/*/seeds.md names pages, files, commands, sections of lessons, tests and exercises. Links are
checked by the house test and by `pages`; here it is the commands and the rows. The programs are
those in $XF_BIN, or those of the release build.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import exercises_manifest, pages, recorded, terminal  # noqa: E402

ROW = re.compile(r"^\| ([A-E]\d+!?) \| (.*) \|$", re.M)
LESSON = re.compile(r"`\./learn chapter (\d)((?: --\S+(?: [\w-]+)?)*)`(?:, sections? (\d+)"
                    r"(?: to (\d+))?|，第 (\d+)(?:–(\d+))? 节)")
COMMAND = re.compile(r"`\./learn chapter (\d) ([a-z]+)((?: [^`]+)?)`")
EXERCISE = re.compile(r"`\./learn try (\d\d-\d\d)`")
TEST = re.compile(r"\[\w+_test\.\w+\]\(\.\./\.\./(tests/\S+)\) “([^”]+)”")
LINK = re.compile(r"\]\((\.\./\.\./[^)]+)\)")


def page(language: str) -> str:
    return (ROOT / f"docs/{language}/seeds.md").read_text(encoding="utf-8")


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each row after its name."""
    return {name: [cell.strip() for cell in cells.split(" | ")]
            for name, cells in ROW.findall(text)}


def lessons(text: str) -> list[tuple[int, str, int, int]]:
    """(chapter, flags, first section, last section) of all that the text says to run."""
    found = []
    for chapter, flags, *sections in LESSON.findall(text):
        numbers = [int(number) for number in sections if number]
        found.append((int(chapter), flags.strip(), numbers[0], numbers[-1]))
    return found


class Seeds(unittest.TestCase):
    def none(self, breaches) -> None:
        found = list(breaches)
        self.assertEqual(found, [], "\n  " + "\n  ".join(map(str, found)))

    def program(self, chapter: int) -> Path:
        folder = Path(os.environ.get("XF_BIN") or terminal.BIN)
        found = sorted(folder.glob(f"0{chapter}_*"))
        if not found:
            self.skipTest(f"no program of chapter {chapter} in {folder}")
        return found[0]

    def test_no_paragraph_is_left_out_and_no_cell_is_empty(self):
        for language in ("en", "zh"):
            found = rows(page(language))
            self.assertGreater(len(found), 150)
            self.none(f"{language}: {name}: an empty cell" for name, cells in found.items()
                      if not all(cells) or len(cells) != (3 if name.endswith("!") else 4))
            for letter in "ABCDE":
                for mark in ("", "!"):
                    numbers = [int(name[1:].rstrip("!")) for name in found
                               if name[0] == letter and name.endswith("!") == bool(mark)]
                    self.assertEqual(numbers, list(range(1, len(numbers) + 1)), letter + mark)
                    self.assertTrue(numbers, letter + mark)

    def test_both_languages_name_the_same_files_and_commands(self):
        en, zh = rows(page("en")), rows(page("zh"))
        self.assertEqual(list(en), list(zh))
        def named(cells):
            text = " | ".join(cells)
            return (LINK.findall(text), EXERCISE.findall(text), COMMAND.findall(text),
                    lessons(text), TEST.findall(text))
        self.none(name for name in en if named(en[name]) != named(zh[name]))

    def test_every_row_says_how_to_see_it(self):
        self.none(f"{name}: {cells[-1]}" for name, cells in rows(page("en")).items()
                  if "`./learn " not in cells[-1] and "_test." not in cells[-1])

    def test_every_section_is_printed(self):
        wanted = lessons(page("en"))
        self.assertGreater(len(wanted), 100)
        printed = {}
        for chapter in sorted({chapter for chapter, *_ in wanted}):
            name = self.program(chapter).name
            text = recorded.text_of(name, ROOT)
            printed[chapter] = pages.run(name)[0] if text is None else text
        self.addCleanup(pages.forget_runs)
        self.none(f"chapter {chapter} has no section {section}"
                  for chapter, _, first, last in wanted for section in range(first, last + 1)
                  if not re.search(rf"^{section}\. .*\n-+$", printed[chapter], re.M))

    def test_every_command_and_flag_is_one(self):
        wanted = {(int(chapter), word, flags) for chapter, word, flags
                  in COMMAND.findall(page("en"))}
        wanted |= {(chapter, "", flags) for chapter, flags, *_ in lessons(page("en")) if flags}
        for chapter, word, flags in sorted(wanted):
            answer = subprocess.run([self.program(chapter), *filter(None, [word]), "--help"],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(answer.returncode, 0, answer.stdout)
            for flag in re.findall(r"--[\w-]+", flags):
                self.assertIn(flag, answer.stdout, f"chapter {chapter} {word}")

    def test_every_exercise_is_one(self):
        known = {exercise.id for exercise in exercises_manifest.manifest()}
        self.none(name for name in EXERCISE.findall(page("en")) if name not in known)

    def test_every_test_is_one(self):
        self.none(f"{path}: {claim}" for path, claim in TEST.findall(page("en"))
                  for text in [(ROOT / path).read_text(encoding="utf-8")]
                  if f'TEST_CASE("{claim}")' not in text
                  and f"def test_{claim.replace(' ', '_')}(" not in text)


if __name__ == "__main__":
    unittest.main()
