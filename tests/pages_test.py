#!/usr/bin/env python3
"""Do the pages of docs/ say what sources and programs say? And would tools/book/pages.py notice?

The programs are those in $XF_BIN, or those of the release build.
"""

from __future__ import annotations

import os
import re
import struct
import unittest
import zlib
from pathlib import Path
from unittest import mock

from support.checkout import ROOT, WithFolder, read
from tools import terminal
from tools.book import (drawings, film, heat_map, page_numbers, page_sources, pages, recorded,
                        whole)
from tools.exercises import manifest as exercises_manifest

CODE = """#pragma once

// y = 2 x
//   x: a number
inline float twice(float x) {
  if (x == 0) {
    return 0;
  }
  return 2 * x;
}

float long_one(float first,
               float second);

float next_one(float x) { return twice(x); }

// Holds one number.
struct Box {
  float value;

  // Its double.
  float twice_it() const {
    return twice(value);
  }
  float half() const { return value / 2; }
};
"""
PROGRAM = """#!/bin/sh
mkdir -p out/99_made_up
case "$*" in
  *"--language zh") words='s/ d    loss/维数  损失/; s/box/盒子/; s/Lesson/课/' ;;
esac
echo '<svg x="1.00">box</svg>' | sed "$words" > out/99_made_up/box.svg
cat <<'END' | sed "$words"
Lesson

1. What is it?
--------------
    d    loss
    ---------
    4    1.25   a | b
    8    1.50

=> 2 rows

2. And now?
-----------
    ok, max |difference| 1.2e-07: both
END
"""
EN = """# Page

<!-- snippet: code.hpp#twice -->
<!-- /snippet -->

## Output

<!-- output: 99_made_up 1 | d    loss | 8    1 -->
<!-- /output -->

<!-- picture: 99_made_up box.svg -->
![a box](../pictures/box.svg)
<!-- /picture -->

<!-- findings: 99_made_up -->
<!-- /findings -->

<!-- exercises: 99 -->
<!-- /exercises -->
"""
ZH = (EN.replace("# Page", "# 页面").replace("| d    loss | 8    1", "| 维数 | 8    1")
      .replace("box.svg)", "box.zh.svg)"))
MANIFEST = """[[exercise]]
id = "99-01"
folder = "chapters/99_made_up/exercises/01_box"
title = "A box"
title_zh = "一个盒子"
tests = 2
points = 1
"""


class MadeUp(WithFolder):
    """A small repository of one page in two languages, one source and one program."""

    def setUp(self):
        self.root = self.folder
        for name in ("docs/en", "docs/zh", "bin", "chapters/99_made_up"):
            (self.root / name).mkdir(parents=True)
        self.write("code.hpp", CODE)
        self.write("bin/99_made_up", PROGRAM).chmod(0o755)
        self.write("chapters/99_made_up/lesson.cpp", "// prints\n")
        self.patch(exercises_manifest, "MANIFEST", self.write("manifest.toml", MANIFEST))
        self.write("docs/en/page.md", EN)
        self.write("docs/zh/page.md", ZH)
        self.environment(XF_BIN=str(self.root / "bin"))
        self.patch(pages, "say", lambda text: None)
        pages.mark_translated("page", self.root)
        self.mends()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return path

    def text(self, name: str) -> str:
        return read(self.root / name)

    def page(self, language: str) -> str:
        return self.text(f"docs/{language}/page.md")

    def agrees(self, why: str | None = None) -> None:
        self.assertEqual(pages.refresh(self.root, check=True), [], why)

    def mends(self, why: str | None = None) -> None:
        self.assertEqual(pages.refresh(self.root), [], why)

    def record(self) -> None:
        self.assertEqual(pages.record("99_made_up", self.root), [])

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.text(name)
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def pictures(self) -> list[str]:
        return [self.text(f"docs/pictures/{name}") for name in ("box.svg", "box.zh.svg")]

    def complaint(self, *words: str) -> None:
        complaints = pages.refresh(self.root, check=True)
        self.assertTrue(complaints, "nothing was noticed")
        for word in words:
            self.assertIn(word, "\n".join(complaints))

    def test_what_was_rewritten_agrees(self):
        page = self.page("en")
        self.assertIn("// y = 2 x\n//   x: a number\ninline float twice(float x) {\n", page)
        self.assertIn("```text\n    d    loss\n", page)
        self.assertIn("    8    1.50\n```\n", page)
        self.assertTrue((self.root / "docs/pictures/box.svg").is_file())
        self.agrees()

    def test_a_chinese_page_shows_what_the_program_says_in_chinese(self):
        page = self.page("zh")
        self.assertIn("```text\n   维数  损失\n", page)
        self.assertIn("    8    1.50\n```\n", page)
        self.assertEqual(self.pictures(), ['<svg x="1.00">box</svg>\n', '<svg x="1.00">盒子</svg>\n'])
        self.edit("bin/99_made_up", "损失", "代价")
        complaints = pages.refresh(self.root, check=True)
        self.assertEqual(len(complaints), 1)
        self.assertIn("docs/zh/page.md:18: output 99_made_up 1 | 维数 | 8    1 has drifted",
                      complaints[0])

    def test_the_limits_of_a_chinese_page_are_words_of_its_output(self):
        self.edit("docs/zh/page.md", "| 维数 | 8    1", "| d    loss | 8    1")
        self.complaint("docs/zh/page.md", "'d    loss' is in 0 lines of the section")
        self.edit("docs/zh/page.md", "1 | d    loss | 8    1", "1 | 维数 | +3")
        self.agrees()
        self.edit("docs/zh/page.md", "维数 | +3", "维数 | +2")
        pages.refresh(self.root)
        self.complaint("output 99_made_up 1 | 维数 | +2 has 7 lines, and the one of en/page.md 8: "
                       "one of them ends too early")
        self.edit("docs/zh/page.md", "维数 | +2", "维数 | +3")
        pages.refresh(self.root)
        self.edit("docs/zh/page.md", "99_made_up 1 | 维数 | +3", "99_made_up 2 | ok | +0")
        self.complaint("the blocks are not those of en/page.md")

    def test_checking_changes_nothing(self):
        self.edit("code.hpp", "2 * x", "3 * x")
        before = (self.root / "docs/en/page.md").read_bytes()
        self.complaint("docs/en/page.md", "docs/zh/page.md", "snippet code.hpp#twice has drifted")
        self.assertEqual((self.root / "docs/en/page.md").read_bytes(), before)

    def test_rewriting_mends_drift_and_leaves_the_translation_in_date(self):
        self.edit("code.hpp", "2 * x", "3 * x")
        self.mends()
        self.assertIn("3 * x", self.page("zh"))

    def test_another_output_is_noticed(self):
        self.edit("bin/99_made_up", "1.25", "1.35")
        self.complaint("output 99_made_up 1 | d    loss | 8    1 has drifted")

    def test_another_picture_is_noticed(self):
        self.edit("docs/pictures/box.svg", "1.00", "2.00")
        self.complaint("picture 99_made_up box.svg has drifted")

    def test_the_findings_stand_after_the_numbers_of_their_sections(self):
        text = self.page("en")
        self.assertIn("```text\n 1  2 rows\n 2  And now?\n```\n<!-- /findings -->", text)
        self.edit("bin/99_made_up", "=> 2 rows", "=> 2 rows\n=> 9 times faster (measured)")
        self.agrees("a timing is left out")
        self.edit("bin/99_made_up", "=> 2 rows", "=> 3 rows")
        self.complaint("findings 99_made_up has drifted")
        self.edit("bin/99_made_up", "=> 3 rows", "nothing")
        self.complaint("99_made_up has no line that begins with =>")

    def test_in_short_says_what_its_section_prints(self):
        self.edit("bin/99_made_up", "=> 2 rows", "=> the loss ends at 1.50")
        self.mends()
        for old, new, words in (("ends at 1.50", "ends at 3.7e-07", "does not print 3.7e-07"),
                                ("ends at 3.7e-07", "ends at 12 %", "does not print 12 %"),
                                (" 1  the loss", " 2  the loss", "section 2 of 99_made_up"),
                                (" 2  the loss", " 9  the loss", "99_made_up has no section 9")):
            with self.subTest(new):
                self.edit("docs/zh/page.md", old, new)
                self.complaint("docs/zh/page.md:33: findings", words)
        self.edit("bin/99_made_up", "ends at 1.50", "ends at 1.51")
        self.assertIn("section 1 of 99_made_up does not print 1.51: the loss ends at 1.51",
                      "\n".join(pages.refresh(self.root)))

    def say(self, en: str, zh: str) -> list[str]:
        """The complaints when the pages say this, too."""
        for language, text in (("en", en), ("zh", zh)):
            self.write(f"docs/{language}/page.md", self.page(language).replace(
                "## Output\n", f"## Output\n\n{text}\n", 1))
        pages.mark_translated("page", self.root)
        return [wrong for wrong in pages.refresh(self.root, check=True)
                if not wrong.endswith("section alone")]

    def test_a_marked_number_is_printed_by_its_section(self):
        mark = "<!-- numbers: 99_made_up 1 -->"
        self.assertEqual(self.say(f"Another text: 9.99.\n\n- from 1.3\n  to 1.5 {mark}\n- 7.5",
                                  f"| 300 | 1.25 {mark} |\n| 1.75 | |"),
                         ["docs/zh/page.md: numbers: 99_made_up 1: 300 is not printed there"])

    def test_a_mark_of_no_section_or_no_number_is_named(self):
        self.assertEqual(self.say("A 1.25. <!-- numbers: 99_made_up 4 -->",
                                  "没有数。<!-- numbers: 99_made_up 1 -->"),
                         ["docs/en/page.md: numbers: 99_made_up 4: there is no such section",
                          "docs/zh/page.md: numbers: 99_made_up 1: nothing is marked; give a "
                          "number of the section"])

    def test_a_section_that_no_lesson_has_is_named(self):
        self.assertEqual(self.say("Sections 1 and 2; [chapter 99](page.md), section 2.\n\n"
                                  "| of a paper | Ba et al. 2016, section 5 |", "见第 1、2 节。"), [])
        self.assertEqual(self.say("In section 4, and section 2 of [chapter 98](page.md).",
                                  "见[第 99 章](page.md)程序第 7 节。"),
                         ["docs/en/page.md: 99_made_up has no section 4",
                          "docs/en/page.md: section 2 of chapter 98: there is no such lesson",
                          "docs/zh/page.md: 99_made_up has no section 7"])

    def test_the_exercises_are_those_of_the_manifest(self):
        pages_now = [self.page(language) for language in ("en", "zh")]
        self.assertIn("**99-01** [A box](../../chapters/99_made_up/exercises/01_box/README.md)",
                      pages_now[0])
        self.assertIn("[一个盒子](../../chapters/99_made_up/exercises/01_box/README.zh.md)",
                      pages_now[1])
        self.assertTrue(all("`./learn try 99-01`" in page for page in pages_now))
        self.edit("manifest.toml", "A box", "Two boxes")
        self.complaint("docs/en/page.md", "exercises 99 has drifted")
        self.mends("the translation stays in date")
        self.edit("docs/en/page.md", "<!-- exercises: 99 -->", "<!-- exercises: 98 -->")
        self.edit("docs/zh/page.md", "<!-- exercises: 99 -->", "<!-- exercises: 98 -->")
        pages.mark_translated("page", self.root)
        self.mends()
        self.assertIn("(None for this chapter yet.)\n<!-- /exercises -->", self.page("en"))

    def test_a_recorded_lesson_is_quoted_and_not_run(self):
        self.record()
        self.edit("bin/99_made_up", "1.25", "1.35")
        (self.root / "bin/99_made_up").rename(self.root / "bin/elsewhere")
        self.agrees()
        (self.root / "docs/pictures/box.svg").unlink()
        self.complaint("not drawn yet; ./learn docs --record 99_made_up draws it")

    def test_a_record_shows_what_the_program_printed(self):
        self.edit("bin/99_made_up", "1.25", "1.35")
        self.edit("bin/99_made_up", "1.00", "3.00")
        self.record()
        self.assertIn("    4    1.35", self.page("en"))
        self.assertIn("3.00", self.text("docs/pictures/box.svg"))
        self.assertEqual(recorded.text_of("99_made_up", self.root).count("Lesson\n"), 1)
        self.edit("docs/recorded/99_made_up.txt", "1.35", "1.85")
        self.complaint("output 99_made_up 1 | d    loss | 8    1 has drifted")

    def test_recording_runs_a_lesson_once_in_a_language(self):
        self.edit("bin/99_made_up", "#!/bin/sh\n", f"#!/bin/sh\necho ran >> {self.root}/runs\n")
        self.record()
        self.assertEqual((self.root / "runs").read_text(), "ran\nran\n")

    def test_a_record_is_kept_in_each_language(self):
        self.record()
        self.assertEqual([recorded.text_of("99_made_up", self.root, language).splitlines()[0]
                          for language in ("en", "zh")], ["Lesson", "课"])
        self.assertEqual(recorded.names(self.root), ["99_made_up"])
        self.edit("docs/recorded/99_made_up.zh.txt", "损失", "代价")
        self.complaint("docs/zh/page.md:18: output 99_made_up 1 | 维数 | 8    1 has drifted")

    def test_other_words_in_chinese_leave_the_english_record_in_date(self):
        self.record()
        self.write("chapters/99_made_up/zh.po", 'msgid "loss"\nmsgstr "损失"\n')
        complaints = pages.refresh(self.root, check=True)
        self.assertEqual(len(complaints), 1)
        self.assertIn("docs/recorded/99_made_up.zh.txt: chapters/99_made_up", complaints[0])
        before = (self.root / "docs/recorded/99_made_up.txt").read_bytes()
        self.edit("bin/99_made_up", "1.25", "1.35")
        self.record()
        self.assertEqual((self.root / "docs/recorded/99_made_up.txt").read_bytes(), before)
        self.assertIn("1.35", self.page("zh"))

    def test_a_record_of_another_lesson_source_is_stale(self):
        source = "chapters/99_made_up/experiments/lesson.cpp"
        (self.root / source).parent.mkdir()
        (self.root / "chapters/99_made_up/lesson.cpp").rename(self.root / source)
        self.record()
        self.edit(source, "// prints", '#include "moved.hpp"\n// prints')
        self.agrees()
        self.edit(source, "prints", "prints more")
        self.complaint("docs/recorded/99_made_up.txt", "./learn docs --record 99_made_up")
        self.record()
        self.agrees()

    def draw(self) -> None:
        """A drawing that no program makes, shown by both pages, with one word in Chinese."""
        self.write("docs/pictures/drawn.svg", '<svg><text x="1">a &lt;box&gt;</text></svg>\n')
        self.write("docs/pictures/zh.po", 'msgid "a <box>"\nmsgstr "盒子 <box>"\n')
        for language, name in (("en", "drawn.svg"), ("zh", "drawn.zh.svg")):
            self.edit(f"docs/{language}/page.md", "## Output",
                      f"![a box](../pictures/{name})\n\n## Output")
        pages.mark_translated("page", self.root)

    def test_a_drawing_is_shown_with_chinese_words(self):
        self.draw()
        self.complaint("docs/pictures/drawn.zh.svg has drifted")
        self.mends()
        self.assertEqual(self.text("docs/pictures/drawn.zh.svg"),
                         '<svg><text x="1">盒子 &lt;box&gt;</text></svg>\n')
        self.agrees()
        self.edit("docs/pictures/drawn.svg", 'x="1"', 'x="2"')
        self.complaint("docs/pictures/drawn.zh.svg has drifted")

    def test_a_word_of_a_drawing_without_an_entry_or_an_entry_without_a_word_is_named(self):
        self.draw()
        self.edit("docs/pictures/drawn.svg", "a &lt;box&gt;", "two boxes")
        self.complaint("docs/pictures/zh.po lacks 'two boxes'",
                       "docs/pictures/zh.po: no picture says 'a <box>' any more")
        (self.root / "docs/pictures/drawn.svg").unlink()
        self.complaint("docs/pictures/drawn.zh.svg: there is no drawn.svg")

    def test_a_program_that_fails_is_named(self):
        self.write("bin/99_made_up", "#!/bin/sh\nexit 3\n")
        self.complaint("99_made_up failed")

    def test_a_missing_program_section_line_or_name_is_named(self):
        limits, two = "| d    loss | 8    1", "lines of the section"
        for old, new, words in (("99_made_up 1 |", "99_made_up 3 |", ":18: output: 99_made_up has"),
                                (limits, "| d    loss | 9",
                                 f":18: output: 99_made_up 1: '9' is in 0 {two}"),
                                (limits, "| s | 8", f"'s' is in 3 {two}"),
                                (limits, "| d    loss | 5", f"'5' is in 2 {two}"),
                                (limits, "| d    loss | +9", "no line +9 after 'd    loss'"),
                                ("#twice", "#thrice", ":3: snippet code.hpp#thrice: nothing is "
                                                      "called thrice"),
                                ("code.hpp", "none.hpp", "there is no file none.hpp"),
                                ("<!-- /output -->", "", "a block is not closed")):
            with self.subTest(new):
                self.edit("docs/en/page.md", old, new)
                self.complaint("docs/en/page.md", words)
                self.edit("docs/en/page.md", new, old) if new else None

    def test_lessons_that_are_not_built_are_named_in_one_line(self):
        self.edit("docs/en/page.md", "99_made_up 1 |", "98_none 1 |")
        self.edit("docs/zh/page.md", "99_made_up 1 |", "98_none 1 |")
        found = [line for line in pages.refresh(self.root, check=True) if "98_none" in line]
        self.assertEqual(found, ["not built: 98_none; ./learn builds them"])

    def test_a_page_in_one_language_only_is_named(self):
        self.write("docs/zh/more.md", "# 更多\n")
        self.complaint("docs/zh/more.md: there is no en/more.md")

    def test_other_headings_or_blocks_are_named(self):
        self.edit("docs/zh/page.md", "## Output", "### Output")
        self.complaint("the headings are not those of en/page.md: [1, 3] and [1, 2]")
        self.edit("docs/zh/page.md", "code.hpp#twice", "code.hpp#Box")
        self.complaint("the blocks are not those of en/page.md")

    def test_a_link_to_no_heading_is_named(self):
        self.edit("docs/en/page.md", "# Page", "# Page (√2)\n\n[a](page.md#page-2) [b](#output)")
        pages.mark_translated("page", self.root)
        self.agrees()
        self.edit("docs/en/page.md", "#page-2", "#page-3")
        self.complaint("docs/en/page.md: page.md#page-3: no heading")

    def test_a_changed_english_page_makes_the_chinese_one_stale(self):
        self.edit("docs/en/page.md", "# Page", "# Page\n\nMore.")
        self.complaint("docs/zh/page.md", "./learn docs --translated page")
        self.assertNotEqual(pages.refresh(self.root), [], "rewriting must not hide it")
        pages.mark_translated("page", self.root)
        self.agrees()


class Parts(WithFolder):
    def code(self, name: str, more: str = "") -> str:
        (self.folder / "code.hpp").write_text(CODE + more, encoding="utf-8")
        return pages.snippet(f"code.hpp#{name}", self.folder)

    def test_a_snippet_is_the_whole_definition_with_its_comment(self):
        self.assertEqual(self.code("twice").count("\n"), 10)
        self.assertEqual(self.code("long_one"), "```cpp\nfloat long_one(float first,\n"
                                                "               float second);\n```\n")
        self.assertEqual(self.code("next_one"),
                         "```cpp\nfloat next_one(float x) { return twice(x); }\n```\n")
        self.assertTrue(self.code("Box").endswith("value / 2; }\n};\n```\n"))

    def test_a_name_of_several_functions_says_which_is_meant(self):
        more = "float twice(int x) {\n  return x;\n}\n"
        with self.assertRaisesRegex(terminal.Stop, "2 things are called twice"):
            self.code("twice", more)
        self.assertEqual(self.code("twice(int", more), f"```cpp\n{more}```\n")
        self.assertIn("return 2 * x;", self.code("twice(float", more))

    def test_a_member_is_shown_without_its_indentation(self):
        self.assertEqual(self.code("Box.twice_it"),
                         "```cpp\n// Its double.\nfloat twice_it() const {\n"
                         "  return twice(value);\n}\n```\n")
        self.assertEqual(self.code("Box.half"),
                         "```cpp\nfloat half() const { return value / 2; }\n```\n")

    def test_a_limit_may_hold_a_bar(self):
        wanted = pages.Wanted.parse(r"99_made_up --d-model 16 1 | a \| b | 8")
        self.assertEqual((wanted.command, wanted.section, wanted.first),
                         ("99_made_up --d-model 16", 1, "a | b"))

    def test_a_limit_may_count_lines(self):
        wanted = pages.Wanted.parse("99_made_up 1 | 4  | +1")
        self.assertEqual(pages.part_of("1. What?\n---\n  4  a\n  8  b\n  9  c\n", wanted),
                         "`./learn chapter 99 --section 1`:\n\n"
                         "```text\n  4  a\n  8  b\n```\n")


    def test_a_number_is_printed_with_as_many_digits_or_as_a_share(self):
        for number, text, printed in (
                ("0.40", "0.3984", True), ("0.40", "0.41", False), ("0.178", "1.8e-01", True),
                ("0.178", "0.2", False), ("3.7e-07", "0.0e+00", False),
                ("1.0e-03", "0.00098", True), ("0.0e+00", "0.04", False), ("1.3", "1.25", True),
                ("99.7%", "997 of 1000", True), ("99.7%", "996 of 1000", False),
                ("99.7%", "0.9968", True), ("50.2 %", "50.3 %", False), ("1.5", "1.5.2", False)):
            with self.subTest(f"{number} / {text}"):
                self.assertEqual(page_numbers.printed_in(number, text), printed)

    def test_code_formulas_and_links_hold_no_numbers(self):
        text = "a `1.5` $`2.5`$ [b](3.5.md) 4.5 <!-- 5.5 --> 12 120"
        own = page_numbers.NOT_TEXT.sub(" ", text)
        self.assertEqual((page_numbers.precise(own), page_numbers.large(own)), (["4.5"], ["120"]))

    def test_an_exception_is_one(self):
        for lesson, section in page_numbers.NOT_SHOWN:
            if (printed := recorded.text_of(lesson, ROOT)) is None:
                continue
            with self.subTest(lesson):
                with mock.patch.object(page_numbers, "NOT_SHOWN", ()):
                    wrong = page_numbers.wrong_findings(pages.findings(lesson), lesson, printed)
                    self.assertIn(f"section {section} of {lesson} ", "\n".join(wrong))


class Figures(WithFolder):
    """Figures of prose against the logs, pictures and pages that they come from."""

    def setUp(self):
        self.root = self.folder
        (self.root / "log.txt").write_text("speed 8509.4, share 0.771, loss 1.4254; 1200 words\n")
        (self.root / "time.csv").write_text("size,seconds\n64,0.2631\n128,0.4692\n")

    def unfound(self, body: str, top: str = "") -> list[str]:
        text = f"# Page\n\n{top}\n\n## Part\n\n{body}\n"
        return [f"{line}: {wrong.split(' stands')[0]}" for line, wrong in
                page_sources.unfound(text, self.root / "page.md", self.root)]

    def test_a_figure_stands_in_a_log_of_its_section(self):
        log = "([log](log.txt))"
        self.assertEqual(self.unfound(f"8,509 a second, 77.1%, 1.43, of 1,200 {log}; in 2017."), [])
        self.assertEqual(self.unfound(f"First.\n\n8,510, 77.2%\nand 1.44 {log}"),
                         ["9: 8,510", "9: 77.2%", "10: 1.44"])
        self.assertEqual(self.unfound("1.4254"), ["7: 1.4254"], "no source")
        self.assertEqual(self.unfound("1.4254", "<!-- from: log.txt -->"), [])
        self.assertEqual(self.unfound("Of [them](https://example.org): 41.02"), [], "quoted")

    def test_a_source_may_be_in_other_units_and_a_figure_worked_out(self):
        times = "<!-- from: time.csv * 1000 -->"
        self.assertEqual(self.unfound(f"{times}\n\n| 64 | 263 ms | 469 ms | 1.78 |"), [])
        self.assertEqual(self.unfound(f"{times}\n\n| 64 | 263 ms | 469 ms | 1.88 |"), ["9: 1.88"])
        self.assertEqual(self.unfound(f"{times}\n<!-- so: 1.78 = 469.2 / 263.1 -->\n1.78"), [])
        for wrong, why in (("1.79 = 469.2 / 263.1", "it is 1.783"), ("1.78 = 469", "it is 469"),
                           ("1.78 = 471 / 264", "is nowhere to be found"), ("fast = 1", "give")):
            self.assertIn(why, self.unfound(f"{times}\n<!-- so: {wrong} -->")[0])

    def test_both_languages_have_the_same_figures(self):
        en = "# A\n\n1.5, 20 million, 2,048, the 500th\n\n## B\n\n7.5\n"
        zh = "# 甲\n\n2048、2000 万、1.5、第 500 个\n\n## 乙\n\n7.5\n"
        self.assertEqual(list(page_sources.unlike(en, zh)), [])
        self.assertEqual(list(page_sources.unlike(en, zh.replace("7.5", "7.6"))),
                         [(5, "7.5 is in the en section alone"),
                          (5, "7.6 is in the zh section alone")])

    def test_an_alternative_text_says_what_the_picture_has(self):
        (self.root / "a.svg").write_text("<svg><text>0.28</text></svg>")
        text = "\n![falls from 0.28 to 0.03](a.svg)\n"
        self.assertEqual([line for line, _ in page_sources.wrong_pictures(
            text, self.root / "page.md", "4  0.281\n1024  0.031")], [])
        self.assertEqual(list(page_sources.wrong_pictures(text, self.root / "page.md", "")),
                         [(2, "0.03 of the alternative text is not in a.svg")])

    def test_a_sentence_about_a_map_says_its_brightest_cells(self):
        mark = "<!-- brightest: docs/pictures/attention.svg 1 0 -->"
        self.assertEqual(list(heat_map.wrong(
            f"after 他们 at *Sunday* and writes 上周日, after 在 at `<eos>` {mark}", ROOT)), [])
        for said, wrong in (("after 北京 at *in*", "after 北京 it looks at watched, not at in"),
                            ("after 了 at *match* and writes 看", "it writes 比赛, not 看"),
                            ("at *match*", "of 0 words"), ("nothing", "of 0 words")):
            self.assertIn(wrong, "\n".join(heat_map.wrong(f"{said} {mark}", ROOT)))

    def test_an_exception_is_one(self):
        exceptions = page_sources.unlogged()
        with mock.patch.object(page_sources, "unlogged", dict):
            missed = {path: "\n".join(wrong for _, wrong in page_sources.unfound(
                read(path), ROOT / path, ROOT))
                for path, _ in exceptions}
        for (path, title), listed in exceptions.items():
            for each in listed.split():
                self.assertIn(f"{each} stands in nothing", missed[path], f"{path}, {title}")


class Readme(unittest.TestCase):
    """The first page: short, with a moving picture that is what its words say."""

    FILMS = [ROOT / f"docs/pictures/live{suffix}.png" for suffix in ("", ".zh")]

    def text(self, suffix: str = "") -> str:
        return read(f"README{suffix}.md")

    def test_it_has_at_most_900_words(self):
        self.assertLessEqual(len(self.text().split()), 900)
        chinese = re.sub(r"([\u4e00-\u9fff])", r" \1 ", self.text(".zh"))
        self.assertLessEqual(len(chinese.split()), 1800)  # two characters are about a word

    def test_the_film_is_small_and_takes_ten_seconds(self):
        records = []
        for path in self.FILMS:
            png = path.read_bytes()
            self.assertLessEqual(len(png), 1_500_000, path)
            self.assertTrue(8 <= film.seconds(png) <= 12, film.seconds(png))
            parts = film.chunks(png)
            size = struct.unpack(">II", parts["IHDR"][:8])
            for data in (data for kind, data in film.every_chunk(png) if kind == "fcTL"):
                width, height, left, top = struct.unpack(">IIII", data[4:20])
                self.assertLessEqual((left + width, top + height), size)
            self.assertEqual(film.still(png)[:8], png[:8])
            self.assertEqual(list(film.chunks(film.still(png))), ["IHDR", "IDAT", "IEND"])
            records.append(film.record_of(png))
        self.assertEqual(records[0], records[1])
        self.assertNotEqual(records[0]["written"], records[0]["without"])

    def test_what_is_said_of_the_film_is_what_it_shows(self):
        for suffix in ("", ".zh"):
            said = [part for part in page_numbers.paragraphs(self.text(suffix))
                    if film.MARK.search(part)]
            self.assertEqual(len(said), 1)
            self.assertEqual(list(film.wrong(said[0], ROOT)), [])
            for right, wrong in (("585", "586"), ("concert", "table"), ("有趣的", "有趣")):
                self.assertTrue(list(film.wrong(said[0].replace(right, wrong), ROOT)), wrong)

    def test_the_verdict_that_it_quotes_is_one(self):
        mistakes = read("chapters/02_attention/exercises/01_attention/mistakes.md")
        for suffix, verdict in (("", r'names your mistake: "(.*?)"'), (".zh", r"例如“(.*?)”")):
            said = re.search(verdict, self.text(suffix))[1]
            self.assertIn(f"- {'zh' if suffix else 'en'}: {said}\n", mistakes)

    def test_a_film_is_the_moments_one_after_the_other(self):
        def png(width: int, height: int, grey: int) -> bytes:
            head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
            rows = zlib.compress((b"\0" + bytes([grey]) * width) * height)
            return film.SIGNATURE + b"".join(film.chunk(kind, data) for kind, data in (
                ("IHDR", head), ("IDAT", rows), ("IEND", b"")))
        joined = film.joined([film.Moment(0, 0, png(4, 3, 9), 700),
                              film.Moment(1, 2, png(2, 1, 5), 300)], {"a": "词"})
        self.assertEqual([kind for kind, _ in film.every_chunk(joined)],
                         ["IHDR", "acTL", "iTXt", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"])
        self.assertEqual(film.seconds(joined), 1.0)
        self.assertEqual(film.record_of(joined), {"a": "词"})
        numbers = [struct.unpack(">I", data[:4])[0] for kind, data in film.every_chunk(joined)
                   if kind in ("fcTL", "fdAT")]
        self.assertEqual(numbers, [0, 1, 2])


class Whole(WithFolder):
    """The drawing of the whole model."""

    def parts(self, svg: str) -> set[str]:
        return set(re.findall(r'data-part="(\w+)"', svg))

    def test_what_a_chapter_lights_is_in_its_drawing_and_all_is_lit_somewhere(self):
        drawn = whole.files(ROOT)
        for chapter, lit in whole.LIT.items():
            self.assertLessEqual(set(lit), self.parts(drawn[f"whole_{chapter}"]), chapter)
        everything = {part for lit in whole.LIT.values() for part in lit}
        self.assertLessEqual(self.parts(drawn["whole"]), everything)

    def test_each_box_has_a_chapter_and_each_page_begins_with_its_own(self):
        for chapter in set(re.findall(r'data-chapter="(\d)"', whole.svg(ROOT))):
            self.assertEqual(len(list((ROOT / "docs/en").glob(f"0{chapter}_*.md"))), 1)
        for language, suffix in (("en", ""), ("zh", ".zh")):
            folder = ROOT / "docs" / language
            for page in [*folder.glob("0?_*.md"), *folder.glob("1[01]_*.md")]:
                first = re.search(r"^(!\[.*\]\((.*)\)|## .*)$", read(page), re.M)
                name = {"00_foundations": "whole", "10_speed": "whole", "11_gpu": "whole"}.get(
                    page.stem, f"whole_{page.name[1]}")
                self.assertEqual(first[2], f"../pictures/{name}{suffix}.svg", page)

    def test_its_sentence_is_the_lesson_s(self):
        source, target = whole.sentence(ROOT)
        svg = whole.svg(ROOT)
        for word in source + target:
            self.assertIn(word, svg)

    def test_a_drawing_that_drifted_is_named(self):
        for name in (whole.RECORD, "docs/pictures/whole.svg"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes((ROOT / name).read_bytes())
        self.assertEqual(drawings.draw(self.folder, check=False), [])
        self.assertEqual(drawings.draw(self.folder, check=True), [])
        (self.folder / "docs/pictures/whole.svg").write_text("another", encoding="utf-8")
        self.assertEqual(len(drawings.draw(self.folder, check=True)), 1)


class Real(unittest.TestCase):
    def test_the_pages_have_not_drifted(self):
        folder = Path(os.environ.get("XF_BIN") or terminal.BIN)
        if not (folder / "01_embedding").exists():
            self.skipTest(f"no programs in {folder}")
        complaints = pages.refresh(ROOT, check=True)
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))

    def test_a_chapter_says_what_it_asks_and_gives_and_ends_in_what_it_found(self):
        words = {"en": ("**You need** ", "**Time:** ", "**Afterwards you can**\n\n- "),
                 "zh": ("**预备知识**：", "**时间**：", "**学完之后，你能够**\n\n- ")}
        for language, opening in words.items():
            for path in sorted((ROOT / "docs" / language).glob("0[0-9]_*.md")):
                text = read(path)
                top = text.split("\n## ")[1]  # The question
                for part in opening:
                    self.assertIn(part, top, path.name)
                if not path.name.startswith("00"):
                    self.assertIn(f"<!-- findings: {path.stem} -->", text)


class Prose(unittest.TestCase):
    """Sentences say who does what; colons and semicolons make a telegram of them."""

    # Colons and semicolons in 1,000 words of prose. Pages not named here: 18.
    LIMITS = {
        "00_foundations": 8, "01_embedding": 10, "03_layer_norm": 9, "04_feed_forward": 15,
        "05_encoder": 16, "06_decoder": 15, "07_transformer": 13, "08_transformer_xl": 13,
        "09_since_2017": 11, "10_speed": 7, "11_gpu": 9, "12_many_machines": 15, "conventions": 3,
        "engine": 8, "model_directory": 4, "seeds": 42, "teaching": 52, "using": 4, "walks": 1,
    }
    NO_PROSE = re.compile(r"<!-- (snippet|output|picture|findings|exercises|recorded)\b[^\n]*-->"
                          r".*?<!-- /\1 -->|^```.*?^```|<!--.*?-->|!\[[^\]]*\]\([^)]*\)"
                          r"|^\|[-:| ]+\|$", re.DOTALL | re.MULTILINE)  # and tables' rules
    ONE_WORD = re.compile(r"\$`.*?`\$|`[^`\n]*`|https?://\S+|(?<=\])\([^)]*\)", re.DOTALL)

    def density(self, text: str) -> float:
        prose = self.ONE_WORD.sub("w", self.NO_PROSE.sub("", text))
        return 1000 * (prose.count(":") + prose.count(";")) / max(1, len(prose.split()))

    def test_only_prose_counts(self):
        self.assertEqual(self.density("one two: three; four"), 500)
        self.assertEqual(self.density("<!-- output: a 1 -->\n```text\na: b;\n```\n"
                                      "<!-- /output -->\n`a: b` is $`a; b`$ ![a: b](c)\n"
                                      "|--:|:-:|\n"), 0)

    def test_no_page_gets_more_telegraphic(self):
        results = [path for path in (ROOT / "docs" / "results").glob("*.md")
                   if not path.name.endswith(".zh.md")]
        for path in sorted((ROOT / "docs" / "en").glob("*.md")) + results:
            self.assertLess(self.density(read(path)),
                            4 if path in results else self.LIMITS.get(path.stem, 18), path.name)


if __name__ == "__main__":
    unittest.main()
