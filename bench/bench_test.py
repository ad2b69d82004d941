#!/usr/bin/env python3
"""bin/bench on tiny models: bench_test.py PATH_OF_BENCH"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

TINY = {"--d-model": "16", "--d-ff": "32", "--heads": "2", "--layers": "1", "--threads": "2"}
FIELDS = {"tokens_per_s", "ms_per_step", "peak_rss_mb", "gflops", "blas", "threads", "config"}
# Per step; the models have all their layers. A change that needs fewer lowers the number here.
MOST = {
    "train --preset base": {
        "launches": 681, "transactions": 201663, "allocations": 601, "uploads": 5},
    "train --preset base --precision bf16": {
        "launches": 851, "transactions": 229989, "allocations": 901, "uploads": 5},
    "xl --preset medium": {
        "launches": 504, "transactions": 94208, "allocations": 399, "uploads": 2},
    "decode --preset base": {
        "launches": 110, "transactions": 18255, "allocations": 160, "uploads": 3},
}
BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(__doc__)


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([BENCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})


class Bench(unittest.TestCase):
    def last_line(self, command: str, *arguments: str) -> dict:
        tiny = [word for flag in TINY if flag not in arguments for word in (flag, TINY[flag])]
        answer = run(command, *tiny, *arguments)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return json.loads(answer.stdout.splitlines()[-1])

    def train(self, *arguments: str) -> dict:
        return self.last_line("train", "--steps=2", "--warmup=1", "--peak-size=64", *arguments)

    def test_train_ends_in_a_line_of_json(self):
        found = self.train("--preset", "toy")
        self.assertLessEqual(FIELDS | {"sgemm_peak", "peak_share"}, found.keys())
        self.assertEqual(found["threads"], 2)
        self.assertEqual((found["config"]["d_model"], found["config"]["src_len"]), (16, 7))
        self.assertEqual((found["src_tokens"], found["tgt_tokens"]), (7, 7))
        self.assertAlmostEqual(found["tokens_per_s"] * found["ms_per_step"], 7e3, delta=1e-3)

    def test_full_sentences_count_every_position(self):
        found = self.train("--preset", "multi30k", "--src-vocab", "50", "--tgt-vocab", "40")
        self.assertEqual((found["src_tokens"], found["tgt_tokens"]), (128 * 16, 128 * 16))

    def test_base_has_one_matrix_unless_told_otherwise(self):
        sizes = ("--preset", "base", "--src-vocab", "50", "--tgt-vocab", "50")
        self.assertTrue(self.train(*sizes)["config"]["tie"])
        self.assertFalse(self.train(*sizes, "--no-tie")["config"]["tie"])

    def test_ragged_sentences_are_those_of_pytorch(self):
        # What torch_mt.py prints for these flags and seed 0: lengths are drawn after the ids.
        for padding in ([], ["--no-packed"]):
            found = self.train("--preset", "multi30k", "--src-vocab", "50", "--tgt-vocab", "40",
                               "--ragged", *padding)
            self.assertEqual((found["src_tokens"], found["tgt_tokens"]), (1385, 1325))
            self.assertEqual(found["shards"] > found["threads"], bool(padding))

    def test_packed_and_padded_sentences_give_the_same_loss(self):
        losses = set()
        for padding in ("--packed", "--no-packed"):
            answer = run("train", "--preset", "multi30k", "--d-model", "16", "--d-ff", "32",
                         "--heads", "2", "--layers", "1", "--threads", "2", "--src-vocab", "50",
                         "--tgt-vocab", "40", "--ragged", "--dropout", "0", "--steps", "2",
                         "--warmup", "1", "--peak-size", "0", padding)
            losses.add(answer.stdout.split()[1])
        self.assertEqual(len(losses), 1, losses)

    def test_the_operations_are_counted_as_by_hand(self):
        # One pair, d = f = 2, one layer, S = 1, T = 2, V = 5: multiply-adds
        #   encoder 1 (4 d d + 2 d f + 2 d S) = 28     cross attention's K and V: 2 d d = 8
        #   decoder 2 (6 d d + 2 d f + 2 d T + 2 d S) = 88     output 2 d V = 20
        found = self.train("--preset", "toy", "--d-model", "2", "--d-ff", "2", "--heads", "1",
                           "--src-len", "1", "--tgt-len", "2", "--tgt-vocab", "5",
                           "--threads", "1")
        self.assertAlmostEqual(found["model_flops"], 3 * 2 * (28 + 8 + 88 + 20))

    def test_decoding_takes_exactly_out_len_steps_with_and_without_the_cache(self):
        for flags in ([], ["--no-cache"], ["--beam", "3"], ["--tie", "--src-vocab", "6000"]):
            found = self.last_line("decode", "--batch", "3", "--out-len", "5", "--runs", "1",
                                   "--warmup", "0", "--peak-size", "0", *flags)
            self.assertLessEqual(FIELDS, found.keys())
            self.assertEqual((found["out_len"], found["out_tokens"]), (5, 15))
            self.assertTrue(found["cache_agrees"])

    def test_the_roofline_counts_bytes_and_draws_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = run("roofline", "--runs", "1", "--rows", "64", "--mib", "1", "--out", folder)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            with open(f"{folder}/roofline.svg", encoding="utf-8") as picture:
                drawn = picture.read()
        self.assertIn("8 rows</text>", drawn)
        found = json.loads(answer.stdout.splitlines()[-1])
        points = {point["op"]: point for point in found["points"]}
        self.assertAlmostEqual(points["add"]["flop_per_byte"], 1 / 12)
        self.assertAlmostEqual(points["8 rows x 6000x256"]["flop_per_byte"],
                               2 * 8 * 6000 * 256 / (4 * (8 * 256 + 6000 * 256 + 8 * 6000)))
        self.assertLess(points["add"]["gflops"], points["64 rows x 512x256"]["gflops"])
        row = points["1 row x 6000x256"]
        reached = round(100 * row["gflops"] / min(
            found["registers_gflops"], found["far_gb_per_s"] * row["flop_per_byte"]))
        self.assertIn(f"A product of 1 row reaches {reached} % of what memory", drawn)

    def test_the_ops_add_up_to_the_step(self):
        for flag, attention in (("--packed", {"packed_attention"}),
                                ("--no-packed", {"split_heads", "matmul", "softmax"})):
            found = self.last_line("ops", "--preset", "toy", "--steps", "2", "--peak-size", "0",
                                   flag)
            names = {row["op"] for row in found["ops"]}
            self.assertLessEqual({"linear", "layer_norm", "cross_entropy", *attention}, names)
            waiting, = (row["share"] for row in found["ops"] if row["op"].startswith("between"))
            self.assertTrue(0 <= waiting < 1, waiting)  # no time was counted twice

    def test_scaling_measures_every_point(self):
        with tempfile.TemporaryDirectory() as folder:
            found = self.last_line("scaling", "--preset", "toy", "--steps", "1", "--batches", "2",
                                   "3", "--layer-counts", "1", "--lengths", "5", "--length-batch",
                                   "2", "--out", folder)
        self.assertEqual([(p["axis"], p["value"], p["threads"]) for p in found["points"]],
                         [("batch", 2, 1), ("batch", 3, 1), ("batch", 2, 2), ("batch", 3, 2),
                          ("layers", 1, 1), ("layers", 1, 2), ("length", 5, 1), ("length", 5, 2)])

    def test_xl_ends_in_a_line_of_json_and_counts_the_operations_as_by_hand(self):
        # d = f = 2, one layer, T = 2, M = 1, so that S = 3, V = 5, one stream: multiply-adds
        #   q, o: 2 d d T = 16   k, v: 2 d d S = 24   feed-forward: 2 d f T = 16
        #   scores, positions, values: 3 d T S = 36   logits: d V T = 20   W_kR R: d d S = 12
        found = self.last_line("xl", "--d-model", "2", "--d-ff", "2", "--heads", "1", "--batch",
                               "1", "--tgt-len", "2", "--mem-len", "1", "--vocab", "5",
                               "--steps", "2", "--warmup", "1", "--peak-size", "64")
        self.assertLessEqual(FIELDS | {"sgemm_peak", "peak_share"}, found.keys())
        self.assertAlmostEqual(found["model_flops"], 3 * 2 * (16 + 24 + 16 + 36 + 20 + 12))
        self.assertAlmostEqual(found["tokens_per_s"] * found["ms_per_step"], 2e3, delta=1e-3)

    def test_xl_has_the_presets_of_pytorch(self):
        tiny = ("--steps", "1", "--warmup", "0", "--peak-size", "0")
        found = self.last_line("xl", "--preset", "medium", *tiny)
        self.assertEqual((found["tgt_tokens"], found["config"]["mem_len"]), (60 * 150, 150))
        self.assertEqual(self.last_line("xl", "--preset", "small", *tiny)["tgt_tokens"], 16 * 64)

    def on_device(self, *words: str) -> subprocess.CompletedProcess:
        answer = run(*words, "--device", "cuda-emulated")
        if "not built into" in answer.stderr or "needs the preset 'release'" in answer.stderr:
            self.skipTest(answer.stderr.strip())
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer

    def counted(self, *words: str) -> dict:
        return json.loads(self.on_device(*words, "--count").stdout.splitlines()[-1])

    def test_what_a_step_asks_of_a_gpu_does_not_grow(self):
        for words, most in MOST.items():
            found = self.counted(*words.split())
            self.assertEqual(found["waits"], 1, words)
            for name, limit in most.items():
                self.assertLessEqual(found[name], limit, (words, name))
            self.assertEqual(sum(kernel["launches"] for kernel in found["kernels"].values()),
                             found["launches"])
            for name, kernel in found["kernels"].items():
                self.assertGreaterEqual(kernel["transactions"], kernel["accesses"], name)

    def test_counts_are_the_same_whatever_the_order_of_threads(self):
        words = ("xl", "--layers", "1")
        self.assertEqual(self.counted(*words), self.counted(*words, "--seed", "0"))
        with unittest.mock.patch.dict(os.environ, XF_SCHEDULE="5"):
            other = self.counted(*words)
        self.assertEqual(self.counted(*words), other)

    def test_each_version_of_a_kernel_asks_for_less_of_what_it_was_written_for(self):
        found = self.on_device("steps")
        titles, counts = (), {}
        for words in map(str.split, found.stdout.splitlines()):
            if words[:1] == ["version"]:
                titles = words[1:]
            elif titles and len(words) == len(titles) + 1:
                counts[words[0]] = dict(zip(titles, map(int, words[1:])))
        self.assertEqual(len(counts), 18)
        for less, more, what in (
                ("warp_a_row", "thread_a_row", "transactions"),
                ("four_at_once", "warp_a_row", "accesses"),
                ("tree_of_neighbours", "one_number", "atomics"),
                ("tree_of_first_threads", "tree_of_neighbours", "branches"),
                ("tree_of_halves", "tree_of_first_threads", "conflicts"),
                ("warps_first", "tree_of_halves", "barriers"),
                ("many_a_thread", "warps_first", "shared"),
                ("tiles", "thread_a_number", "transactions"), ("registers", "tiles", "shared"),
                ("vectors", "registers", "accesses"), ("two_buffers", "vectors", "barriers"),
                ("shared_keys", "one_kernel", "transactions")):
            self.assertLess(counts[less][what], counts[more][what], (less, more))

    def test_decode_counts_the_same_steps_in_eight_bits(self):
        sizes = ("--d-model", "64", "--d-ff", "256", "--batch", "16", "--out-len", "5", "--runs",
                 "1", "--warmup", "0", "--peak-size", "0")
        found = self.last_line("decode", *sizes, "--precision", "int8")
        self.assertEqual((found["precision"], found["out_tokens"]), ("int8", 80))

    def test_translate_times_a_text(self):
        golden = Path(__file__).resolve().parent.parent / "tests" / "golden" / "model_word"
        for precision in ("float32", "int8"):
            answer = run("translate", "--model", str(golden), "--src", str(golden / "source.txt"),
                         "--batch", "2", "--beam", "2", "--runs", "1", "--length", "3",
                         "--precision", precision)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            found = json.loads(answer.stdout.splitlines()[-1])
            lines = [line for line in (golden / "source.txt").read_text().splitlines() if line]
            self.assertEqual(found["sentences"], len(lines))
            self.assertEqual(found["tokens"], 4 * len(lines))  # with <eos>
            self.assertEqual(found["precision"], precision)

    def test_a_bad_flag_is_one_line_and_exit_code_2(self):
        for flags, word in ((["train", "--preset", "huge"], "--preset"),
                            (["train", "--ragged", "--tgt-len", "4"], "--ragged"),
                            (["decode", "--no-cache", "--beam", "2"], "--no-cache"),
                            (["train", "--tie"], "--tie"),
                            (["xl", "--preset", "base"], "--preset"),
                            (["decode", "--precision", "int4"], "--precision"),
                            (["train", "--precision", "bf16"], "for a GPU"),
                            (["xl", "--precision", "tf32"], "for a GPU"),
                            (["translate", "--model", "none", "--src", "none"], "none")):
            answer = run(*flags)
            self.assertEqual(answer.returncode, 2)
            self.assertEqual(len(answer.stderr.splitlines()), 1, answer.stderr)
            self.assertIn(word, answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
