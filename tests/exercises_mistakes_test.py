#!/usr/bin/env python3
"""The list of known mistakes: what it says, and what it says wrongly."""

from __future__ import annotations

import dataclasses
import re
import shutil
import unittest

from support.checkout import ROOT, WithFolder, read
from tools.exercises import manifest, mistakes as mistakes_file, verify
from tools.exercises.build import Kit
from tools.exercises.mistakes import Fault

SOLUTION = """\
#include "exercise.hpp"

int twice(int x) {
  const int y = 2 * x;
  return y;
}

int thrice(int x) {
  const int y = 3 * x;
  return y;
}
"""

TEXTS = "- en: added\n- zh: 加上了\n"
HALVED = "## halved\n" + TEXTS + """\
```diff
-  const int y = 2 * x;
+  const int y = x / 2;
```
"""


def diff(name: str, *lines: str, texts: str = TEXTS) -> str:
    return f"## {name}\n{texts}```diff\n" + "".join(f"{line}\n" for line in lines) + "```\n"


class Lists(WithFolder):
    def setUp(self):
        self.list, self.solution = self.folder / "mistakes.md", self.folder / "s.cpp"
        self.solution.write_text(SOLUTION)

    def listed(self, text: str) -> tuple[list, list[str]]:
        self.list.write_text(text, encoding="utf-8")
        return mistakes_file.read(self.list)

    def source(self, text: str) -> str:
        mistakes, faults = self.listed(text)
        self.assertEqual(([], 1), (faults, len(mistakes)))
        return mistakes[0].source(self.solution)

    def fault(self, text: str) -> str:
        """What is wrong with the last mistake of the list; the number of its line comes first."""
        mistakes, faults = self.listed(text)
        if not faults:
            with self.assertRaises(Fault) as caught:
                mistakes[-1].lines(self.solution)
            faults = [mistakes[-1].told(caught.exception)]
        self.assertEqual(1, len(faults), faults)
        place, _, said = faults[0].partition("mistakes.md:")
        self.assertTrue(self.list.samefile(ROOT / (place + "mistakes.md")))
        return said

    def test_a_diff_replaces_what_stands_in_the_solution_once(self):
        self.assertEqual(SOLUTION.replace("2 * x", "x / 2"), self.source(HALVED))

    def test_lines_around_it_tell_equal_ones_apart(self):
        text = diff("too_large", "   const int y = 3 * x;", "-  return y;", "+  return y + 1;")
        head, tail = SOLUTION.rsplit("return y;", 1)
        self.assertEqual(f"{head}return y + 1;{tail}", self.source(text))

    def test_a_line_can_be_added_and_taken_away_alone(self):
        self.assertEqual(SOLUTION.replace("2 * x;\n", "2 * x;\n  ++x;\n"),
                         self.source(diff("one_more", "   const int y = 2 * x;", "+  ++x;")))
        self.assertEqual(SOLUTION.replace("  const int y = 2 * x;\n", ""),
                         self.source(diff("gone", "-  const int y = 2 * x;")))

    def test_an_empty_line_belongs_to_both_sides(self):
        text = diff("apart", " }", "", "-int thrice(int x) {", "+int thrice(int y) {")
        self.assertEqual(SOLUTION.replace("thrice(int x)", "thrice(int y)"), self.source(text))

    def test_a_function_takes_the_place_of_the_one_that_begins_alike(self):
        text = f"## whole\n{TEXTS}```cpp\nint twice(int x) {{\n  return x + x;\n}}\n```\n"
        self.assertEqual(SOLUTION.replace("  const int y = 2 * x;\n  return y;", "  return x + x;"),
                         self.source(text))

    def test_two_blocks_are_two_changes_in_any_order(self):
        text = (diff("both", "-  const int y = 3 * x;", "+  const int y = 4 * x;")
                + "```diff\n-  const int y = 2 * x;\n+  const int y = 3 * x;\n```\n")
        self.assertEqual(SOLUTION.replace("3 * x", "4 * x").replace("2 * x", "3 * x"),
                         self.source(text))

    def test_a_text_goes_on_below_and_its_backticks_are_for_the_page_only(self):
        texts = "- en: read at `<bos>`,\n  and once more\n- zh: 读了 `<bos>`\n"
        mistakes, _ = self.listed("# A title\n\n" + HALVED.replace(TEXTS, texts))
        self.assertEqual(("read at <bos>, and once more", "读了 <bos>"),
                         (mistakes[0].said(False), mistakes[0].said(True)))
        self.assertTrue(mistakes[0].place.endswith("mistakes.md:3: halved"))

    def test_a_name_stands_once(self):
        again = diff("halved", "-  const int y = 3 * x;")
        self.assertEqual("8: halved: this name stands at line 1 already",
                         self.fault(HALVED + again))
        self.assertIn("1: two words: a name is", self.fault(diff("two words", "-int")))

    def test_a_text_is_missing_or_stands_twice(self):
        for texts, said in (("- en: added\n", "1: x: `- zh:` has to say what is wrong"),
                            ("- zh: 加上了\n", "1: x: `- en:` has to say what is wrong"),
                            ("- en:\n- zh: 加上了\n", "1: x: `- en:` has to say what is wrong"),
                            (TEXTS + "- en: b\n", "4: x: a second line `- en:`")):
            self.assertEqual(said, self.fault(diff("x", "-  const int y = 2 * x;", texts=texts)))

    def test_what_is_replaced_is_not_there(self):
        self.assertEqual("5: x: what it replaces is not in the solution: const int y = 5 * x;",
                         self.fault(diff("x", "-  const int y = 5 * x;", "+  const int y = x;")))
        self.assertEqual("5: x: what it replaces is not in the solution: not in this order",
                         self.fault(diff("x", "-  return y;", "-  const int y = 2 * x;")))
        self.assertEqual("5: x: what it replaces is not in the solution: int f() {",
                         self.fault(f"## x\n{TEXTS}```cpp\nint f() {{\n}}\n```\n"))

    def test_what_is_replaced_is_there_twice(self):
        self.assertEqual("5: x: what it replaces is in the solution 2 times, at lines 5, 10: "
                         "add a line around it", self.fault(diff("x", "-  return y;")))

    def test_a_block_that_changes_nothing(self):
        whole = "int twice(int x) {\n  const int y = 2 * x;\n  return y;\n}\n"
        for text in (diff("x", "   return y;"), diff("x", "-  return y;", "+  return y;"),
                     f"## x\n{TEXTS}```cpp\n{whole}```\n"):
            self.assertEqual("5: x: this block changes nothing", self.fault(text))

    def test_a_block_that_cannot_be_placed(self):
        more = "```diff\n-  const int y = 2 * x;\n-  return y;\n```\n"
        for text, said in ((diff("x", "+  ++x;"), "5: x: what is replaced?"),
                           (diff("x", "return y;"), "5: x: a line of a diff begins with"),
                           (HALVED + more, "9: halved: two blocks change the same line"),
                           (f"## x\n{TEXTS}```cpp\nreturn y;\n```\n", "5: x: expected a function"),
                           (f"## x\n{TEXTS}```c\nint y;\n```\n", "4: x: neither `- en:`"),
                           (f"## x\n{TEXTS}```diff\n-int y;\n", "4: x: this block has no end"),
                           (f"## x\n{TEXTS}", "1: x: a block ```diff or ```cpp is missing")):
            self.assertIn(said, self.fault(text))

    def test_one_fault_hides_no_other_mistake(self):
        mistakes, faults = self.listed(diff("x") + HALVED + diff("y", "no"))
        self.assertEqual((["halved"], 2), ([mistake.name for mistake in mistakes], len(faults)))


class Verified(WithFolder):
    """The first exercise, with a list of its own."""

    def setUp(self):
        self.exercise = manifest.manifest()[0]
        place = shutil.copytree(self.exercise.path, self.folder / "exercise")
        self.copy = dataclasses.replace(self.exercise, folder=str(place))

    def write(self, *mistakes: str) -> list:
        self.copy.mistakes_file.write_text("\n".join(mistakes), encoding="utf-8")
        return self.copy.mistakes

    def test_faults_are_told_without_a_compiler(self):
        self.write(diff("absent", "-int nobody;"), diff("mute", "-int a;", texts="- en: a\n"))
        found = verify.misread(self.copy)
        self.assertEqual(2, len(found))
        self.assertIn("mistakes.md:8: mute: `- zh:` has to say", found[0])
        self.assertIn("mistakes.md:5: absent: what it replaces is not in the solution: int nobody;",
                      found[1])
        self.write("# nothing yet\n")
        self.assertIn("0 mistakes, at least 2", verify.misread(self.copy)[0])
        self.copy.mistakes_file.write_bytes(b"# a list\n\xff\n")
        self.assertRegex(verify.misread(self.copy)[0], r"mistakes\.md:2: not UTF-8: ")
        self.assertEqual([], self.copy.mistakes)

    def test_the_lists_of_the_exercises_have_no_fault(self):
        for exercise in manifest.manifest():
            self.assertEqual([], verify.misread(exercise))

    def test_the_mistake_that_contributing_shows_is_one_of_these(self):
        there = manifest.find("02-01", manifest.manifest()).mistakes_file
        for page in ("CONTRIBUTING.md", "CONTRIBUTING.zh.md"):
            shown = re.findall(r"(?s)````md\n(.*?)````", read(page))
            self.assertEqual(1, len(shown), page)
            self.assertIn(shown[0], read(there), page)

    def test_the_compiler_complains_of_the_line_in_the_list(self):
        include = ' #include "exercise.hpp"'
        mistake = self.write("# Known mistakes\n", diff("a", include, "+#include <vector>"),
                             diff("typo", include, "+static int nothing = undeclared;"))[1]
        kit = Kit()
        outcome = kit.run_mistake(self.copy, mistake)
        self.assertEqual("compile", outcome.error)
        self.assertIn("mistakes.md:16:22: error: 'undeclared' was not declared", outcome.log)
        kit.expanded(self.copy, mistake).unlink()

    def test_an_expanded_source_is_written_only_when_it_changed(self):
        kit, mistake = Kit(), self.exercise.mistakes[0]
        path = kit.expanded(self.exercise, mistake)
        self.assertTrue(path.is_relative_to(ROOT / "build" / "exercises"))
        self.assertEqual(mistake.source(self.exercise.solution), read(path))
        before = path.stat().st_mtime_ns
        self.assertEqual(before, kit.expanded(self.exercise, mistake).stat().st_mtime_ns)
        path.write_text("of another day")
        kit.expanded(self.exercise, mistake)
        self.assertEqual(mistake.source(self.exercise.solution), read(path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
