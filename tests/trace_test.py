#!/usr/bin/env python3
"""`--trace`: every op as it happens, beside the line of the chapter that it comes from.

The programs are those of $XF_BIN, or of the release build.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import browser
from support.checkout import BIN, GOLDEN, ROOT, WithFolder, data_of, read

PLACE = re.compile(r"^ {8}(chapters/\S+):(\d+)  (.*)$", re.M)
# One run of each program, short where its lesson trains long; and ops that it must show.
RUNS = {
    "00_foundations": ([], {"embedding", "cross_entropy"}),
    "01_embedding": ([], {"embedding", "cross_entropy", "add", "scale"}),
    "02_attention": ([], {"matmul", "softmax", "split_heads", "merge_heads", "linear"}),
    "03_layer_norm": ([], {"layer_norm", "linear", "relu"}),
    "04_feed_forward": ([], {"linear", "relu", "gelu", "silu"}),
    "05_encoder": ([], {"layer_norm", "matmul", "top_k"}),
    "06_decoder": ([], {"append", "attend_rows", "linear"}),
    "07_transformer": (["translate", "--model", GOLDEN / "model_word"],
                       {"append", "attend_rows", "top_k", "layer_norm"}),
    "08_transformer_xl": (["evaluate", "--model", GOLDEN / "model_xl", "--text",
                           GOLDEN / "model_xl/text.txt"],
                          {"attend_relative", "log_likelihood", "concat"}),
}
SOME = 60000  # lines of a trace that are looked at
# What is another op: argmax is top_k with k = 1.
NO_OPS = {"argmax"}


def beginning(program: str, out: str) -> list[str]:
    """The first lines of the program's trace; then nobody reads on, and it ends."""
    with subprocess.Popen([BIN / program, *map(str, RUNS[program][0]), "--out", out, "--trace"],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        process.stdin.write("i like winter\n")
        process.stdin.close()
        lines = [line.rstrip("\n") for line in itertools.islice(process.stderr, SOME)]
        process.kill()
    return lines


def ops_of_headers() -> set[str]:
    """The functions of common/ops that return a tensor, or the numbers of one."""
    found = set()
    for header in ROOT.glob("common/ops/*/*.hpp"):
        if header.name == "kernels.hpp":
            continue
        found |= set(re.findall(r"^(?:Tensor|std::vector<\w+>) (\w+)\(", read(header), re.M))
    return found - NO_OPS


def run(program: str, *arguments, stdin: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run([BIN / program, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=300)


@unittest.skipUnless((BIN / "02_attention").exists(), f"no programs in {BIN}")
class Trace(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.out = cls.folder_of_class()

    @classmethod
    def whole(cls) -> tuple[subprocess.CompletedProcess, Path]:
        """A whole lesson traced, in the terminal and as a page: 80,000 steps, so once."""
        if not hasattr(cls, "traced"):
            page = cls.out / "trace.html"
            cls.traced = run("05_encoder", "--threads", 1, "--out", cls.out, "--trace",
                             "--trace-page", page), page
        return cls.traced

    def test_a_lesson_prints_the_same_and_the_trace_goes_beside_it(self):
        without = run("05_encoder", "--threads", 1, "--out", self.out)
        traced, _ = self.whole()
        self.assertEqual(traced.stdout, without.stdout)
        self.assertEqual((without.stderr, traced.returncode), (b"", 0))

    def test_what_a_step_computes_how_large_it_is_and_where(self):
        lines = run("02_attention", "--out", self.out, "--section", 1,
                    "--trace").stderr.decode().splitlines()
        self.assertEqual(lines[0], "     1  matmul: a b^T")
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
        self.assertTrue(trace.startswith("     1  matmul: "))
        self.assertLess(len(trace.splitlines()), 100)
        later = run("02_attention", "--out", self.out, "--section", 4, "--trace").stderr.decode()
        self.assertFalse(later.startswith("     1  "))

    def test_a_section_that_does_not_exist_is_named(self):
        for arguments, said in ((["--section", 99], "there is no section 99; the last one is 12"),
                                (["--section", 0], "--section: must be from 1 to 99, not '0'"),
                                (["--section", "x"], "--section: expected an integer, not 'x'")):
            answer = run("02_attention", "--out", self.out, *arguments)
            self.assertEqual(2, answer.returncode)
            self.assertEqual(1, answer.stderr.count(b"\n"))
            self.assertIn(said, answer.stderr.decode())

    def test_a_section_beyond_the_last_is_refused_before_the_lesson_runs(self):
        """How many there are is counted in the sources: the lessons of 7 and 8 take long."""
        for main in sorted((ROOT / "chapters").glob("0*/main.cpp")):
            lesson = main.parent.name
            sections = sum(len(re.findall(r"^ +section\(", read(path), re.M))
                           for path in main.parent.rglob("*.cpp"))
            for beyond in (sections + 1, 99):
                out = self.out / "none" / lesson
                answer = run(lesson, "--out", out, "--section", beyond)
                self.assertEqual((2, b""), (answer.returncode, answer.stdout), lesson)
                self.assertEqual(f"error: --section: there is no section {beyond}; the last one is "
                                 f"{sections}\n", answer.stderr.decode(), lesson)
                self.assertFalse(out.exists())

    def test_a_page_that_cannot_be_written_is_refused_before_the_lesson_runs(self):
        out = self.folder / "new"
        for page in (self.folder / "none" / "trace.html", self.folder):
            answer = run("02_attention", "--out", out, "--trace-page", page)
            self.assertEqual((2, b""), (answer.returncode, answer.stdout), page)
            self.assertIn(f"error: {page}: ", answer.stderr.decode())
        answer = run("02_attention", "--section", 1, "--out", out, "--trace-page",
                     out / "trace.html")  # the directory that the lesson makes
        self.assertEqual((0, b""), (answer.returncode, answer.stderr))
        self.assertEqual(["trace.html"], [path.name for path in out.glob("trace*")])

    @unittest.skipUnless(shutil.which("addr2line"), "binutils is not installed")
    def test_each_place_is_the_line_that_stands_there(self):
        trace = self.whole()[0].stderr.decode()
        places = set(PLACE.findall(trace))
        self.assertGreater(len(places), 10)
        self.assertIn("chapters/02_attention/attention.hpp", {file for file, _, _ in places})
        for file, line, code in places:
            source = read(file).splitlines()[int(line) - 1]
            self.assertTrue(source.strip().startswith(code), (file, line, code))

    def test_a_gradient_names_its_step_and_has_its_shape(self):
        trace = self.whole()[0].stderr.decode()
        results = dict(re.findall(r"^ *(\d+) {2}(?!.*gradient of).*\n.*-> (\([\d, ]*\))", trace,
                                  re.M))
        gradients = re.findall(r"gradient of \w+, step (\d+)\n {8}(\([\d, ]*\))", trace)
        self.assertGreater(len(gradients), 10)
        for step, shape in gradients:
            self.assertEqual(results[step], shape)

    def test_the_page_has_the_same_steps_and_the_sources(self):
        answer, page = self.whole()
        data = data_of(page)
        printed = re.findall(r"^ *(\d+)  ", answer.stderr.decode(), re.M)
        self.assertEqual([str(step["number"]) for step in data["steps"]], printed[:600])
        self.assertEqual(data["steps"][9]["name"], "scores")
        self.assertEqual(data["steps"][0]["numbers"][:3], [0.6263, -0.07054, 0.2422])
        file = "chapters/02_attention/attention.hpp"
        self.assertEqual("\n".join(data["sources"][file]) + "\n", read(file))

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_the_page_steps_forward_and_back_and_to_the_gradient(self):
        path = self.folder / "trace.html"
        run("05_encoder", "--section", 7, "--out", self.out, "--trace-page", path)
        with browser.Browser() as page:
            page.open(path, "#lang=en")
            text = lambda name: page.js(f"byId('{name}').textContent")  # noqa: E731
            self.assertIn("Chapter 5: the encoder", text("title"))
            self.assertRegex(text("dropped"), r"^The first 600 steps; [\d,]+ later ones are left "
                                              r"out\..*Left out: \w+ [\d,]+, \w+ [\d,]+, ")
            self.assertFalse(page.js("byId('dropped').open"), "the tally is not folded")
            self.assertRegex(page.js("document.querySelector('#steps h3').textContent"), r"^7\. \w")
            self.assertEqual(page.js("document.querySelector('#code .keyword').localName"), "b")
            wide = ("[...document.querySelectorAll('#code > span')]"
                    ".some((e) => e.scrollWidth > e.clientWidth)")
            self.assertFalse(page.js(wide), "a line of code is not wrapped")
            self.assertEqual(text("name"), "embedding")
            page.js("go(9)")
            self.assertEqual(text("name"), "matmul scores")
            self.assertIn("matmul(q, k, Transpose::yes)", page.js(
                "document.querySelector('#code .here').textContent"))
            self.assertFalse(page.js("byId('product_card').hidden"))
            page.press("ArrowRight")
            self.assertEqual(text("name"), "softmax weights")
            self.assertTrue(page.js("byId('product_card').hidden"))
            self.assertTrue(page.js("document.querySelector('#code .here').offsetWidth <= "
                                    "byId('code').clientWidth"), "the call is cut")
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

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_a_cell_of_a_product_lights_what_it_is_made_of(self):
        """Q K^T: a row of the one, a column of the other."""
        path = self.folder / "trace.html"
        run("02_attention", "--out", self.out, "--section", 1, "--trace-page", path)
        with browser.Browser() as page:
            page.open(path, "#lang=en")
            self.assertEqual(page.js("document.querySelectorAll('#value td').length"), 9)
            self.assertEqual(page.js("document.querySelectorAll('#value th').length"), 0)
            self.follow_a_product(page)
            self.assertEqual(page.errors, [])

    def follow_a_product(self, page):
        captions = page.js("[...document.querySelectorAll('#product figcaption')]"
                           ".map((one) => one.textContent)")
        self.assertEqual(captions, ["q", "kᵀ", "scores"])
        lit = lambda name: page.js(  # noqa: E731
            f"[...document.querySelectorAll('[data-matrix={name}] .lit')]"
            ".map((e) => e.textContent)")
        page.move(*page.middle("[data-matrix=y] td[data-row='1'][data-column='2']"))
        page.frame()
        rows, columns, result = map(lit, "aby")
        self.assertEqual(float(result[0]), sum(float(x) * float(y) for x, y in zip(rows, columns)))
        self.assertEqual(float(page.js("byId('product_sum').textContent").rpartition("= ")[2]),
                         float(result[0]))
        page.js("document.querySelector('[data-matrix=y]').focus()")
        page.press("ArrowUp")
        self.assertEqual(page.js("document.querySelector('[data-matrix=y] .lit').dataset.row"), "0")
        self.assertEqual(page.js("state.step"), 0)
        page.js("document.activeElement.blur()")

    def test_each_program_says_of_each_op_what_where_and_how_large(self):
        for program, (_, wanted) in RUNS.items():
            with self.subTest(program), tempfile.TemporaryDirectory() as out:
                lines = beginning(program, out)
                steps = [i for i, line in enumerate(lines) if re.match(r" *\d+  ", line)]
                self.assertGreater(len(steps), 20)
                seen = set()
                for i, after in zip(steps, steps[1:]):
                    title = re.fullmatch(r" *\d+  (?:d \w+ = )?(.*)", lines[i])[1]
                    if title.startswith("gradient of"):
                        self.assertRegex(lines[i + 1], r"^ {8}\([\d, ]*\)   (min|\d+ not)", title)
                        continue
                    op, _, formula = title.partition(": ")
                    seen.add(op)
                    self.assertTrue(formula, f"{op} has no formula")
                    self.assertRegex(lines[i + 1],
                                     r"^ {8}((\(.*\) )+-> )?\([\d, ]*\)   (min|\d+ not)")
                    if shutil.which("addr2line"):
                        self.assertRegex(lines[i + 2], r"^ {8}chapters/\S+:\d+  [^\s}]", lines[i])
                self.assertLessEqual(wanted, seen)

    def test_no_op_goes_by_unseen(self):
        sources = map(read, ROOT.glob("common/ops/*/*.cpp"))
        op = re.compile(r'\b(?:Op (\w+)|Op|(activation)\()\{((?:"[^"]*",?\s*)*)\}')
        formulas = {}  # of each op: what is said of it, and whether it has a backward
        for source in sources:
            for called, activation, said in op.findall(source):
                name, *computes = re.findall(r'"([^"]*)"', said)
                has_backward = activation or called and f"record({called}," in source
                formulas[name] = (computes, 2 if has_backward else 1)
        for name in sorted(ops_of_headers()):
            with self.subTest(name):  # what works in place is the same op to whoever reads a trace
                name = name.removesuffix("_in_place")
                self.assertTrue(name in formulas, f"no Op{{...}} of the name {name}")
        for name, (computes, wanted) in formulas.items():
            with self.subTest(name):
                self.assertTrue(len(computes) >= wanted and all(computes),
                                f"{name} wants {wanted} formulas, and has {computes}")

    def test_a_command_says_in_which_layer(self):
        command = ["07_transformer", *RUNS["07_transformer"][0]]
        without, traced = (run(*command, *more, stdin=b"i like winter\n")
                           for more in ([], ["--trace"]))
        self.assertEqual(traced.stdout, without.stdout)
        self.assertRegex(traced.stderr.decode(), r"in encoder\.layers\.0\.self_attention\n")


@unittest.skipUnless((BIN / "08_transformer_xl").exists(), f"no programs in {BIN}")
class WholePass(WithFolder):
    """The page of one pass of a whole model that chapters 7 and 8 write."""

    PASSES = ("07_transformer", "08_transformer_xl")

    @classmethod
    def setUpClass(cls):
        cls.out = cls.folder_of_class()
        for program in cls.PASSES:
            answer = run(program, "trace", "--out", cls.out / program, "--language", "en")
            assert answer.returncode == 0, answer.stderr

    def steps(self, program: str) -> list[dict]:
        return data_of(self.out / program / "trace.html")["steps"]

    def test_every_operation_has_its_gradient_and_every_parameter(self):
        for program in self.PASSES:
            steps = self.steps(program)
            forward = [one for one in steps if not one["backward"]]
            back = {one["of"]: one for one in steps if one["backward"]}
            parameters = [one for one in forward if one["op"] == "parameter"]
            self.assertGreater(len(parameters), 20)
            for one in parameters:
                self.assertEqual(back[one["number"]]["shape"], one["shape"], one["name"])
            loss = next(one for one in forward if one["op"] == "cross_entropy")
            self.assertEqual(back[loss["number"]]["numbers"], [1])
            without = [one["op"] for one in forward if one["number"] not in back
                       and any(given["step"] in back or given["name"] for given in one["inputs"])]
            self.assertEqual(without, [], program)

    def test_inputs_lead_to_what_made_them(self):
        for program in self.PASSES:
            steps = self.steps(program)
            by_number = {one["number"]: one for one in steps if not one["backward"]}
            names = {f'{one["scope"]}.{one["name"]}' for one in by_number.values()
                     if one["op"] == "parameter"}
            made = named = 0
            for one in by_number.values():
                for given in one["inputs"]:
                    if given["step"]:
                        made += 1
                        self.assertEqual(by_number[given["step"]]["shape"], given["shape"])
                        self.assertLess(given["step"], one["number"])
                    elif given["name"]:
                        named += 1
                        self.assertIn(given["name"], names)
            self.assertGreater(min(made, named), 20, program)

    def test_the_numbers_are_those_of_the_heads_and_rows_sum_to_one(self):
        weights = next(one for one in self.steps("07_transformer")
                       if one["op"] == "softmax" and one["scope"].startswith("decoder"))
        self.assertEqual((weights["blocks"], weights["rows"], weights["columns"]), (2, 4, 4))
        for row in range(8):
            self.assertAlmostEqual(sum(weights["numbers"][4 * row:4 * row + 4]), 1, places=3)
        self.assertEqual(weights["numbers"][1:4], [0, 0, 0])  # the first word sees itself alone

    @unittest.skipUnless(shutil.which("addr2line"), "binutils is not installed")
    def test_each_operation_stands_at_a_line_of_a_chapter(self):
        for program in self.PASSES:
            for one in self.steps(program):
                if one["op"] != "parameter":
                    self.assertRegex(one["file"], r"^chapters/0\d_", one)

    def test_the_flag_shows_the_pass_and_the_trace_goes_on_beside_it(self):
        page = self.out / "flag.html"
        answer = run("08_transformer_xl", "trace", "--out", self.out / "flag", "--trace-page", page,
                     "--trace", "--language", "en")
        self.assertEqual(read(page), read(self.out / "08_transformer_xl/trace.html"))
        printed = re.findall(r"^ *\d+  ", answer.stderr.decode(), re.M)
        operations = [one for one in self.steps("08_transformer_xl") if one["op"] != "parameter"]
        self.assertGreaterEqual(len(printed), len(operations))

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_a_learner_steps_through_it_and_follows_the_inputs(self):
        with browser.Browser() as page:
            page.open(self.out / "07_transformer/trace.html", "#lang=en")
            self.assertGreater(page.js("document.querySelectorAll('#steps .scope').length"), 4)
            page.js("go(STEPS.findIndex((step) => step.op === 'softmax'))")
            self.assertEqual(page.js("document.querySelectorAll('#value table').length"), 2)
            self.assertIn("dx = c y", page.js("byId('backward_formula').textContent"))
            numbers = page.js("document.querySelectorAll('#gradient tbody td').length")
            self.assertEqual(numbers, 32)
            page.click("#facts button")  # where the scores come from
            self.assertEqual(page.js("byId('name').textContent"), "matmul scores")
            page.js("go(STEPS.findIndex((step) => step.op === 'linear'))")
            page.js("byId('facts').querySelectorAll('button')[1].click()")  # its weight
            self.assertEqual(page.js("byId('name').textContent"), "weight")
            page.press("g")
            self.assertTrue(page.js("byId('name').textContent").startswith("gradient of weight"))
            for width, scheme in ((390, "light"), (390, "dark"), (1280, "dark")):
                page.prefer(scheme)
                page.resize(width, 844, mobile=width < 500)
                page.frame()
                self.assertLessEqual(page.js("document.documentElement.scrollWidth"), width)
            self.assertEqual((page.errors, len(page.requests)), ([], 1))

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_rows_that_are_words_have_them_and_so_have_their_gradients(self):
        reads, writes = ["I", "like", "winter", "<eos>"], ["<bos>", "我", "喜欢", "冬天"]
        text = ["<bos>", "the", "cat", "sees", "that", "the"]
        decoder = "decoder.layers.0.cross_attention"
        expected = {
            "07_transformer": [("encoder", "embedding source_embedding", reads, []),
                               ("decoder", "scale", writes, []),
                               ("encoder.layers.0.self_attention", "softmax weights", reads, reads),
                               (decoder, "split_heads queries", writes, []),
                               (decoder, "split_heads keys", reads, []),
                               (decoder, "matmul scores", writes, reads),
                               (decoder, "softmax weights", writes, reads),
                               (decoder, "matmul", writes, []), ("", "cross_entropy", [], [])],
            "08_transformer_xl": [("", "embedding", text[3:], []),
                                  ("layers.1.attention", "concat", text, []),
                                  ("layers.1.attention", "attend_relative", text[3:], []),
                                  ("layers.0.attention", "linear w_k", text, []),
                                  ("layers.0.attention", "linear w_r", [], [])]}
        with browser.Browser() as page:
            said = lambda card, scope: page.js(  # noqa: E731
                f"[...document.querySelector('#{card} table')?.querySelectorAll("
                f"'th[scope={scope}]') || []].map((one) => one.textContent)")
            for program, steps in expected.items():
                page.open(self.out / program / "trace.html", "#lang=en")
                for scope, name, rows, columns in steps:
                    page.js(f"go(STEPS.findIndex((one) => !one.backward && one.scope === '{scope}' "
                            f"&& name_of(one) === '{name}'))")
                    for card in ("value", "gradient"):
                        found = (said(card, "row"), said(card, "col"))
                        self.assertEqual(found, (rows, columns), (program, scope, name, card))
                page.js("go(STEPS.findIndex((one) => one.op === 'parameter'))")
                self.assertEqual(said("value", "row"), [])
                self.assertEqual(page.errors, [])


@unittest.skipUnless((BIN / "07_transformer").exists(), f"no programs in {BIN}")
class ByKeys(browser.PageTest, WithFolder):
    def test_tab_comes_to_every_control_and_no_key_throws_the_focus_away(self):
        run("07_transformer", "trace", "--out", self.folder)
        page = self.folder / "trace.html"
        self.page.open(page, "#lang=constructor")
        self.assertEqual(self.js("[state.lang, word('shape')]"), ["en", "result"])
        self.page.open(page, "#lang=en&step=12")
        self.assertGreater(self.walk_by_keys(), 12)
        self.page.open(page, "#lang=en&step=1")
        self.js("buttons[state.step].focus()")
        self.page.press("ArrowDown")  # along the list, the focus with it
        self.assertEqual(self.js("[state.step, buttons.indexOf(document.activeElement)]"), [1, 1])


if __name__ == "__main__":
    unittest.main()
