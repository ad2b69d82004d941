#!/usr/bin/env python3
"""The programs of the capstones, with the solutions as milestones: what they make of files, and one
line for what they cannot use. The milestones themselves are the test `exercises`'s."""

from __future__ import annotations

import re
import subprocess
import unittest
from pathlib import Path

from support.checkout import BIN, LANGUAGES, ROOT, WithFolder, read
from support.programs import english
from tools import lessons
from tools.exercises import manifest


class Capstones(WithFolder):
    def run_program(self, name: str, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run([BIN / f"capstone_{name}_reference", *map(str, arguments)], text=True,
                              capture_output=True, env=english())

    def done(self, *arguments) -> str:
        answer = self.run_program(*arguments)
        self.assertEqual((0, ""), (answer.returncode, answer.stderr))
        return answer.stdout

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def refused(self, arguments: tuple, *parts: str) -> None:
        answer = self.run_program(*arguments)
        self.assertEqual(2, answer.returncode, answer.stdout + answer.stderr)
        self.assertEqual(1, answer.stderr.count("\n"), answer.stderr)
        for part in ("error: ", *parts):
            self.assertIn(part, answer.stderr)

    def test_each_has_a_program_a_part_of_the_page_and_two_milestones(self):
        for letter, name in lessons.capstones().items():
            self.assertTrue((ROOT / "exercises" / "capstones" / name / "main.cpp").exists())
            there = [one for one in manifest.milestones() if one.id[0] == letter]
            self.assertEqual([f"{letter}-{i}" for i in range(1, len(there) + 1)],
                             [one.id for one in there])
            self.assertGreaterEqual(len(there), 2)
            for language, _ in LANGUAGES:
                self.assertRegex(read(f"docs/{language}/capstones.md"), rf"(?m)^## {letter}\. ")

    def test_the_language_model_learns_and_has_the_parameters_asked_for(self):
        text = self.file("text.txt", "the cat sat on the mat .\n" * 60)
        said = self.done("language_model", "--text", text, "--valid", text, "--d-model", 16,
                         "--layers", 1, "--heads", 2, "--segment", 16, "--batch", 4, "--parameters",
                         4000, "--updates", 120, "--valid-every", 20, "--warmup", 10, "--lr", 0.01,
                         "--threads", 1, "--write", 40)
        parameters = int(re.search(r"; (\d+) parameters", said)[1])
        self.assertLessEqual(abs(parameters - 4000), 17)  # half of what a hidden unit has
        losses = [float(found) for found in re.findall(r"valid loss ([\d.]+)", said)]
        self.assertEqual(6, len(losses))
        self.assertLess(losses[-1], 0.5 * losses[0])

    def test_the_language_model_refuses_what_makes_no_model(self):
        text = self.file("text.txt", "abc\n")
        self.refused(("language_model", "--text", text), "--text: ", "fill no window of 64")
        self.refused(("language_model", "--text", self.folder / "none"), "none")
        self.refused(("language_model", "--d-model", 30, "--heads", 4), "--d-model: 30")
        self.refused(("language_model", "--minutes", 0), "--minutes")
        self.refused(("language_model", "--parameters", 30000), "--parameters: 30000",
                     "with d_ff 1 there are")

    def test_pairs_are_cleaned_split_and_counted(self):
        lines = [f"a sentence number {i}\teine  Zahl {i}\tfrom somewhere" for i in range(40)]
        lines += [lines[0], "a sentence number 1\tnoch eine", "\tleer", "gleich\tgleich"]
        pairs = self.file("pairs.tsv", "\n".join(lines) + "\n")
        said = self.done("translator", "prepare", "--pairs", pairs, "--valid", 5, "--test", 6,
                         "--out", self.folder / "out")
        self.assertRegex(said, r"44 pairs read\n +41 are left, in 40 groups\n")
        held_out = re.findall(r" (\d+) (valid|test), of which 0 share", said)
        parts = {name: (self.folder / "out" / f"{name}.tsv").read_text().splitlines()
                 for name in ("train", "valid", "test")}
        self.assertEqual({"valid", "test"}, {name for _, name in held_out})
        self.assertEqual(41, sum(map(len, parts.values())))
        self.assertIn(len(parts["test"]), (6, 7))
        self.assertIn("eine Zahl 3", "\n".join(line for part in parts.values() for line in part))

    def test_translations_are_analysed(self):
        source = self.file("src", "one two three four five six\nseven eight nine\n")
        reference = self.file("ref", "eins zwei drei vier fünf sechs\nsieben acht neun zehn\n")
        bad = self.file("bad", "eins eins drei vier fünf sechs\nseven eight\n")
        analyse = ["translator", "analyse", "--src", source, "--reference", reference,
                   "--bleu-tokens", "none", "--translation"]
        said = self.done(*analyse, reference, "--other", bad, "--samples", 50)
        self.assertIn("BLEU 100.00 (none) of 2 sentences", said)
        self.assertIn("the higher BLEU in 100.0% of 50 draws", said)
        self.assertIn("repeats 1 (50.0%); too short 1 (50.0%); too long 0 (0.0%); copies 1 (50.0%)",
                      self.done(*analyse, bad))

    def test_the_translator_refuses_files_that_do_not_fit(self):
        one, two = self.file("one", "a\n"), self.file("two", "a\nb\n")
        self.refused(("translator",), "prepare or analyse")
        self.refused(("translator", "prepare"), "--pairs")
        self.refused(("translator", "prepare", "--pairs", one), f"{one}:1: there is no tab")
        self.refused(("translator", "prepare", "--src", one, "--tgt", two), "--tgt: 2 lines")
        self.refused(("translator", "analyse", "--src", one, "--reference", two, "--translation",
                         one), "--reference: 2 lines")
        self.refused(("translator", "analyse", "--src", one, "--reference", one, "--translation",
                         one, "--bleu-tokens", "words"), "--bleu-tokens")

    def test_a_text_is_split_by_whole_lines(self):
        lines = [f"this is line number {i} of the text" for i in range(100)]
        lines[-1] = lines[3]
        text = self.file("text.txt", "\n".join(lines) + "\n")
        said = self.done("budget", "prepare", "--text", text, "--valid", 10, "--test", 20, "--out",
                         self.folder / "out")
        parts = [(self.folder / "out" / f"{name}.txt").read_text().splitlines()
                 for name in ("train", "valid", "test")]
        self.assertEqual(lines, sum(parts, []))
        self.assertTrue(9 <= len(parts[1]) <= 11 and 19 <= len(parts[2]) <= 21)
        self.assertRegex(said, r"valid: .*; 0 of its \d+ lines of 30 characters")
        self.assertRegex(said, r"test: .*; 1 of its \d+ lines of 30 characters")

    def test_a_memory_pays_within_a_budget_and_the_table_says_so(self):
        # Each line names a letter that the next but one repeats: without a memory it is a guess.
        letters = [chr(ord("a") + i * i * 7 % 11) for i in range(900)]
        words = [f"{new}{old}\n" for new, old in zip(letters, ["a", "a", *letters])]
        text, valid = self.file("train.txt", "".join(words[:800])), self.file(
            "valid.txt", "".join(words[800:]))
        table = self.folder / "table.csv"
        flags = ("--text", text, "--valid", valid, "--d-model", 16, "--d-ff", 32, "--heads", 2,
                 "--layers", 1, "--segment", 4, "--batch", 4, "--lr", 0.01, "--warmup", 10,
                 "--clip", 1, "--table", table, "--threads", 1)
        bits = {}
        for memory in (0, 8):
            for seed in (1, 2):
                said = self.done("budget", "train", *flags, "--memory", memory, "--budget", 1.5e8,
                                 "--seed", seed)
                spent, allowed = (int(found.replace(",", "")) for found in re.search(
                    r"([\d,]+) multiply-adds of ([\d,]+)", said).groups())
                self.assertTrue(0.99 * allowed < spent <= allowed)
                bits[memory, seed] = float(re.search(
                    rf"validation, memory {memory}: ([\d.]+) bits", said)[1])
        self.assertLess(bits[8, 1] + bits[8, 2], bits[0, 1] + bits[0, 2])
        self.assertEqual(5, len(table.read_text().splitlines()))
        again = self.done("budget", "train", *flags, "--memory", 8, "--budget", 1.5e8, "--seed", 2,
                          "--test", valid)
        self.assertIn(re.search("validation, memory 8: .*", said)[0], again)
        said = self.done("budget", "report", "--table", table, "--budget", 1.5e8)
        self.assertRegex(said, r"(?m)^d16 .* m8 .* over 2 seeds, test [\d.]+ over 1$")
        self.assertRegex(said, r"(?m)^d16 .* m0 .*; worse than the first by 0\.")
        self.refused(("budget", "report", "--table", table, "--budget", 1.4e8),
                     "no run within the budget")

    def test_the_budget_refuses_what_is_beyond_it(self):
        text = self.file("text.txt", "the cat sat on the mat .\n" * 60)
        flags = ("budget", "train", "--text", text, "--valid", text)
        self.refused(("budget",), "prepare, train or report")
        self.refused((*flags, "--d-model", 200), "--most-parameters: 300,000", "1,1")
        self.refused((*flags, "--budget", 1000), "--budget: an update costs")
        self.refused((*flags, "--segment", 900, "--memory", 0), "--text: ",
                     "fill no segment of 900")
        self.refused((*flags, "--lengths", "8,-1"), "--lengths: '8,-1'")
        self.refused((*flags, "--heads", 5), "--heads")
        self.refused((*flags, "--table", text, "--updates", 1), f"{text}:1: the first line is not")
        self.refused(("budget", "report", "--table", self.folder / "none"), "none")
        heading = "setting,seed,parameters,multiply_adds,valid,test\n"
        for line, wrong in (("a,1,2,3,4", "5 cells"), ("a,1,2,3,x,", "a cell is no number")):
            table = self.file("table.csv", heading + line + "\n")
            self.refused(("budget", "report", "--table", table), f"{table}:2: {wrong}")
        self.refused(("budget", "prepare", "--text", text, "--valid", 60, "--test", 60), "--valid")

    def test_the_kernel_is_measured_beside_plain_loops(self):
        # As small as this it stays in the caches: digits and counts are right, times say little.
        answer = self.run_program("kernel", "--rows", 600, "--columns", 100, "--runs", 3, "--mib",
                                  1, "--cache", 16, "--threads", 1)
        self.assertIn(answer.returncode, (0, 1), answer.stderr)
        self.assertEqual("", answer.stderr)
        counted = re.search(r"([\d.]+) bytes, ([\d.]+) operations; plain loops ([\d.]+) bytes",
                            answer.stdout)
        kernel, operations, plain = map(float, counted.groups())
        self.assertTrue(16 <= kernel < 17, kernel)
        self.assertTrue(27.5 < plain < 30, plain)
        self.assertTrue(8 < operations < 12, operations)
        self.assertIn("numbers with other bits with 2 and 3 threads: 0", answer.stdout)
        difference = re.search(r"difference between both: (\S+);", answer.stdout)[1]
        self.assertLess(float(difference), 1e-4)
        ratio = float(re.search(r"ratio ([\d.]+)", answer.stdout)[1])
        self.assertEqual(answer.returncode, 0 if ratio >= 2 else 1)

    def test_the_kernel_refuses_what_has_no_room(self):
        self.refused(("kernel", "--rows", 2000000, "--columns", 1024), "--rows: ", "16 GiB")
        self.refused(("kernel", "--runs", 0), "--runs")
        for section in (1, 99):
            self.refused(("kernel", "--section", section),
                         "error: --section: this program has no sections\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
