#!/usr/bin/env python3
"""One chapter, one number: its page, program, quiz, exercises, index and sidebar agree; and the
numbers of before, which are understood for one release."""

from __future__ import annotations

import contextlib
import io
import re
import unittest
from pathlib import Path
from unittest import mock

from support.checkout import LANGUAGES, ROOT, WithFolder, json_of, output_of, read
from tools import lessons
from tools.book.site_book import Book
from tools.exercises import commands, manifest, renumbered
from tools.grading import grade
from tools.teaching import exam, quiz
from tools.terminal import Stop

INDEX = {"en": "README.md", "zh": "README.zh.md"}


def page(language: str, name: str) -> str:
    return read(f"docs/{language}/{name}.md")


def pages(language: str) -> list[str]:
    return sorted(path.stem for path in (ROOT / "docs" / language).glob("*.md")
                  if re.match(r"\d\d_", path.stem))


class Agree(unittest.TestCase):
    def test_pages_programs_and_quizzes_have_the_same_names(self):
        self.assertEqual([f"{number:02}" for number in range(len(pages("en")))],
                         [name[:2] for name in pages("en")])
        for language, zh in LANGUAGES:
            self.assertEqual(pages(language), lessons.numbered())
            self.assertEqual(pages(language), [path.stem for path in quiz.pages(zh).values()])

    def test_the_index_the_titles_and_the_arrows_are_in_this_order(self):
        for language, index in INDEX.items():
            names = pages(language)
            text = read(index)
            listed = re.findall(rf"^\| \[(\d\d) .*?\]\(docs/{language}/(\d\d\w+)\.md\)", text, re.M)
            self.assertEqual([(name[:2], name) for name in names], listed)
            for name, before, after in zip(names, ["", *names], [*names[1:], ""]):
                lines = page(language, name).split("\n")
                self.assertRegex(lines[0], rf"^# {int(name[:2])} \S")
                arrows = next(line for line in lines if re.match(r"\[.*README", line))
                self.assertEqual([before] if before else [],
                                 re.findall(r"\[← [^]]*\]\((\w+)\.md\)", arrows), name)
                self.assertEqual([after] if after else [],
                                 re.findall(r"→\]\((\d\d_\w+)\.md\)", arrows), name)
                for link, number in re.findall(r"\[(?:← )?(\d+) [^]]*\]\((\d\d)_\w+\.md\)", arrows):
                    self.assertEqual(int(number), int(link), name)

    def test_the_sidebar_has_every_chapter_in_this_order(self):
        for language in INDEX:
            chapters = Book(language).contents().split("```")[1]
            self.assertEqual(pages(language), re.findall(r"^\d\d_\w+$", chapters, re.M))

    def test_an_exercise_has_the_number_of_its_chapter_and_its_page_lists_it(self):
        for exercise in manifest.manifest():
            room = Path(exercise.folder).parts[1]
            self.assertEqual(exercise.id[:2], room[:2], exercise.folder)
            self.assertEqual(f"docs/{{}}/{room}.md", exercise.section)
            self.assertIn(f"**{exercise.id}** [", page("en", room))
            for zh in (False, True):
                self.assertTrue(read(exercise.task(zh))
                                .startswith(f"# {exercise.id} "), exercise.task(zh))
            self.assertEqual({exercise.id}, set(re.findall(
                r'TODO\("([^":]*)', read(exercise.skeleton))
                or [exercise.id]))

    def test_a_programs_title_begins_with_its_number(self):
        for name in lessons.chapters():
            sources = [read(path)
                       for path in sorted((ROOT / "chapters" / name).rglob("*.[ch]pp"))
                       if "exercises" not in path.parts]
            said = {int(number) for text in sources
                    for number in re.findall(r'\bsay\("Lesson (\d+)\.', text)}
            self.assertEqual({int(name[:2])}, said, name)

    def test_the_exam_asks_of_chapters_that_there_are(self):
        there = {int(name[:2]) for name in pages("en")}
        self.assertLessEqual({question.chapter for question in exam.pool(False)}, there)


class Chapter(unittest.TestCase):
    """`./learn chapter N`, for every N."""

    def run_as(self, wanted: str, *arguments: str) -> tuple[str, list[str]]:
        with mock.patch.object(lessons.setup, "set_up") as set_up, \
                mock.patch.object(lessons.os, "chdir"), \
                mock.patch.object(lessons, "become") as become:
            lessons.run_chapter(wanted, list(arguments))
        program, given = become.call_args[0]
        self.assertEqual([program], set_up.call_args[0][1])
        return program, given

    def test_each_number_runs_a_program(self):
        for name in pages("en"):
            for wanted in (name, name[:2], str(int(name[:2])), name[3:]):
                program, given = self.run_as(wanted)
                shown = lessons.SHOWN.get(name, (name,))
                self.assertEqual((program, given), (shown[0], list(shown[1:])))

    def test_where_there_is_no_lesson_what_the_page_shows_runs(self):
        for name, (program, *given) in lessons.SHOWN.items():
            self.assertFalse((ROOT / "chapters" / name / "main.cpp").exists(), name)
            text = page("en", name)
            self.assertTrue(f"./learn {' '.join((program, *given))}" in text
                            or f"<!-- output: {' '.join((program, *given))} " in text, name)
        self.assertEqual(self.run_as("10", "--threads", "1")[1][-2:], ["--threads", "1"])

    def test_claims_are_of_lessons(self):
        with self.assertRaisesRegex(Stop, "this chapter has no lesson"):
            self.run_as("10", "--seeds", "3")


class Before(WithFolder):
    """The numbers that exercises had."""

    every = manifest.everything()
    titles = {exercise.id: exercise.title for exercise in every}

    def test_each_number_of_before_leads_to_one_of_today(self):
        self.assertEqual(len(set(renumbered.NOW.values())), len(renumbered.NOW))
        for before, now in renumbered.NOW.items():
            self.assertIn(now, self.titles)
            self.assertEqual(int(before[:2]) + 1, int(now[:2]))
            if before not in self.titles:
                self.assertEqual(now, manifest.find(before, self.every).id)
            else:  # it is another's today
                self.assertEqual(before, manifest.find(before, self.every).id)

    def said(self, typed: str, language: str) -> list[str]:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            commands.chosen([typed, language], "task")
        return said.getvalue().splitlines()

    def test_an_old_number_is_answered_with_the_new_one(self):
        self.assertEqual(["  note      exercise 09-01 has a new number: 10-01"],
                         self.said("9-1", "--en"))
        self.assertEqual(["  注意      练习 10-04 换了编号，现在是 11-04"], self.said("1004", "--zh"))
        self.assertEqual([], self.said("9-3", "--en"))

    def test_where_it_is_anothers_now_what_it_was_is_named(self):
        self.assertEqual("  note      numbers have changed: the former exercise 10-01 is now "
                         f"11-01, {self.titles['11-01']}", " ".join(self.said("10-1", "--en")))
        self.assertIn("原来的练习 11-02 现在是 12-02", self.said("11-2", "--zh")[0])

    def test_every_command_says_it(self):
        for command in ("task", "try", "watch", "hint", "solution", "reset"):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual("10-01", commands.chosen(["9-1", "--en"], command).id)
            self.assertIn("has a new number: 10-01", said.getvalue(), command)

    def test_progress_is_carried_over_once(self):
        kept = self.folder / "progress.json"
        kept.write_text("{}")
        json_of(kept, **{"02-01": {"tries": 1}, "09-01": {"tries": 2}, "09-03": {"tries": 3},
                         "10-01": {"tries": 4}, "11-01": {"tries": 5}})
        self.patch(manifest, "PROGRESS", kept)
        self.patch(manifest, "OUT", kept.parent)
        wanted = {"02-01": 1, "10-01": 2, "09-03": 3, "11-01": 4, "12-01": 5}
        for _ in range(2):
            self.assertEqual(wanted, {name: facts["tries"] for name, facts
                                      in manifest.progress().items()})
            manifest.remember(manifest.find("02-01", self.every), hints=1)

    def test_what_was_handed_in_is_found(self):
        student = self.folder / "student"
        old_folder = "chapters/10_gpu/exercises/01_softmax_of_a_warp/exercise.cpp"
        for name in (old_folder, "09-02.cpp", "10-07/exercise.cpp", "11-02.cpp", "1-1.cpp",
                     "2.1/exercise.cpp", "3-1.cpp", "03-01/exercise.cpp", "03-02.cpp", "3-2.cpp",
                     "a-1.cpp"):
            (student / name).parent.mkdir(parents=True, exist_ok=True)
            (student / name).write_text(name)
        found = {one.id: answer.decode() for one in self.every
                 if (answer := grade.handed_in(student, one))}
        self.assertEqual({"11-01": old_folder, "10-02": "09-02.cpp",
                          "11-07": "10-07/exercise.cpp", "11-02": "11-02.cpp",
                          "01-01": "1-1.cpp", "02-01": "2.1/exercise.cpp", "03-01": "3-1.cpp",
                          "03-02": "03-02.cpp", "A-1": "a-1.cpp"}, found)
        _, said = output_of(grade.say_new_numbers, [], [student], self.every)
        self.assertEqual("  note      numbers have changed: the former exercise 11-02 is now "
                         f"12-02, {self.titles['12-02']}\n", said)


if __name__ == "__main__":
    unittest.main()
