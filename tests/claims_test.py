#!/usr/bin/env python3
"""Claims of the lessons: a false one is marked, hides nothing, and is named at the end; and the
table of `./learn chapter N --seeds 100`. The programs are those in $XF_BIN, or of the release
build."""

from __future__ import annotations

import os
import re
import subprocess
import unittest
from unittest import mock

from support.checkout import BIN, WithFolder, output_of, read
from tools import lessons
from tools.checks import claims
from tools.terminal import Stop

LESSON = "04_feed_forward"  # quick, and it prints no times
CLAIM = "the relu makes a difference"  # of its section 3
AGREES = "two maps, and their product (8, 8)"  # of the same section, a comparison

# A lesson of two claims: the second is false for the seeds in $FALSE; it ends early for $BREAK.
FAKE = """#!/bin/sh
while [ $# -gt 1 ]; do
  case $1 in --seed) seed=$2;; --language) language=$2;; --threads) threads=$2;; esac
  shift
done
case " $BREAK " in *" $seed "*) echo "error: no memory" >&2; exit 3;; esac
case " $FALSE " in *" $seed "*) holds=false code=2;; *) holds=true code=0;; esac
printf 'true\\t1\\tfirst %s %s\\n%s\\t2\\tsecond\\n' "$language" "$threads" $holds > "$XF_CLAIMS"
exit $code
"""


class Lesson(WithFolder):
    def run_with(self, *more: str, language: str = "en", **environment: str):
        words = [str(BIN / LESSON), "--out", self.folder, "--language", language, *more]
        return subprocess.run(words, env={**os.environ, **environment}, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_a_false_claim_is_marked_named_and_hides_nothing(self):
        usual = self.run_with()
        self.assertEqual((usual.returncode, usual.stderr), (0, ""))
        for claim, marked in ((CLAIM, f"    FALSE: {CLAIM}"), (AGREES, "    NOT EQUAL")):
            with self.subTest(claim):
                answer = self.run_with(XF_FALSE=claim)
                self.assertEqual(answer.returncode, 2)
                self.assertEqual(answer.stderr.splitlines(), [
                    f"error: this claim of the lesson is false: {claim} (section 3)"])
                lines = answer.stdout.splitlines()
                at = [i for i, line in enumerate(lines) if line.startswith(marked)]
                self.assertEqual(len(at), 1)
                if claim == CLAIM:
                    del lines[at[0]]
                else:
                    lines[at[0]] = re.sub("NOT EQUAL, .*?:", "ok, within 1.0e-05:", lines[at[0]])
                self.assertEqual(lines, usual.stdout.splitlines())

    def test_where_all_are_false_the_lesson_goes_on_to_its_end(self):
        usual, answer = self.run_with(), self.run_with(XF_FALSE="*")
        self.assertEqual(answer.returncode, 2)
        self.assertGreater(len(answer.stderr.splitlines()), 20)
        self.assertEqual(answer.stdout.splitlines()[-1], usual.stdout.splitlines()[-1])

    def test_in_chinese(self):
        answer = self.run_with(language="zh", XF_FALSE=CLAIM)
        self.assertIn("不成立：relu 起作用", answer.stdout)
        self.assertEqual(answer.stderr, "错误：本章的这条断言不成立：relu 起作用（第 3 节）\n")

    def test_a_false_claim_of_a_silent_section_is_named_all_the_same(self):
        answer = self.run_with("--section", "4", XF_FALSE=CLAIM)
        self.assertEqual(answer.returncode, 2)
        self.assertNotIn(CLAIM, answer.stdout)
        self.assertIn(CLAIM, answer.stderr)

    def test_what_it_claims_can_be_read_by_a_program(self):
        file = self.folder / "claims"
        self.run_with(XF_CLAIMS=str(file), XF_FALSE=CLAIM)
        found = claims.outcome(1, 2, read(file), "").claims
        self.assertGreater(len(found), 20)
        self.assertEqual([key for key, holds in found.items() if not holds], [(3, CLAIM)])
        self.assertEqual({section for section, _ in found}, set(range(1, 11)))


class Table(WithFolder):
    def seeds(self, *arguments: str, **environment: str) -> tuple[int, list[str]]:
        fake = self.folder / "fake"
        fake.write_text(FAKE)
        fake.chmod(0o755)
        with mock.patch.object(claims, "BIN", self.folder), mock.patch.dict(os.environ, {
                "LC_ALL": "C.UTF-8", "FALSE": "", "BREAK": "", **environment}):
            code, said = output_of(claims.main, "fake", list(arguments))
        return code, said.splitlines()

    def test_a_claim_may_fail_for_one_seed_in_a_hundred(self):
        code, lines = self.seeds("--seeds", "100", FALSE="42")
        self.assertEqual(code, 0)
        self.assertIn("fake, 100 seeds from 1 to 100", lines[0])
        self.assertEqual(lines[1].split(), ["section", "false", "claim"])
        self.assertEqual(lines[2].split(), ["1", "0/100", "first", "en", "1"])
        self.assertEqual(lines[3].split(), ["2", "1/100", "second;", "seeds", "42"])
        self.assertRegex(lines[4], r"2 claims, 100 runs in \d+ s: each holds for at least 99")

    def test_two_of_a_hundred_or_one_of_twenty_is_too_often(self):
        for seeds, false in (("100", "7 42"), ("20", "3"), ("41-60", "50")):
            code, lines = self.seeds(f"--seeds={seeds}", FALSE=false)
            self.assertEqual(code, 1)
            self.assertTrue(lines[3].endswith("second; seeds " + false.replace(" ", ", ")), lines)
            self.assertIn("with 1 of the claims holding for fewer than 99 of 100", lines[-1])

    def test_a_run_that_breaks_is_a_row(self):
        code, lines = self.seeds("--seeds", "5", BREAK="2 4")
        self.assertEqual(code, 1)
        self.assertIn("2/5   the lesson stopped before its end: error: no memory; seeds 2, 4",
                      lines[4])
        self.assertIn("0/5", lines[3])

    def test_threads_and_language_go_to_the_lesson(self):
        _, lines = self.seeds("--seeds", "2", "--threads", "4", "--language", "zh", FALSE="1")
        self.assertIn("first zh 4", lines[2])
        self.assertEqual(lines[1].split(), ["节", "不成立", "断言"])
        self.assertTrue(lines[3].endswith("second；种子 1"))

    def test_what_is_no_number_of_seeds(self):
        for text in ("", "0", "-3", "ten", "9-3", "1-2-3"):
            with self.assertRaises(Stop) as stopped:
                self.seeds(f"--seeds={text}")
            self.assertEqual(stopped.exception.code, 2)

    def test_a_wrong_flag_is_one_message_and_no_seed_is_to_blame(self):
        with mock.patch.object(claims, "BIN", BIN), self.assertRaises(Stop) as stopped:
            output_of(claims.main, LESSON, ["--seeds", "3", "--nonsense"])
        self.assertEqual(str(stopped.exception).count("unknown flag --nonsense"), 1)

    def test_subcommands_keep_flags_of_their_own(self):
        self.assertTrue(claims.asked_for(["--seeds", "100"]))
        self.assertTrue(claims.asked_for(["--threads", "2", "--seeds=20"]))
        self.assertFalse(claims.asked_for(["ablation", "--seeds", "3"]))
        self.assertFalse(claims.asked_for([]))

    def test_learn_goes_there(self):
        with mock.patch.object(lessons.setup, "set_up"), \
                mock.patch.object(lessons.claims, "main", return_value=1) as main:
            self.assertEqual(lessons.run_chapter("4", ["--seeds", "9"]), 1)
        main.assert_called_once_with(LESSON, ["--seeds", "9"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
