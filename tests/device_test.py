#!/usr/bin/env python3
"""--device of chapters 7 and 8: whole trainings through the GPU's kernels, run by the emulator, or,
with XF_DEVICE=cuda, by a GPU.

The programs are those in $XF_BIN, or of the release build. Exits with 77, for ctest a skip, where
they were built without that device.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs_test import SMALL, Case, result
from support.checkout import BIN

DEVICE = os.environ.get("XF_DEVICE", "cuda-emulated")
ON_DEVICE = ["--device", DEVICE]
ONE_THREAD = ["1" if word == "2" and SMALL[i - 1] == "--threads" else word
              for i, word in enumerate(SMALL)]


PROGRAMS = {7: "07_transformer", 8: "08_transformer_xl"}
SMALL_MEMORY = {7: "150000", 8: "40000"}  # bytes: enough for the model, but not for a step


def texts(case: Case, chapter: int) -> list:
    """What the program is trained on."""
    if chapter == 7:
        return ["--pairs", case.text, "--valid-pairs", case.text, "--batch-tokens", "24",
                "--tokenizer", "bpe", "--vocab", "50"]
    return ["--text", case.text, "--valid", case.text, "--segment", "6", "--memory", "9",
            "--schedule", "constant"]


WHOLE: dict[int, Path] = {}


of_the_emulator = unittest.skipUnless(DEVICE == "cuda-emulated", "of the emulator alone")


def losses(folder: Path) -> list[list[float]]:
    """The numbers of history.csv that the updates determine."""
    rows = [line.split(",") for line in (folder / "history.csv").read_text().splitlines()]
    used = [i for i, name in enumerate(rows[0]) if re.search("loss|norm|perplexity|bpc|bleu", name)]
    return [[float(row[i]) for i in used] for row in rows[1:]]


class Trained(Case):
    def command(self, chapter: int, out: Path, *more) -> list[str]:
        words = [BIN / PROGRAMS[chapter], "train", *texts(self, chapter), *ONE_THREAD, "--out", out]
        return [str(word) for word in (*words, "--valid-every", "4", *more)]

    def train(self, chapter: int, name: str, *more, updates: int = 12, schedule: int = 1) -> Path:
        out = self.place(f"{chapter}-{name}")
        self.done(self.command(chapter, out, "--updates", updates, *more),
                  env={**os.environ, "XF_SCHEDULE": str(schedule)})
        return out

    def whole(self, chapter: int) -> Path:
        """One that nothing has stopped, made by the first test that asks."""
        if chapter not in WHOLE:
            kept = Path(tempfile.mkdtemp(prefix="xf-device-"))
            unittest.addModuleCleanup(shutil.rmtree, kept)
            WHOLE[chapter] = self.train(chapter, "whole", *ON_DEVICE).rename(kept / "whole")
        return WHOLE[chapter]


    def near(self, got: list, want: list, share: float) -> None:
        for one, other in zip(got, want, strict=True):
            for number, wanted in zip(one, other):
                self.assertAlmostEqual(number, wanted, delta=share * abs(wanted))


class Training(Trained):
    def test_it_goes_the_way_of_the_cpu(self):
        for chapter in (7, 8):
            want = losses(self.train(chapter, "cpu"))
            self.assertGreater(len(want[0]), 1)
            self.near(losses(self.whole(chapter)), want, 2e-3)

    def test_resumed_it_ends_with_the_same_bytes_under_another_schedule(self):
        for chapter in (7, 8):
            whole = self.whole(chapter)
            cut = self.train(chapter, "cut", *ON_DEVICE, updates=8, schedule=2)
            self.train(chapter, "cut", *ON_DEVICE, "--resume", schedule=3)
            self.assertTrue(result(cut) == result(whole))

    def test_a_model_is_used_on_the_other_device(self):
        out = self.whole(7)
        words = [str(BIN / "07_transformer"), "translate", "--model", str(out), "--beam", "2"]
        lines = "a dog runs\nthe bird sings\n"
        self.assertEqual(*(self.done([*words, *more], input=lines) for more in ([], ON_DEVICE)))

    def test_with_rounded_factors_it_goes_nearly_the_same_way_and_is_resumed(self):
        for chapter in (7, 8):
            want = losses(self.whole(chapter))
            whole = self.train(chapter, "bf16", *ON_DEVICE, "--precision", "bf16")
            got = losses(whole)
            self.assertNotEqual(got, want)
            self.near(got, want, 2e-2)
            cut = self.train(chapter, "cut", *ON_DEVICE, "--precision", "bf16", updates=8)
            self.train(chapter, "cut", *ON_DEVICE, "--resume", schedule=3)  # which knows it
            self.assertTrue(result(cut) == result(whole))


@of_the_emulator
class Broken(Trained):
    """A device that is too small, or gone: one line, exit 2, and the checkpoint is good."""

    def stopped(self, folder: Path, chapter: int, **environment) -> str:
        words = self.command(chapter, folder, "--updates", "12", *ON_DEVICE, "--resume")
        answer = self.answer(words, env={**os.environ, **environment})
        self.assertEqual((answer.returncode, answer.stderr.count("\n")), (2, 1), answer)
        return answer.stderr

    def test_after_it_the_run_goes_on_to_the_same_bytes(self):
        for chapter in (7, 8):
            whole = self.whole(chapter)
            cut = self.train(chapter, "cut", *ON_DEVICE, updates=4)
            self.assertRegex(
                self.stopped(cut, chapter, XF_EMULATED_MEMORY=SMALL_MEMORY[chapter]),
                r"^error: cuda-emulated: no memory for \d+ bytes, \d+ of \d+ are free$")
            self.assertRegex(self.stopped(cut, chapter, XF_EMULATED_KERNELS="1500"),
                             r"^error: cuda-emulated: \w+: the device is gone$")
            self.train(chapter, "cut", *ON_DEVICE, "--resume")
            self.assertTrue(result(cut) == result(whole))

    def test_a_device_without_room_for_the_model_is_one_line(self):
        words = self.command(7, self.place("small"), *ON_DEVICE, "--updates", "4")
        answer = self.answer(words, env={**os.environ, "XF_EMULATED_MEMORY": "1000"})
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, r"^error: cuda-emulated: no memory for \d+ bytes[^\n]+\n$")


@of_the_emulator
class Refused(Case):
    def test_a_precision_without_a_gpu_is_one_line(self):
        for chapter in (7, 8):
            words = [BIN / PROGRAMS[chapter], "train", *texts(self, chapter), "--updates", "1",
                     "--out", self.place("none"), "--precision"]
            self.refused([*words, "bf16"], "--precision", "bf16 is for a GPU")
            self.refused([*words, "half"], "--precision", "float32, tf32 or bf16, not half")

    def test_a_device_that_is_not_there_is_one_line(self):
        program = BIN / "07_transformer"
        self.refused([program, "--device", "gpu"], "--device",
                     "cpu, cuda or cuda-emulated, not 'gpu'")
        self.refused([program, "--device", "cuda"], "--device", "preset 'cuda' builds it")


@of_the_emulator
class SharedMemory(unittest.TestCase):
    def test_all_of_it_is_in_the_section_that_the_emulator_fills(self):
        """g++ leaves a static of a template out of it, in .bss, which nobody spoils."""
        library = BIN.parent / "common" / "libxf.a"
        if not (library.exists() and shutil.which("nm")):
            self.skipTest("no library, or no nm")
        symbols = subprocess.run(["nm", "-AC", str(library)], capture_output=True, text=True,
                                 check=True).stdout.splitlines()
        kernels = [line for line in symbols if ".cu.o:" in line]
        self.assertTrue([line for line in kernels if re.search(r" d .*::scratch", line)], kernels)
        self.assertEqual([line for line in kernels if re.search(r" [bB] ", line)], [])


def main(program: str) -> None:
    """The tests, unless this program was built without the device."""
    command = [BIN / program, *ON_DEVICE, "--help"]
    if b"not built into" in subprocess.run(command, capture_output=True).stderr:
        print(f"skipped: built without {DEVICE}")
        sys.exit(77)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main("07_transformer")
