#!/usr/bin/env python3
"""The pictures of real heads: their titles are counted, and the page says what they show."""

from __future__ import annotations

import csv
import json
import re
import shutil
import unittest
from pathlib import Path

from support.checkout import ROOT, WithFolder, read
from tools.book import head_pictures
from tools.book.head_pictures import HEADS, LENS, MARK, MEASURES, PRINTED, Heads
from tools.book.page_numbers import paragraphs
from tools.terminal import Stop

PAGES = {language: read(f"docs/{language}/heads.md") for language in ("en", "zh")}


def title(svg: str) -> str:
    return re.search(r'font-weight="bold">([^<]*)</text>', svg)[1]


def wrong(text: str, language: str, root: Path = ROOT) -> list[str]:
    return [each for part in paragraphs(text) for each in head_pictures.wrong(part, language, root)]


class Changed(WithFolder):
    """With the logs in a folder of its own, which a test may change."""

    def setUp(self):
        self.root = self.folder
        for name in (HEADS, PRINTED, LENS):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)

    def rows(self) -> list[dict]:
        return list(csv.DictReader(read(self.root / HEADS).splitlines()))

    def write(self, rows: list[dict]) -> None:
        with open(self.root / HEADS, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def replace(self, name: Path, before: str, after: str) -> None:
        text = read(self.root / name)
        self.assertIn(before, text)
        (self.root / name).write_text(text.replace(before, after), encoding="utf-8")

    def test_the_titles_follow_the_numbers(self):
        before = {name: title(svg) for name, svg in head_pictures.files(self.root).items()}
        rows = self.rows()
        rows[0]["previous"] = rows[0]["removed"] = "0.9"
        self.write(rows)
        self.replace(PRINTED, "the most inductive 12.522", "the most inductive 8.477")
        self.replace(LENS, "   24    9.929 ", "   24   12.929 ")
        self.replace(LENS, "   24    6.318 ", "   24   12.318 ")
        self.replace(LENS, "  22712.3", "   1315.0")
        after = {name: title(svg) for name, svg in head_pictures.files(self.root).items()}
        for name in head_pictures.PICTURES:
            self.assertNotEqual(before[name], after[name], name)
        self.assertIn(" 50 percent ", after["heads_together"])  # 8.477 is half way to 14.172
        self.assertIn("layer 24 ", after["heads_lens"])

    def test_the_strongest_head_has_the_frame(self):
        at = next(i for i, row in enumerate(self.rows())
                  if (row["layer"], row["head"]) == ("3", "2"))
        rows = self.rows()
        rows[at]["induction"] = "0.9876"
        self.write(rows)
        drawing = head_pictures.maps(Heads(self.root))
        self.assertIn(">layer 3, head 2: 0.988<", drawing)

    def test_a_page_that_says_another_head_or_number_is_found(self):
        for language, page in PAGES.items():
            self.assertEqual([], wrong(page, language))
            marked = {measure: part for part in paragraphs(page) for measure in MARK.findall(part)}
            self.assertEqual({"first", "previous", "induction", "duplicate", "removed"},
                             set(marked))
            for measure, part in marked.items():
                layer, head, value = Heads(ROOT).strongest(measure)
                count = Heads(ROOT).above(measure, head_pictures.LEAST.get(measure, 0.5))
                named = {"en": f"ead {head} of layer {layer}", "zh": f"层 {layer} 的头 {head}"}
                counted = head_pictures.COUNTED[language]
                said = next(each[0] for each in counted.finditer(part) if int(each[1]) == count)
                for right, false in ((named[language], "ead 8 of layer 29" if language == "en"
                                      else "层 29 的头 8"),
                                     (f"{value:.3f}", "0.512"),
                                     (said, said.replace(str(count), "200", 1))):
                    self.assertIn(right, part, measure)
                    self.assertEqual(1, len(wrong(part.replace(right, false, 1), language)),
                                     (measure, right))
            self.assertEqual(["heads: heat is no measure"],
                             wrong("A word. <!-- heads: heat -->", language))

    def test_numbers_that_changed_make_the_page_wrong(self):
        rows = self.rows()
        rows[0]["first"] = "1.0001"
        self.write(rows)
        self.assertIn("heads: first: the strongest is head 0 of layer 0, 1.0001",
                      wrong(PAGES["en"], "en", self.root))

    def test_the_numbers_of_a_page_are_kept(self):
        values = [at / 1000 for at in range(6)]
        maps = [{"name": name, "values": [value + i / 10 for value in values]}
                for i, name in enumerate(MEASURES)]
        page = self.root / "heads.html"

        def say(these: list[dict]) -> None:
            view = {"layers": 2, "heads": 3, "maps": these}
            page.write_text('<script type="application/json" id="data">'
                            f'{json.dumps({"views": [view]})}</script>',
                            encoding="utf-8")
        say(maps)
        head_pictures.record(page, self.root)
        rows = self.rows()
        self.assertEqual([("0", "0"), ("0", "1"), ("0", "2"), ("1", "0"), ("1", "1"), ("1", "2")],
                         [(row["layer"], row["head"]) for row in rows])
        for i, name in enumerate(MEASURES):
            self.assertEqual([f"{value + i / 10:.4f}" for value in values],
                             [row[name] for row in rows])
        say(maps[:-1])
        for _ in range(2):
            with self.assertRaisesRegex(Stop, "heads.html: not a page of"):
                head_pictures.record(page, self.root)
            page.write_text("nothing", encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
