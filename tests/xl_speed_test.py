#!/usr/bin/env python3
"""`08_transformer_xl speed` on tiny models, run as a user would."""

from __future__ import annotations

import csv
import unittest

from support.checkout import BIN, read
from support.programs import Commands

D, D_FF, LAYERS, V = 16, 32, 2, 11
SMALL = ["--d-model", D, "--d-ff", D_FF, "--heads", 2, "--layers", LAYERS, "--vocabulary", V,
         "--seconds", 0]


def whole(multiply_adds: float) -> float:
    return LAYERS * multiply_adds + D * V


class Speed(Commands):
    program = BIN / "08_transformer_xl"

    def rows(self, *arguments) -> list[dict]:
        said = self.done("speed", *SMALL, "--out", self.folder, *arguments)
        self.assertTrue(read(self.folder / "speed.svg").startswith("<svg"))
        self.assertTrue(all(len(line) <= 100 for line in said.splitlines()
                            if str(self.folder) not in line), said)
        return list(csv.DictReader(read(self.folder / "speed.csv").splitlines()))

    def test_a_row_for_every_length_and_the_logits_agree(self):
        rows = self.rows("--lengths", "9,40")
        self.assertEqual([(row["attention_length"], row["segment"], row["paper_ratio"])
                          for row in rows], [("9", "4", "-"), ("40", "20", "-")])
        for row in rows:
            self.assertLessEqual(float(row["largest_logit_difference"]), 1e-4)
            for column in ("vanilla_ms", "memory_ms", "cached_keys_ms"):
                self.assertGreater(float(row[column]), 0)

    def test_the_operations_are_those_of_the_formulas(self):
        row, = self.rows("--lengths", 30, "--segment", 7)
        keys, weights = 37, 2 * D * D_FF
        vanilla = whole(30 * (4 * D * D + weights) + 2 * D * 30 * 30)
        states = whole(2 * D * D + weights + 3 * D * D * keys / 7 + 3 * D * keys)
        cached = whole(4 * D * D + weights + 3 * D * keys)
        self.assertAlmostEqual(float(row["flops_memory_ratio"]), vanilla / states, delta=0.06)
        self.assertAlmostEqual(float(row["flops_cached_keys_ratio"]), vanilla / cached, delta=0.06)

    def test_a_bad_flag_is_one_line_and_exit_code_2(self):
        for flags, word in ((["--heads", 3], "heads"), (["--lengths", 0], "--lengths"),
                            (["--lengths", "9,x"], "--lengths"), (["--segment", -1], "--segment"),
                            (["--lengths", 100000000], "--lengths")):
            self.refused("speed", *SMALL, *flags, names=word)


if __name__ == "__main__":
    unittest.main(verbosity=2)
