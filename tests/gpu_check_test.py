#!/usr/bin/env python3
"""tools/gpu_check.py without a GPU: the page that it writes from a made-up record, and a call whose
programs are scripts. The real page is never touched."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

from support.checkout import ROOT, WithFolder, json_of, read
from tools import gpu_check

PAGES = [ROOT / "docs/results" / name for name in gpu_check.PAGES.values()]
RECORD = {
    "date": "2031-02-03", "programs": "0123",
    "phases": {"sanitize": {"failed": [], "left_out": ["compute-sanitizer initcheck"],
                            "log": ["a line of the log"]},
               "tests": {"failed": [], "left_out": [], "log": []}},
    "machine": {"gpu": "Made-up GPU", "driver": "999.1", "memory": "7 MiB", "system": "Minix",
                "cores": 3},
    "tests": {"cases": 48, "assertions": 21260},
    "sanitizers": {"memcheck": True, "racecheck": False},
    "kernels": [{"name": "copy", "microseconds": 12.34, "gb_per_s": 2720.0, "gflop_per_s": 0.0,
                 "share": 1.0}],
    "speed": [{"what": "train", "precision": "bf16",
               "ours": {"tokens_per_s": 300000.0, "ms_per_step": 13.65},
               "eager": {"tokens_per_s": 200000.0, "torch": "9.9", "cuda": "13.0"},
               "compile": {"tokens_per_s": 400000.0, "torch": "9.9", "cuda": "13.0"}},
              {"what": "decode", "precision": "float32", "ours": None, "eager": None,
               "compile": None}],
}


class Untouched(WithFolder):
    def setUp(self):
        before = [path.read_bytes() for path in PAGES]
        self.addCleanup(lambda: self.assertEqual([path.read_bytes() for path in PAGES], before))

    def pages(self, folder: Path) -> list[str]:
        return [read(folder / name) for name in gpu_check.PAGES.values()]


class Page(Untouched):
    def written(self, **changes) -> list[str]:
        for path in PAGES:
            shutil.copy(path, self.folder)
        gpu_check.write(self.folder, {**RECORD, **changes})
        return self.pages(self.folder)

    def test_it_has_the_figures_and_keeps_the_rest(self):
        for page, before in zip(self.written(), self.pages(ROOT / "docs/results")):
            for figure in ("Made-up GPU", "999.1", "2031-02-03", "21,260",
                           "compute-sanitizer initcheck", "| copy | 12.3 | 2,720 | 0 | 100 % |",
                           "| bf16 | 300,000 | 13.65 | 200,000 | 1.50 | 400,000 | 0.75 |",
                           "| float32 | - | - | - | - | - | - |", "PyTorch 9.9"):
                self.assertIn(figure, page)
            middle = before[before.index("<!-- /gpu -->"):before.index("<!-- gpu: figures -->")]
            self.assertIn(middle, page)
        english, chinese = self.pages(self.folder)
        self.assertIn("memcheck no finding, racecheck **findings, or it failed**", english)
        self.assertIn("memcheck 没有发现问题、racecheck **发现问题，或没有跑完**", chinese)
        self.assertEqual(json_of(self.folder / "logs/gpu.json")["tests"], RECORD["tests"])

    def test_written_again_it_has_the_new_figures_alone(self):
        self.written()
        gpu_check.write(self.folder, {**RECORD, "date": "2032-01-01"})
        for page in self.pages(self.folder):
            self.assertNotIn("2031", page)
            self.assertEqual(page.count("2032-01-01"), 2)

    def test_what_failed_is_said(self):
        phase = {"failed": ["kernels"], "left_out": [], "log": []}
        english, chinese = self.written(phases={"kernels": phase, "tests": phase}, tests=None,
                                        sanitizers={}, speed=[])
        self.assertIn("**Failed:** kernels, kernels.", english)
        self.assertIn("**`test_cuda` failed on the device.** compute-sanitizer was not run.",
                      english)
        self.assertIn("**没有通过：** kernels、kernels。", chinese)
        self.assertNotIn("| bf16", english)

    def test_without_pytorch_there_is_no_ratio(self):
        row = {**RECORD["speed"][0], "eager": None, "compile": None}
        english, _ = self.written(speed=[row])
        self.assertIn("| bf16 | 300,000 | 13.65 | - | - | - | - |", english)
        self.assertIn("was not there to compare with", english)

    def test_a_page_without_its_places_is_refused_and_nothing_is_written(self):
        for path in PAGES:
            shutil.copy(path, self.folder)
        (self.folder / "gpu.zh.md").write_text("nothing to fill\n")
        before = self.pages(self.folder)
        with self.assertRaisesRegex(gpu_check.Problem, "gpu.zh.md: there is no place"):
            gpu_check.write(self.folder, RECORD)
        self.assertEqual(self.pages(self.folder), before)
        self.assertFalse((self.folder / "logs").exists())


TOKENS = '{"tokens_per_s": 1234.0, "ms_per_step": 3.0}'
PROGRAMS = {
    "test_cuda": 'echo "[doctest] test cases: 7 | 7 passed | 0 failed"\n'
                 'echo "[doctest] assertions: 70 | 70 passed | 0 failed |"\n'
                 r"printf 'sums\ty\t1e-7\t1e-5\nproducts\ty[0]\t4e-6\t1e-5\n' > $XF_MEASURED",
    "bench_gpu": """echo '{"rows": [{"name": "copy", "microseconds": 1, "gb_per_s": 2, """
                 """"gflop_per_s": 0, "share": 1}]}'""",
    "bench": f"echo '{TOKENS}'",
    **{name: "true" for name in gpu_check.LESSONS},
}


def script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Called(Untouched):
    """In a checkout whose programs, PyTorch and tools are scripts."""

    def setUp(self):
        super().setUp()
        self.path, self.built = self.folder / "path", self.folder / "build/cuda/bin"
        for name, body in PROGRAMS.items():
            script(self.built / name, body)
        for name, body in {"nvidia-smi": 'echo "Made-up GPU, 999.1, 7 MiB"', "ldd": "true",
                           "nvcc": "true", "cmake": "true", "ninja": "true"}.items():
            script(self.path / name, body)
        for name in ("tests/device_test.py", "tests/device_lessons_test.py", "path/torch.py"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text("")
        (self.folder / "bench").mkdir()
        for name in ("torch_mt.py", "torch_xl.py"):  # half as fast
            (self.folder / "bench" / name).write_text(
                "import os\nassert 'LD_LIBRARY_PATH' not in os.environ\n"
                "print('{\"tokens_per_s\": 617.0, \"torch\": \"9.9\", \"cuda\": \"13\"}')\n")
        self.results = self.folder / "docs/results"
        self.results.mkdir(parents=True)
        for page in PAGES:
            shutil.copy(page, self.results)

    def check(self, *more: str) -> tuple[int, str, str]:
        path = f"{self.path}:{Path(sys.executable).parent}:/usr/bin:/bin"
        heard, complained = io.StringIO(), io.StringIO()
        with unittest.mock.patch.object(gpu_check, "ROOT", self.folder), \
                unittest.mock.patch.dict(os.environ, PATH=path, PYTHONPATH=str(self.path)), \
                contextlib.redirect_stdout(heard), contextlib.redirect_stderr(complained):
            os.environ.pop("LD_LIBRARY_PATH", None)
            code = gpu_check.main(["--build", str(self.folder / "build/cuda"), *more])
        return code, heard.getvalue(), complained.getvalue()

    def record(self) -> dict:
        return json_of(self.results / "logs/gpu.json")

    def test_one_call_builds_tests_measures_and_fills_the_pages(self):
        code, said, complaint = self.check()
        self.assertEqual((code, complaint), (0, ""), said)
        self.assertIn("$ cmake --preset cuda", said)
        record = self.record()
        products = {"case": "products", "check": "y[0]", "gap": 4e-6, "bound": 1e-5}
        self.assertEqual(record["tests"]["nearest"][0], products)
        self.assertEqual([record["tests"][name] for name in ("cases", "assertions")], [7, 70])
        self.assertIn("\n     4e-06 of 1e-05  products: y[0]\n",
                      (self.results / "logs/gpu.txt").read_text())
        self.assertEqual(record["kernels"][0]["name"], "copy")
        self.assertEqual(record["lessons"], {"count": 10, "all": 10})
        self.assertEqual({row["precision"] for row in record["speed"]}, {"float32", "tf32", "bf16"})
        for page in self.pages(self.results):
            self.assertIn("Made-up GPU", page)
            self.assertIn("| 1,234 | 3.00 | 617 | 2.00 | 617 | 2.00 |", page)

    def test_a_step_that_fails_is_named_and_the_others_still_run(self):
        script(self.built / "test_cuda", "echo broken; exit 1")
        code, said, _ = self.check()
        self.assertEqual(code, 1)
        self.assertIn("\nfailed: tests on the device\n", said)
        english, _ = self.pages(self.results)
        self.assertIn("**Failed:** tests on the device.", english)
        self.assertIn("1,234", english)

    def test_what_is_wrong_is_one_line_and_nothing_is_written(self):
        before = self.pages(self.results)
        for name, body, more, line in (
                ("nvidia-smi", "exit 9", (), "nvidia-smi finds no GPU; nothing was built"),
                ("ldd", 'echo "	libcublas.so.13 => not found"', (), "needs libcublas.so.13;"),
                ("ninja", "exit 3", (), "ninja has failed"),
                ("ldd", "true", ("--cublas", "none"), "--cublas none: there is no lib/ in it")):
            with self.subTest(line):
                kept = (self.path / name).read_text()
                script(self.path / name, body)
                code, _, complaint = self.check(*more)
                (self.path / name).write_text(kept)
                self.assertEqual(code, 2)
                self.assertRegex(complaint, rf"^gpu_check: [^\n]*{re.escape(line)}[^\n]*\n$")
                self.assertEqual(self.pages(self.results), before)

    def test_without_cublas_the_page_says_so(self):
        script(self.path / "ldd", 'echo "	libc.so.6 => /lib/libc.so.6"')
        self.assertEqual(self.check("--only", "kernels")[0], 0)
        for page, said in zip(self.pages(self.results), ("without cuBLAS", "没有 cuBLAS")):
            self.assertIn(said, page)

    def test_a_later_call_adds_its_phases_to_the_record(self):
        self.check("--only", "tests")
        self.check("--only", "kernels")
        record = self.record()
        self.assertEqual(list(record["phases"]), ["tests", "kernels"])
        self.assertEqual((record["tests"]["cases"], len(record["kernels"])), (7, 1))
        script(self.built / "bench", "echo another")
        self.check("--only", "lessons")
        self.assertEqual(list(self.record()["phases"]), ["lessons"])

    def test_a_step_that_takes_too_long_has_failed_with_all_that_it_has_started(self):
        script(self.folder / "slow", "sleep 60 & echo begun; sleep 60")
        known, before = gpu_check.Check(self.folder, dict(os.environ)), time.monotonic()
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertIsNone(known.run("slow", [self.folder / "slow"], 1))
        self.assertLess(time.monotonic() - before, 30)
        self.assertEqual(known.found["failed"], ["slow"])
        self.assertIn("begun", known.lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
