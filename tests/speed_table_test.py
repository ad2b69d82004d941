#!/usr/bin/env python3
"""The table of `./learn bench`, from made-up runs."""

from __future__ import annotations

import io
import sys
import unittest
from unittest import mock

from support.checkout import HAN, ROOT, read
from tools import terminal
from tools.language import in_chinese
from tools.speed import bench, bench_report, bench_torch

sys.path.insert(0, str(ROOT / "bench"))

import deployment  # noqa: E402
import processes  # noqa: E402
import results_page  # noqa: E402


def runs(*speeds: float) -> list[dict]:
    return [{"tokens_per_s": speed, "ms_per_step": 2.0, "peak_rss_mb": 100.0, "peak_share": 0.5}
            for speed in speeds]


class Pages(unittest.TestCase):
    def test_the_tables_of_results_are_those_of_their_logs(self):
        for measured in (processes, deployment):
            for page in results_page.pages(measured.__name__):
                self.assertEqual(read(page), results_page.with_tables(page, measured.tables), page)


class Table(unittest.TestCase):
    def setUp(self):
        case = bench.Case("train-a", "train a < b", ["train"])
        self.result = bench.Result(case, runs(200, 330, 300), runs(100, 110, 200),
                                   setting="as it comes")

    def test_a_ratio_is_the_median_over_the_pairs_with_its_least_and_most(self):
        self.assertEqual(bench_report.spread(self.result.ratios(self.result.torch)),
                         "2.00x (1.50-3.00)")
        row = bench_report.table([self.result]).splitlines()[-1]
        self.assertIn("| 300 | 110 | 2.00x (1.50-3.00) | - | 2.00 | 50.0 % | 100 / 100 |", row)

    def test_two_sides_that_counted_different_tokens_are_an_error(self):
        self.result.ours[-1]["tgt_tokens"], self.result.torch[-1]["tgt_tokens"] = 7, 8
        with self.assertRaisesRegex(terminal.Stop, "tgt_tokens: 7 here, 8 in PyTorch"):
            bench.check_equal_work(self.result.case, self.result)

    def test_a_chinese_reader_finds_no_english_in_the_page(self):
        about = {"CPU": "A CPU, 4 cores, 2 threads used by each side", "system": "Linux 6",
                 "ours": "abc, OpenBLAS kernel Zen, sgemm peak 171 GFLOP/s (2048^3)",
                 "PyTorch": "2.13 on Python 3.11, BLAS mkl, ATen AVX2", "variables": "A=1"}
        results = []
        for case in bench.all_cases():
            settings = [each.title() for each in bench_torch.candidates(case.arguments[0])]
            results.append(bench.Result(case, runs(2), runs(1), runs(4), ", ".join(settings)))
        results[0].not_compiled = "timeout"
        with mock.patch.object(terminal.Reader, "line", staticmethod(in_chinese)):
            report = bench_report.markdown(about, results)
        for text in report.splitlines():
            known = text.replace("scaled_dot_product_attention", "").replace("A CPU", "")
            self.assertNotRegex(known, r"\b[a-z]{2,} [a-z]{2,}\b")
        self.assertIn("| 训练 Transformer-XL small，dropout 0.1 |", report)
        self.assertIn("| 训练 toy，dropout 0 | 2 | 1 | 2.00x", report)
        english = bench_report.markdown(about, results)
        self.assertNotRegex(english, HAN)

    def test_torch_compile_that_fails_leaves_its_column_empty_and_says_why(self):
        def run_json(command, environment, seconds):
            if "--compile" in command:
                self.assertEqual(seconds, 7)
                raise terminal.Stop("bench: torch_mt.py: exit code 1\n  no compiler found")
            return {"tokens_per_s": 10.0, "ms_per_step": 1.0, "peak_rss_mb": 1.0, "peak_share": 0.1}
        torch = bench_torch.Torch("python", 1, run_json)
        options = bench.parse(["--pairs", "2", "--no-tune", "--compile-seconds", "7"])
        with mock.patch.object(bench, "say"), mock.patch.object(
                bench, "run_json", lambda command, environment: run_json(command, environment, 7)):
            result = bench.compare(self.result.case, torch, options, io.StringIO(), 0.0)
        self.assertEqual((len(result.ours), len(result.torch), len(result.compiled)), (2, 2, 0))
        self.assertIn("no compiler found", bench_report.markdown({}, [result]))
        torch.run_json = mock.Mock(side_effect=terminal.Stop("bench: a/b c: not done in 7 s"))
        with mock.patch.object(bench, "say"):
            self.assertIsNone(bench.run_compiled(self.result.case, torch, bench_torch.Setting(),
                                                 options, result))
        self.assertEqual(result.not_compiled, "not done in 7 s")

    def test_a_command_that_takes_too_long_is_stopped(self):
        with self.assertRaisesRegex(terminal.Stop, "not done in 0 s"):
            bench.run_json([sys.executable, "-c", "import time; time.sleep(60)"], {}, 0.2)

    def test_quick_is_two_short_pairs_and_one_when_time_is_short(self):
        options = bench.parse(["--quick"])
        self.assertEqual((options.pairs, options.compile), (2, False))
        commands = []

        def run_json(command, environment, seconds=None):
            commands.append(command)
            return {"tokens_per_s": 10.0, "ms_per_step": 1.0}
        torch = bench_torch.Torch("python", 1, run_json)
        for started, runs_of_each in ((bench.time.monotonic(), 2), (-1e9, 1)):
            commands.clear()
            with mock.patch.object(bench, "say"), mock.patch.object(bench, "run_json", run_json):
                bench.compare(self.result.case, torch, options, io.StringIO(), started)
            self.assertEqual(len(commands), 2 * runs_of_each)
            self.assertTrue(all("--steps 4 --warmup 1" in " ".join(c) for c in commands))


class PyTorch(unittest.TestCase):
    def test_a_python_without_it_says_what_to_type(self):
        torch = bench_torch.Torch(sys.executable, 1, None)
        with mock.patch.object(bench_torch.subprocess, "run") as run:
            run.return_value = mock.Mock(returncode=1, stderr="ModuleNotFoundError: no torch\n")
            with self.assertRaises(terminal.Stop) as stop:
                torch.require()
        self.assertIn("cannot import torch", str(stop.exception))
        self.assertIn("./learn bench --python", str(stop.exception))

    def test_a_setting_is_kept_only_when_it_is_faster(self):
        def run_json(command, environment, seconds):
            faster = 1.5 * ("--sdpa" in command) + 0.001 * ("fused" in command)
            return {"tokens_per_s": 100 * (1 + faster) * (
                0.5 if environment.get("OMP_PROC_BIND") else 1)}
        torch = bench_torch.Torch("python", 1, run_json)
        with mock.patch.object(bench_torch, "say"):
            best = torch.best_setting(["train"], 2)
        self.assertEqual(best.title(), "scaled_dot_product_attention")

    def test_an_unknown_case_is_an_error_that_lists_them(self):
        with self.assertRaisesRegex(terminal.Stop, "train-base-dropout0"):
            bench.chosen(["trian"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
