#!/usr/bin/env python3
"""The slides and lab sheets of `./learn teach`: is everything of the pages on the slides, alike in
both languages, and every exercise of the plan in a lab? tests/site_test.py has reveal.js show the
slides."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.exercises import manifest  # noqa: E402
from tools.teaching import exam, lab, slides  # noqa: E402

PAGES = [week[0] for week in slides.WEEKS]
LANGUAGES = (("en", False), ("zh", True))


def slides_of(week: int, zh: bool) -> list[slides.Slide]:
    return slides.slides_of(slides.chosen(slides.WEEKS[week - 1][0], zh,
                                          *slides.WEEKS[week - 1][1:]), "title")


def page(name: str, language: str) -> str:
    text = (ROOT / "docs" / language / f"{name}.md").read_text(encoding="utf-8")
    for english, chinese in (("Exercises", "练习"), ("Where it comes from", "出处")):
        heading = english if language == "en" else chinese
        text = re.sub(rf"^## {heading}\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    return text


class Slides(unittest.TestCase):
    def test_each_formula_picture_code_and_table_is_on_one_slide(self):
        for language, zh in LANGUAGES:
            weeks = {name: "" for name in PAGES}
            for week, name in enumerate(PAGES, 1):
                weeks[name] += "\n".join(slide.shown for slide in slides_of(week, zh))
            for name, shown in weeks.items():
                text = page(name, language)
                for what, pattern in (("formula", r"^```math\n.*?^```$"),
                                      ("picture", r"^!\[.*$")):
                    for found in re.findall(pattern, text, re.M | re.S if what == "formula"
                                            else re.M):
                        self.assertEqual(1, shown.count(found), f"{language} {name}: {found[:80]}")
                code = re.findall(r"^```(?!math)\w+\n(.*?)^```$", text, re.M | re.S)
                parts = re.findall(r"^```\{code-block\} \w+\n\n(.*?)^```$", shown, re.M | re.S)
                self.assertEqual("".join(code), "".join(parts), (language, name))
                self.assertLessEqual(max(part.count("\n") for part in parts), slides.MOST_LINES)
                self.assertEqual(len(re.findall(r"(?<!\|\n)^\|.*\n\|[ :|-]+\|$", text, re.M)),
                                 len(re.findall(r"^\|[ :|-]+\|$", shown, re.M)), (language, name))

    def test_both_languages_have_the_same_slides(self):
        for week in range(1, len(PAGES) + 1):
            counts = [[(slide.level, slide.shown.count("![")) for slide in slides_of(week, zh)]
                      for _language, zh in LANGUAGES]
            self.assertEqual(*counts, week)

    def test_the_weeks_are_those_of_the_plan(self):
        plan = page("teaching", "en")
        rows = re.findall(r"^\| (\d+) \| (.*?) \|", plan, re.M)[:10]
        self.assertEqual([str(week) for week in range(1, 11)], [number for number, _ in rows])
        for (_number, read), name in zip(rows, PAGES):
            self.assertTrue(name in read or name == PAGES[-1] and "chapter 8" in read, read)

    def test_no_slide_is_empty_or_links_to_a_page(self):
        for week in range(1, len(PAGES) + 1):
            for _language, zh in LANGUAGES:
                for slide in slides_of(week, zh):
                    self.assertTrue(slide.shown.strip() and slide.heading, (week, slide))
                    self.assertNotRegex(slide.shown, r"(?<!!)\[[^\]]+\]\((?!\d)[^)]*\.md")

    def test_sentences_are_not_cut_within_code_or_a_formula(self):
        self.assertEqual(["See `a. B`, e.g. this.", "And $`x. Y`$."],
                         slides.sentences("See `a. B`, e.g. this. And $`x. Y`$."))
        self.assertEqual(["第一句。", "第二句：`a。b`。"], slides.sentences("第一句。第二句：`a。b`。"))


class Goals(unittest.TestCase):
    """The table on the page of teaching: each goal of a chapter, and what examines it."""

    @staticmethod
    def rows(language: str) -> dict[str, list[str]]:
        table = page("teaching", language).partition("<!-- goals -->")[2].partition("<!--")[0]
        found = re.findall(r"^\| (\d+) \| (.*) \|$", table, re.M)
        return {f"{int(chapter):02}": re.split(r"[;；] ?", goals) for chapter, goals in found}

    def test_every_goal_of_a_chapter_is_there(self):
        for language, zh in LANGUAGES:
            rows = self.rows(language)
            for path in sorted((ROOT / "docs" / language).glob("0[0-8]_*.md")):
                text = path.read_text(encoding="utf-8").partition(lab.GOALS[zh])[2]
                count = len(re.findall(r"^- ", text.split("\n\n")[1], re.M))
                self.assertEqual([str(i) for i in range(1, count + 1)],
                                 [re.match(r"\d+", goal)[0] for goal in rows[path.name[:2]]],
                                 path)

    def test_what_examines_a_goal_exists_and_both_languages_name_the_same(self):
        ids = {one.id for one in manifest.manifest()} | {one.id[0] for one in manifest.milestones()}
        pool = {question.name for question in exam.pool(False)}
        asked = page("teaching", "en").partition("## With pen and paper")[2].partition("\n## ")[0]
        chapters = re.split(r"^\*\*(\d) .*\*\*$", asked, flags=re.M)
        pen = {number + letter for number, text in zip(chapters[1::2], chapters[2::2])
               for letter in re.findall(r"^- \((\w)\)", text, re.M)}
        known = ids | pen | {f"*{name}*" for name in pool} | {"quiz"}
        named = {}
        for language, _zh in LANGUAGES:
            named[language] = [re.split(r", |、", re.sub(r"^\d+[:：] ?", "", goal))
                               for goals in self.rows(language).values() for goal in goals]
        self.assertEqual(set(), {each for goal in named["en"] for each in goal} - known)
        self.assertEqual(named["en"], [[each.replace("小测验", "quiz") for each in goal]
                                       for goal in named["zh"]])

    def test_a_question_with_pen_and_paper_has_an_answer(self):
        for language, heading in (("en", "With pen and paper"), ("zh", "纸笔题")):
            asked = page("teaching", language).partition(f"## {heading}")[2].partition("\n## ")[0]
            for question in re.split(r"^- ", asked, flags=re.M)[1:]:
                self.assertRegex(question.partition("\n\n")[0].rstrip(), r"\]$", question)


class Labs(unittest.TestCase):
    def test_lab_and_home_hold_the_weeks_exercises(self):
        for language, zh in LANGUAGES:
            plan = re.findall(r"^\| \d+ \| (?:.*?\| ){2}(.*?) \| [\d½]+ \|$",
                              page("teaching", language), re.M)
            self.assertEqual([sorted(lab.ID.findall(row)) for row in plan],
                             [sorted(row.exercises) for row in lab.rows(zh)], language)
        self.assertEqual({exercise.id for exercise in manifest.manifest()},
                         {name for row in lab.rows(False) for name in row.exercises})

    def test_what_may_be_left_out_is_a_part_of_the_page(self):
        for language, zh in LANGUAGES:
            for (name, *_), row in zip(slides.WEEKS, lab.rows(zh)):
                parts = re.findall(r"^##+ (.*)$", page(name, language), re.M)
                for part in re.split(r"[;；] ?", row.leave_out):
                    self.assertIn(part, parts, name)

    def test_each_lab_takes_ninety_minutes(self):
        for language, zh in LANGUAGES:
            for row in lab.rows(zh):
                minutes = re.findall(r"(?:^|[;；] ?)(\d+)", row.lab)
                self.assertEqual(90, sum(map(int, minutes)), row.lab)

    def test_a_week_has_goals_in_both_languages(self):
        for week in range(1, 11):
            english, chinese = lab.goals(week, False), lab.goals(week, True)
            self.assertEqual(len(english), len(chinese), week)
            self.assertGreaterEqual(len(english), 3, week)
        self.assertEqual(set(), set(lab.goals(9, False)) & set(lab.goals(10, False)))

    def test_a_question_on_paper_is_printed_with_its_answer(self):
        for _language, zh in LANGUAGES:
            questions = {week: lab.on_paper(row, zh) for week, row in enumerate(lab.rows(zh), 1)}
            self.assertEqual({2: "1a", 3: "2a", 9: "8b"},
                             {week: found[0][:2] for week, found in questions.items() if found})
            for question in (found[0] for found in questions.values() if found):
                self.assertRegex(question, r"\[.+\]$")
                self.assertNotIn("(b)", question)

    def test_a_sheet_names_each_exercise_and_its_mistakes(self):
        run = subprocess.run([str(ROOT / "learn"), "teach", "lab", "3", "--en"], text=True,
                             capture_output=True, check=True)
        for exercise in manifest.manifest():
            if exercise.chapter == 2:
                self.assertIn(f"{exercise.id}  {exercise.points} points: {exercise.title}",
                              run.stdout)
                for mistake in exercise.mistakes:
                    self.assertIn(mistake.en.split()[0], run.stdout)
        run = subprocess.run([str(ROOT / "learn"), "teach", "lab", "11"], text=True,
                             capture_output=True, check=False)
        self.assertEqual((2, ""), (run.returncode, run.stdout))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
