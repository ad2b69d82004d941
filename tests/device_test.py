#!/usr/bin/env python3
"""--device of chapters 7 and 8: whole trainings through the GPU's kernels, run by the emulator.

The programs are those in $XF_BIN, or of the release build. Exits with 77, for ctest a skip, where
they were built without the emulator.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from runs_test import BIN, SMALL, Case, result

EMULATED = ["--device", "cuda-emulated"]
ONE_THREAD = ["1" if word == "2" and SMALL[i - 1] == "--threads" else word
              for i, word in enumerate(SMALL)]


def refusal(words) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True).stderr


def losses(folder: Path) -> list[list[float]]:
    """The numbers of history.csv that the updates determine."""
    rows = [line.split(",") for line in (folder / "history.csv").read_text().splitlines()]
    used = [i for i, name in enumerate(rows[0]) if re.search("loss|norm|perplexity|bpc|bleu", name)]
    return [[float(row[i]) for i in used] for row in rows[1:]]


class Training(Case):
    def train(self, chapter: int, name: str, *more, updates: int = 12, schedule: int = 1) -> Path:
        out = self.folder(f"{chapter}-{name}")
        own = ["--text", self.text, "--valid", self.text, "--segment", "6", "--memory", "9",
               "--schedule", "constant"]
        if chapter == 7:
            own = ["--pairs", self.text, "--valid-pairs", self.text, "--batch-tokens", "24",
                   "--tokenizer", "bpe", "--vocab", "50"]
        program = BIN / ("07_transformer" if chapter == 7 else "08_transformer_xl")
        words = [str(word) for word in [program, "train", *own, *ONE_THREAD, "--out", out,
                                        "--updates", updates, "--valid-every", "4", *more]]
        answer = self.answer(words, env={**os.environ, "XF_SCHEDULE": str(schedule)})
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), words)
        return out

    def test_it_goes_the_way_of_the_cpu(self):
        for chapter in (7, 8):
            want = losses(self.train(chapter, "cpu"))
            got = losses(self.train(chapter, "there", *EMULATED))
            self.assertEqual(len(got), len(want))
            self.assertGreater(len(want[0]), 1)
            for one, other in zip(got, want):
                for number, wanted in zip(one, other):
                    self.assertAlmostEqual(number, wanted, delta=2e-3 * abs(wanted))

    def test_resumed_it_ends_with_the_same_bytes_under_another_schedule(self):
        for chapter in (7, 8):
            whole = self.train(chapter, "whole", *EMULATED)
            cut = self.train(chapter, "cut", *EMULATED, updates=8, schedule=2)
            self.train(chapter, "cut", *EMULATED, "--resume", schedule=3)
            self.assertTrue(result(cut) == result(whole))

    def test_a_model_is_used_on_the_other_device(self):
        out = self.train(7, "translator", *EMULATED)
        words = [str(BIN / "07_transformer"), "translate", "--model", str(out), "--beam", "2"]
        lines = "a dog runs\nthe bird sings\n"
        here = self.answer(words, input=lines)
        there = self.answer([*words, *EMULATED], input=lines)
        self.assertEqual((here.returncode, here.stderr), (0, ""))
        self.assertEqual((there.returncode, there.stderr), (0, ""))
        self.assertEqual(there.stdout, here.stdout)


class Refused(Case):
    def test_a_device_that_is_not_there_is_one_line(self):
        program = BIN / "07_transformer"
        self.refused([program, "--device", "gpu"], "--device",
                     "cpu, cuda or cuda-emulated, not 'gpu'")
        self.refused([program, "--device", "cuda"], "--device", "preset 'cuda' builds it")


if __name__ == "__main__":
    if "not built into" in refusal([BIN / "07_transformer", *EMULATED, "--help"]):
        print("skipped: built without the emulator")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
