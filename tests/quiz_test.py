#!/usr/bin/env python3
"""The quizzes: are their pages sound, alike in both languages, and asked as they stand?"""

from __future__ import annotations

import re
import subprocess
import unittest

from support.checkout import HAN, LANGUAGES, ROOT, learn, read
from tools.book import pages
from tools.teaching import quiz


def ask(*arguments: str, typed: str = "", **options) -> subprocess.CompletedProcess:
    return learn("quiz", *arguments, **(options or {"input": typed}))


def right_letters(questions: list[quiz.Question]) -> list[str]:
    return [next(letter for letter, option in zip(quiz.LETTERS, question.options)
                 if option.is_right) for question in questions]


class Pages(unittest.TestCase):
    def test_every_chapter_has_a_quiz_of_eight(self):
        for language, zh in LANGUAGES:
            chapters = {path.stem for path in (ROOT / "docs" / language).glob("*.md")
                        if re.match(r"\d\d_", path.stem)}
            self.assertEqual({path.stem for path in quiz.pages(zh).values()}, chapters)
            for path in quiz.pages(zh).values():
                self.assertEqual(len(quiz.questions(path)[1]), 8, path)

    def test_four_options_of_which_one_is_right_and_each_says_why(self):
        for zh in (False, True):
            for path in quiz.pages(zh).values():
                asked = quiz.questions(path)[1]
                self.assertEqual(read(path).count("<details>"), 4 * len(asked), path)
                for question in asked:
                    with self.subTest(path.name, question=question.text):
                        self.assertEqual(len({option.text for option in question.options}), 4)
                        self.assertEqual(sum(option.is_right for option in question.options), 1)
                        self.assertTrue(all(len(option.why) >= 4 for option in question.options))

    def test_the_right_letters_are_spread(self):
        for path in quiz.pages(False).values():
            letters = right_letters(quiz.questions(path)[1])
            most = max(letters.count(letter) for letter in quiz.LETTERS)
            self.assertLessEqual(most, 6, path.name)

    def test_both_languages_ask_the_same(self):
        for chapter, path in quiz.pages(False).items():
            for en, zh in zip(quiz.questions(path)[1],
                              quiz.questions(quiz.pages(True)[chapter])[1]):
                numbers = [re.findall(r"[\d.]*\d", question.text.replace(",", ""))
                           for question in (en, zh)]
                with self.subTest(en.text):
                    self.assertEqual(*right_letters([en, zh]))
                    self.assertLessEqual(set(numbers[1]) - set(numbers[0]), {"1"})  # "第 1 个"
                    self.assertRegex(zh.text, HAN)

    def test_chinese_has_its_own_quotation_marks(self):
        for path in quiz.pages(True).values():
            self.assertNotIn('"', read(path), path)

    def test_where_to_read_is_a_heading_of_the_page(self):
        for zh in (False, True):
            for path in quiz.pages(zh).values():
                for question in quiz.questions(path)[1]:
                    page, _, anchor = question.link.partition("#")
                    self.assertIn(anchor, pages.anchors((path.parent / page).read_text()))


class Command(unittest.TestCase):
    def test_answers_are_judged(self):
        asked = quiz.questions(quiz.pages(False)["02"])[1]
        letters = right_letters(asked)
        run = ask("2", "--en", typed="\n".join(letters) + "\n")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("8 of 8 right", run.stdout)
        self.assertNotIn("  no  ", run.stdout)
        wrong = "A" if letters[0] != "A" else "B"
        run = ask("2", "--en", typed=f"{wrong}\nq\n")
        self.assertIn("0 of 1 right", run.stdout)
        self.assertIn(f"docs/en/02_attention.md: {asked[0].section}", run.stdout)

    def test_a_name_is_as_good_as_a_number(self):
        for name in ("9", "09_since_2017", "since_2017", "since"):
            self.assertTrue(ask(name, "--en").stdout.startswith("Quiz: Since 2017\n"), name)
        self.assertRegex(ask("--en").stdout, r"(?m)^  09  Quiz: Since 2017: 8 questions$")

    def test_the_input_may_end_and_what_is_no_letter_is_asked_again(self):
        run = ask("0", "--en", typed="E\n\nAB\n")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stdout.count("one of A, B, C, D; q stops"), 3)
        self.assertIn("0 of 0 right", run.stdout)

    def test_a_sheet_says_no_answers_and_its_key_is_that_of_the_seed(self):
        sheets = [ask("7", "--print", "--seed", seed, "--en").stdout for seed in "339"]
        self.assertEqual(sheets[0], sheets[1])
        self.assertNotEqual(sheets[0], sheets[2])
        self.assertNotIn("key:", sheets[0])
        keyed = ask("7", "--key", "--seed", "3", "--en").stdout
        self.assertTrue(keyed.startswith(sheets[0].rstrip()))
        asked = quiz.shuffled(quiz.questions(quiz.pages(False)["07"])[1], 3)
        key = " ".join(f"{n}{letter}" for n, letter in enumerate(right_letters(asked), 1))
        self.assertIn("key: " + key, keyed)

    def test_chinese(self):
        run = ask("10", "--zh", typed="A\n")
        self.assertIn("小测验：", run.stdout)
        self.assertRegex(run.stdout, "答了 1 道，答对 [01] 道")
        self.assertIn("小测验", ask("--zh").stdout)

    def test_an_input_without_lines_ends_it(self):
        with open("/dev/zero", "rb") as zeros:
            run = ask("2", "--en", stdin=zeros, timeout=20)
        self.assertIn("0 of 0 right", run.stdout)

    def test_a_program_that_types_ends_it(self):
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as yes:
            run = ask("2", "--en", stdin=yes.stdout, timeout=60)
            yes.kill()
        self.assertEqual(quiz.MOST_MISSES, run.stdout.count("one of A, B, C, D; q stops"))
        self.assertIn("0 of 0 right", run.stdout)

    def test_what_it_refuses(self):
        for typed in (["13"], ["1x"], ["-1"], ["s"], ["2", "--seed", "-3"], ["2", "3"],
                      ["2", "--no"], ["2", "--seed", "1" * 5000]):
            run = ask(*typed, "--en")
            self.assertEqual((run.returncode, run.stdout), (2, ""), typed)
            self.assertRegex(run.stderr, r"^learn: quiz: ", typed)
            self.assertNotIn("Traceback", run.stderr)
            self.assertLess(len(run.stderr), 300, typed)


if __name__ == "__main__":
    unittest.main()
