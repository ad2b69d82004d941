#!/usr/bin/env python3
"""tools/gpu_check.py without a GPU: the page that it writes from a made-up record, and a carried
folder whose programs are scripts. The real page is never touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import gpu_check, gpu_pack, gpu_report  # noqa: E402

PAGES = [ROOT / "docs/results" / name for name in gpu_report.PAGES.values()]
RECORD = {
    "date": "2031-02-03", "programs": "0123",
    "phases": {"sanitize": {"failed": [], "cut": ["compute-sanitizer initcheck"], "left_out": [],
                            "log": ["a line of the log"]},
               "tests": {"failed": [], "cut": [], "left_out": [], "log": []}},
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


class WithFolder(unittest.TestCase):
    def setUp(self):
        before = [path.read_bytes() for path in PAGES]
        self.addCleanup(lambda: self.assertEqual([path.read_bytes() for path in PAGES], before))
        self.folder = Path(tempfile.mkdtemp(prefix="xf-gpu-check-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def pages(self, folder: Path) -> list[str]:
        return [(folder / name).read_text(encoding="utf-8") for name in gpu_report.PAGES.values()]


class Page(WithFolder):
    def written(self, **changes) -> list[str]:
        for path in PAGES:
            shutil.copy(path, self.folder)
        gpu_report.write(self.folder, {**RECORD, **changes})
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
        self.assertEqual(json.loads((self.folder / "logs/gpu.json").read_text())["tests"],
                         RECORD["tests"])

    def test_written_again_it_has_the_new_figures_alone(self):
        self.written()
        gpu_report.write(self.folder, {**RECORD, "date": "2032-01-01"})
        for page in self.pages(self.folder):
            self.assertNotIn("2031", page)
            self.assertEqual(page.count("2032-01-01"), 2)

    def test_what_failed_is_said(self):
        phase = {"failed": ["kernels"], "cut": [], "left_out": [], "log": []}
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
        with self.assertRaisesRegex(gpu_report.Problem, "gpu.zh.md: there is no place"):
            gpu_report.write(self.folder, RECORD)
        self.assertEqual(self.pages(self.folder), before)
        self.assertFalse((self.folder / "logs").exists())

    def test_what_is_no_record_is_refused(self):
        wrong = self.folder / "wrong.json"
        for text in ("[1", "{}", '{"log": []}', "[]"):
            wrong.write_text(text)
            with self.assertRaisesRegex(gpu_report.Problem, "wrong.json: no record"):
                gpu_report.take(ROOT / "docs/results", wrong)
        with self.assertRaisesRegex(gpu_report.Problem, "No such file"):
            gpu_report.take(ROOT / "docs/results", self.folder / "none.json")


TOKENS = '{"tokens_per_s": 1234.0, "ms_per_step": 3.0}'
PROGRAMS = {
    "test_cuda": 'echo "[doctest] test cases: 7 | 7 passed | 0 failed"\n'
                 'echo "[doctest] assertions: 70 | 70 passed | 0 failed |"\n'
                 r"printf 'sums\ty\t1e-7\t1e-5\nproducts\ty[0]\t4e-6\t1e-5\n' > $XF_MEASURED",
    "bench_gpu": """echo '{"rows": [{"name": "copy", "microseconds": 1, "gb_per_s": 2, """
                 """"gflop_per_s": 0, "share": 1}]}'""",
    "bench": f"echo '{TOKENS}'",
    **{name: "true" for name in gpu_pack.LESSONS},
}


def script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Carried(WithFolder):
    """Packed with programs that are scripts, and run where nvidia-smi is one."""

    def setUp(self):
        super().setUp()
        for name, body in PROGRAMS.items():
            script(self.folder / "build/bin" / name, body)
        self.archive, self.there = self.folder / "there.tar.xz", self.folder / "there"
        self.path = self.folder / "path"
        script(self.path / "nvidia-smi", 'echo "Made-up GPU, 999.1, 7 MiB"')
        script(self.path / "ldd", "true")
        (self.path / "torch.py").write_text("")  # PyTorch, as far as it is asked for

    def pack(self) -> None:
        """With Python's tests passing, which have their own, and half as fast a PyTorch."""
        gpu_pack.pack(self.folder / "build", self.archive, ROOT)
        subprocess.run(["tar", "xf", self.archive.name], cwd=self.folder, check=True)
        for name in ("device_test.py", "device_lessons_test.py"):
            (self.there / "tests" / name).write_text("print('passed')\n")
        for name in ("torch_mt.py", "torch_xl.py"):
            (self.there / "bench" / name).write_text(
                "print('{\"tokens_per_s\": 617.0, \"torch\": \"9.9\", \"cuda\": \"13\"}')\n")

    def check(self, *more) -> subprocess.CompletedProcess:
        path = f"{self.path}:{Path(sys.executable).parent}:/usr/bin:/bin"
        return subprocess.run([sys.executable, str(self.there / "tools/gpu_check.py"), *more],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": path, "PYTHONPATH": str(self.path)})

    def test_one_call_fills_the_carried_pages_and_brings_a_record_home(self):
        self.pack()
        answer = self.check()
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), answer.stdout)
        record = json.loads((self.there / "results/logs/gpu.json").read_text())
        products = {"case": "products", "check": "y[0]", "gap": 4e-6, "bound": 1e-5}
        self.assertEqual(record["tests"]["nearest"][0], products)
        self.assertEqual([record["tests"][name] for name in ("cases", "assertions")], [7, 70])
        log = (self.there / "results/logs/gpu.txt").read_text()
        self.assertIn("\n     4e-06 of 1e-05  products: y[0]\n", log)
        self.assertEqual(record["kernels"][0]["name"], "copy")
        self.assertEqual({row["precision"] for row in record["speed"]},
                         {"float32", "tf32", "bf16"})
        for page in self.pages(self.there / "results"):
            self.assertIn("Made-up GPU", page)
            self.assertIn("| 1,234 | 3.00 | 617 | 2.00 | 617 | 2.00 |", page)
        home = self.folder / "home"  # take() into a copy of the pages
        home.mkdir()
        for path in PAGES:
            shutil.copy(path, home)
        gpu_report.take(home, self.there / "results/logs/gpu.json")
        self.assertEqual(self.pages(home), self.pages(self.there / "results"))

    def test_a_step_that_fails_is_named_and_the_others_still_run(self):
        self.pack()
        script(self.there / "bin/test_cuda", "echo broken; exit 1")
        answer = self.check()
        self.assertEqual(answer.returncode, 1)
        self.assertIn("\ntests on the device (failed)\n", answer.stdout)
        english, _ = self.pages(self.there / "results")
        self.assertIn("**Failed:** tests on the device.", english)
        self.assertIn("1,234", english)

    def test_without_a_gpu_nothing_is_written(self):
        self.pack()
        script(self.path / "nvidia-smi", "exit 9")
        before = self.pages(self.there / "results")
        answer = self.check()
        self.assertEqual((answer.returncode, answer.stderr),
                         (2, "gpu_check: nvidia-smi finds no GPU; nothing was built or written\n"))
        self.assertEqual(self.pages(self.there / "results"), before)

    def test_without_cublas_the_page_says_so(self):
        self.pack()
        script(self.path / "ldd", 'echo "	libc.so.6 => /lib/libc.so.6"')
        self.assertEqual(self.check().returncode, 0)
        for page, said in zip(self.pages(self.there / "results"), ("without cuBLAS", "没有 cuBLAS")):
            self.assertIn(said, page)

    def test_pytorch_has_its_own_libraries(self):
        self.pack()
        (self.there / "lib").mkdir(exist_ok=True)
        (self.there / "bench/torch_mt.py").write_text(
            "import json, os\n"
            "print(json.dumps({'tokens_per_s': 1.0, 'cuda': '13',\n"
            "                  'torch': os.environ.get('LD_LIBRARY_PATH', 'untouched')}))\n")
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("LD_LIBRARY_PATH", None)
            self.check()
        record = json.loads((self.there / "results/logs/gpu.json").read_text())
        self.assertEqual(record["speed"][0]["eager"]["torch"], "untouched")

    def test_a_folder_without_cublas_is_refused(self):
        self.pack()
        answer = self.check("--cublas", "none")
        self.assertEqual((answer.returncode, answer.stderr),
                         (2, "gpu_check: --cublas none: there is no lib/ in it\n"))

    def test_a_library_that_is_missing_is_named(self):
        self.pack()
        script(self.path / "ldd", 'echo "	libcublas.so.13 => not found"')
        answer = self.check()
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, r"^gpu_check: \S+ needs libcublas\.so\.13; [^\n]+\n$")

    def test_an_archive_that_is_there_is_not_written_over(self):
        self.archive.write_text("")
        with self.assertRaisesRegex(gpu_report.Problem, "is there already"):
            gpu_pack.refuse(self.archive)
        with self.assertRaisesRegex(gpu_report.Problem, "ends in .tar.xz"):
            gpu_pack.refuse(self.there)

    def test_a_later_call_adds_its_phases_to_the_record(self):
        self.pack()
        self.assertEqual(self.check("--only", "tests").returncode, 0)
        answer = self.check("--only", "kernels")
        self.assertEqual(answer.returncode, 0, answer.stdout)
        record = json.loads((self.there / "results/logs/gpu.json").read_text())
        self.assertEqual(list(record["phases"]), ["tests", "kernels"])
        self.assertEqual((record["tests"]["cases"], len(record["kernels"])), (7, 1))
        script(self.there / "bin/bench", "echo another")
        self.assertIn("begun anew", self.check("--only", "lessons").stdout)
        record = json.loads((self.there / "results/logs/gpu.json").read_text())
        self.assertEqual(list(record["phases"]), ["lessons"])
        self.assertEqual(record["lessons"], {"count": 9, "all": 9})

    def test_a_phase_that_is_none_is_refused(self):
        self.pack()
        answer = self.check("--only", "test")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("invalid choice: 'test'", answer.stderr)

    def test_the_libraries_of_a_program_are_those_it_loads_but_for_the_systems(self):
        python = Path(sys.executable).resolve()
        names = gpu_pack.libraries(python)
        self.assertFalse([name for name in names if name.startswith(("libc.", "libm.", "ld-"))])
        self.assertTrue(all(path.exists() for path in names.values()))


class InTime(WithFolder):
    """What the whole call's time cuts off is left out, with all that it has started."""

    def cut_off(self) -> gpu_check.Check:
        known = gpu_check.Check(self.folder, {**os.environ, "PATH": f"{self.folder}:/usr/bin:/bin"})
        known.begin("sanitize")
        known.results, known.end = None, time.monotonic() + 1.5
        return known

    def test_nothing_that_a_step_has_started_holds_it_up(self):
        script(self.folder / "slow", "sleep 60 & echo begun; sleep 60")
        known, before = self.cut_off(), time.monotonic()
        self.assertIsNone(known.run("slow", [self.folder / "slow"], 100))
        self.assertLess(time.monotonic() - before, 30)
        self.assertEqual((known.found["cut"], known.found["failed"]), (["slow"], []))
        self.assertIn("begun", known.lines)

    def test_a_step_that_takes_too_long_itself_has_failed(self):
        script(self.folder / "slow", "sleep 60")
        known = self.cut_off()
        known.run("slow", [self.folder / "slow"], 0.2)
        self.assertEqual(known.found["failed"], ["slow"])

    def test_a_sanitizer_that_does_not_end_has_no_findings(self):
        script(self.folder / "compute-sanitizer", "sleep 60")
        known = self.cut_off()
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"}):
            known.sanitize()
        self.assertEqual(known.record["sanitizers"], {})
        self.assertEqual(known.found["cut"],
                         [f"compute-sanitizer {tool}" for tool in gpu_check.TOOLS])

    def test_a_call_that_was_cut_off_is_no_success(self):
        (self.folder / "logs").mkdir()
        known = self.cut_off()
        known.results, known.record["machine"] = self.folder, RECORD["machine"]
        for path in PAGES:
            shutil.copy(path, self.folder)
        for name in gpu_pack.PROGRAMS:
            script(self.folder / name, "true")
        known.kernels = lambda: known.found["cut"].append("kernels")
        self.assertEqual(gpu_check.check(known, ["kernels"]), 1)

    def test_a_profile_is_summed_by_kernel(self):
        self.assertEqual(gpu_check.kernel_name(
            "void xf::cuda::for_each_number<xf::kernel::<unnamed>::Drop, float>(T1, long)"), "Drop")
        self.assertEqual(gpu_check.kernel_name("xf::<unnamed>::drop(const float *)"), "drop")
        rows = gpu_check.by_kernel(
            "==PROF== Connected\n"
            '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
            '"0","void xf::kernel::add<float>(int)","dram__bytes.sum","byte","2,000,000"\n'
            '"0","void xf::kernel::add<float>(int)","gpu__time_duration.sum","ns","1,500"\n'
            '"1","xf::kernel::add(int)","gpu__time_duration.sum","ns","500"\n'
            '"2","gemm(Params)","gpu__time_duration.sum","ns","9000"\n')
        self.assertEqual(rows, [
            {"kernel": "gemm", "launches": 1, "microseconds": 9.0, "mb": 0.0},
            {"kernel": "add", "launches": 2, "microseconds": 2.0, "mb": 2.0}])

    def test_a_build_without_its_tools_is_one_line(self):
        with self.assertRaisesRegex(gpu_report.Problem, "there is no no-such-cmake in the path"):
            gpu_pack.run(["no-such-cmake"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
