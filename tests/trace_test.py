#!/usr/bin/env python3
"""`--trace`: every op as it happens, beside the line of the chapter that it comes from.

The programs are those of $XF_BIN, or of the release build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import browser  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("XF_BIN") or ROOT / "build/release/bin")
PLACE = re.compile(r"^ {8}(chapters/\S+):(\d+)  (.*)$", re.M)


def run(program: str, *arguments, stdin: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run([BIN / program, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=300)


@unittest.skipUnless((BIN / "02_attention").exists(), f"no programs in {BIN}")
class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="xf-trace-")
        cls.addClassCleanup(folder.cleanup)
        cls.out = folder.name

    def test_a_lesson_prints_the_same_and_the_trace_goes_beside_it(self):
        without = run("02_attention", "--threads", 1, "--out", self.out)
        traced = run("02_attention", "--threads", 1, "--out", self.out, "--trace")
        untimed = [out.split(b"\n9. ")[0] for out in (traced.stdout, without.stdout)]
        self.assertEqual(untimed[0], untimed[1])
        self.assertEqual((without.stderr, traced.returncode), (b"", 0))
        lines = traced.stderr.decode().splitlines()
        self.assertEqual(lines[0], "     1  scores = matmul: a b, or a b^T")
        self.assertIn("(1, 1, 3, 2) (1, 1, 3, 2) -> (1, 1, 3, 3)   min 0  mean 1.444  max 4",
                      lines[1])

    def test_one_section_alone_is_that_of_the_whole_lesson(self):
        whole = run("02_attention", "--out", self.out).stdout.decode()
        for number in (1, 4):
            one = run("02_attention", "--out", self.out, "--section", number).stdout.decode()
            self.assertTrue(one.startswith(f"{number}. "))
            self.assertIn("\n" + one, whole)
            self.assertNotIn(f"\n{number + 1}. ", one)

    def test_the_trace_of_one_section_ends_with_it(self):
        trace = run("02_attention", "--out", self.out, "--section", 1, "--trace").stderr.decode()
        self.assertTrue(trace.startswith("     1  scores = matmul"))
        self.assertLess(len(trace.splitlines()), 100)
        later = run("02_attention", "--out", self.out, "--section", 4, "--trace").stderr.decode()
        self.assertFalse(later.startswith("     1  "))

    def test_a_section_that_does_not_exist_is_named(self):
        for arguments, said in ((["--section", 99], "there is no section 99, the last one is 11"),
                                (["--section", 0], "--section: 1 to 99, not '0'"),
                                (["--section", "x"], "--section: an integer is wanted, not 'x'")):
            answer = run("02_attention", "--out", self.out, *arguments)
            self.assertEqual(2, answer.returncode)
            self.assertEqual(1, answer.stderr.count(b"\n"))
            self.assertIn(said, answer.stderr.decode())

    @unittest.skipUnless(shutil.which("addr2line"), "binutils is not installed")
    def test_each_place_is_the_line_that_stands_there(self):
        trace = run("02_attention", "--out", self.out, "--trace").stderr.decode()
        places = set(PLACE.findall(trace))
        self.assertGreater(len(places), 10)
        self.assertIn("chapters/02_attention/attention.hpp", {file for file, _, _ in places})
        for file, line, code in places:
            source = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
            self.assertTrue(source.strip().startswith(code), (file, line, code))

    def test_a_gradient_names_its_step_and_has_its_shape(self):
        trace = run("02_attention", "--out", self.out, "--trace").stderr.decode()
        results = dict(re.findall(r"^ *(\d+) {2}(?!.*gradient of).*\n.*-> (\([\d, ]*\))", trace,
                                  re.M))
        gradients = re.findall(r"gradient of \w+, step (\d+)\n {8}(\([\d, ]*\))", trace)
        self.assertGreater(len(gradients), 10)
        for step, shape in gradients:
            self.assertEqual(results[step], shape)

    def test_the_page_has_the_same_steps_and_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "trace.html"
            answer = run("02_attention", "--out", folder, "--trace", "--trace-page", page)
            text = page.read_text(encoding="utf-8")
        self.assertEqual(answer.returncode, 0)
        data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
        printed = re.findall(r"^ *(\d+)  ", answer.stderr.decode(), re.M)
        self.assertEqual([str(step["number"]) for step in data["steps"]], printed[:600])
        self.assertEqual(data["steps"][0]["name"], "scores")
        self.assertEqual(data["steps"][0]["numbers"][:3], [2, 1, 0])
        file = "chapters/02_attention/attention.hpp"
        self.assertEqual("\n".join(data["sources"][file]) + "\n",
                         (ROOT / file).read_text(encoding="utf-8"))

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_the_page_steps_forward_and_back_and_to_the_gradient(self):
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
            path = Path(folder) / "trace.html"
            run("02_attention", "--out", folder, "--trace-page", path)
            page.open(path, "#lang=en")
            text = lambda name: page.js(f"byId('{name}').textContent")  # noqa: E731
            self.assertEqual(text("name"), "scores")
            self.assertIn("matmul(q, k, Transpose::yes)", page.js(
                "document.querySelector('#code .here').textContent"))
            self.assertEqual(page.js("document.querySelectorAll('#value td').length"), 9)
            page.press("ArrowRight")
            self.assertEqual(text("name"), "weights")
            page.press("End")
            page.js("go(STEPS.findIndex((step) => gradient_of.has(step.number)))")
            page.press("g")
            self.assertTrue(text("name").startswith("gradient of"))
            self.assertFalse(page.js("byId('gradient_card').hidden"))
            page.press("l")
            self.assertTrue(text("name").endswith("的梯度"))
            page.resize(390, 844, mobile=True)
            page.frame()
            self.assertLessEqual(page.js("document.documentElement.scrollWidth"), 390)
            self.assertEqual(page.errors, [])
            self.assertEqual(len(page.requests), 1)

    def test_a_command_says_in_which_layer(self):
        model = ROOT / "tests/golden/model_word"
        without = run("07_transformer", "translate", "--model", model, stdin=b"i like winter\n")
        traced = run("07_transformer", "translate", "--model", model, "--trace",
                     stdin=b"i like winter\n")
        self.assertEqual(traced.stdout, without.stdout)
        self.assertRegex(traced.stderr.decode(), r"in encoder\.layers\.0\.self_attention\n")


if __name__ == "__main__":
    unittest.main()
