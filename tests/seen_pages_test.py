#!/usr/bin/env python3
"""`09_since_2017 heads` and `lens` on the models of golden/gguf: what they print, what their pages
hold, and the pages in a real Chromium, where there is one."""

from __future__ import annotations

import base64
import math
import subprocess
import unittest

from support import browser
from support.checkout import BIN, GOLDEN, WithFolder, data_of
from support.programs import Commands

PROGRAM = BIN / "09_since_2017"
GGUF = GOLDEN / "gguf"
LLAMA = ["--model", GGUF / "llama.gguf"]
TEXT = "the cat sat on the mat, and the cat is there"


def printed_map(printed: str, name: str, layers: int) -> list[str]:
    """The signs of a map, a text a layer."""
    lines = printed.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("layer"))
    column = lines[head].index(name)
    return [line[column:].split()[0] for line in lines[head + 1:head + 1 + layers]]


class Printed(Commands):
    program = PROGRAM

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.printed = {}
        for name in ("heads", "lens"):
            answer = cls.run_program(name, *LLAMA, "--text", TEXT, "--out", cls.shared)
            assert (answer.returncode, answer.stderr) == (0, b""), answer.stderr
            cls.printed[name] = answer.stdout.decode()

    def test_each_weight_of_the_page_lies_in_a_row_whose_sum_is_one(self):
        view = data_of(self.shared / "heads.html")["views"][0]
        self.assertEqual((2, 4), (view["layers"], view["heads"]))
        for text in view["texts"]:
            weights, at = base64.b64decode(text["weights"]), 0
            for _ in range(2 * 4):
                for query in range(len(text["queries"])):
                    row = weights[at:at + query + 1]
                    at += query + 1
                    self.assertAlmostEqual(1, sum(row) / 255, delta=(query + 1) / 510 + 1e-9)
            self.assertEqual(at, len(weights))

    def test_a_map_is_the_mean_of_what_the_page_shows(self):
        view = data_of(self.shared / "heads.html")["views"][0]
        text = view["texts"][0]
        weights, length = base64.b64decode(text["weights"]), len(text["queries"])
        one, shares = length * (length + 1) // 2, dict.fromkeys(("first", "previous", "itself"), 0)
        maps = {each["name"]: each["values"] for each in view["maps"]}
        for head in range(2 * 4):
            for name, back in (("first", None), ("previous", 1), ("itself", 0)):
                cells = [weights[head * one + i * (i + 1) // 2 + (0 if back is None else i - back)]
                         for i in range(2, length)]
                shares[name] = sum(cells) / 255 / len(cells)
                self.assertAlmostEqual(shares[name], maps[name][head], delta=1 / 500)

    def test_the_second_text_is_its_first_half_twice(self):
        tokens = data_of(self.shared / "heads.html")["views"][0]["texts"][1]["queries"]
        begins = len(tokens) % 2  # the token that begins every text
        half = (len(tokens) - begins) // 2
        self.assertEqual(tokens[begins:begins + half], tokens[begins + half:])

    def test_the_table_has_the_tenths_of_the_maps(self):
        maps = {each["name"]: each["values"]
                for each in data_of(self.shared / "heads.html")["views"][0]["maps"]}
        self.assertEqual({"first", "previous", "itself", "same", "induction", "duplicate",
                          "removed"}, set(maps))
        for name in ("first", "previous", "induction"):
            signs = "".join(printed_map(self.printed["heads"], name, 2))
            for sign, value in zip(signs, maps[name], strict=True):
                if abs(10 * value % 1 - 0.5) > 0.01:  # not at a step, where the page has rounded
                    tenth = min(9, math.floor(10 * value + 0.5))
                    self.assertEqual(sign, str(tenth) if value >= 0.05 else ".")

    def test_quick_leaves_the_removals_out(self):
        said = self.done("heads", "--model", GGUF / "gpt2.gguf", "--text", TEXT, "--quick", "--out",
                         self.shared / "quick")
        self.assertNotIn("removed   ", said)
        names = [each["name"] for each in
                 data_of(self.shared / "quick/heads.html")["views"][0]["maps"]]
        self.assertNotIn("removed", names)

    def test_the_last_layer_says_what_the_model_says(self):
        page = data_of(self.shared / "lens.html")
        self.assertEqual(3, len(page["layers"]))  # before the first layer, and behind each of two
        last = page["layers"][-1]
        scored = self.done("score", *LLAMA, "--text", TEXT)
        wanted = [float(line.split()[0]) for line in scored.splitlines()[1:-1]]
        self.assertEqual(len(wanted), len(last["next"]))
        for ours, theirs in zip(last["next"], wanted):
            self.assertAlmostEqual(ours, theirs, delta=1e-3 * theirs)
        self.assertAlmostEqual(-sum(map(math.log, wanted)) / len(wanted), last["nats"], delta=1e-3)
        written = self.done("generate", *LLAMA, "--prompt", TEXT, "--length", 1, "--greedy")
        self.assertEqual(written, last["says"][-1][0][0] + "\n")

    def test_of_a_long_text_the_first_tokens_are_read(self):
        said = self.done("heads", *LLAMA, "--text-file", self.file("long", TEXT * 60), "--quick",
                         "--out", self.shared / "long_out")
        self.assertRegex(said, r"^256 of \d{3,} tokens, ")

    def test_what_cannot_be_is_one_line(self):
        for words, said in ((["--text", "\udcff"], "--text: "),
                            (["--text", "a"], "--text: fewer than two tokens"),
                            ([], "--text: fewer than two tokens"),
                            (["--text-file", self.shared / "no"], "no: No such file"),
                            (["--text", "a", "--text-file", "b"], "--text")):
            for command in ("heads", "lens"):
                self.refused(command, "--model", GGUF / "gpt2.gguf", *words, names=said)


@unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
class Pages(browser.PageTest, WithFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = cls.folder_of_class()
        for name in ("heads", "lens"):
            subprocess.run([PROGRAM, name, *LLAMA, "--text", TEXT, "--out", cls.shared], check=True,
                           stdout=subprocess.DEVNULL)

    def test_a_cell_chooses_its_head_and_arrows_the_next(self):
        self.page.open(self.shared / "heads.html", "#layer=0&head=0&lang=en")
        self.assertEqual(7, self.js("document.querySelectorAll('.maps svg').length"))
        self.assertEqual(2 * 4, self.js("document.querySelectorAll('.maps svg')[0]"
                                        ".querySelectorAll('rect:not(.chosen)').length"))
        x, y = self.js("(() => { const b = document.querySelectorAll('.maps svg')[1]"
                       ".querySelectorAll('rect')[6].getBoundingClientRect();"
                       " return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.page.tap(x, y)
        self.assertEqual("Layer 1, head 2", self.text("#head h2"))
        self.assertIn("layer=1&head=2", self.js("location.hash"))
        self.js("document.querySelector('.maps svg').focus()")
        self.page.press("ArrowRight")
        self.assertEqual("Layer 1, head 3", self.text("#head h2"))
        maps = data_of(self.shared / "heads.html")["views"][0]["maps"]
        shown = self.js("[...document.querySelectorAll('.measures td.number')]"
                        ".map((e) => Number(e.textContent))")
        for ours, each in zip(shown, maps, strict=True):
            self.assertAlmostEqual(ours, each["values"][7], delta=6e-4)

    def test_a_token_shows_what_each_layer_says_after_it(self):
        self.page.open(self.shared / "lens.html", "#token=3&lang=en")
        page = data_of(self.shared / "lens.html")
        rows = self.js("[...document.querySelectorAll('.lens')[1].rows].map((row) => row.cells[1]"
                       ".title)")
        self.assertEqual([layer["says"][3][0][1] for layer in page["layers"]],
                         [float(title) for title in rows])
        self.js("document.querySelectorAll('.tokens button')[5].click()")
        self.assertIn("token=5", self.js("location.hash"))
        self.js("[...document.querySelectorAll('.row button')].at(-1).click()")  # what follows
        self.assertIn("mode=1", self.js("location.hash"))

    def test_both_speak_both_languages_and_fit_a_phone(self):
        for name, word in (("heads", "归纳"), ("lens", "残差流")):
            self.page.resize(390, 800, mobile=True)
            self.page.open(self.shared / f"{name}.html", "#lang=zh")
            self.assertIn(word, self.text("main"))
            self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 390)
            self.js("byId('language').click()")
            self.assertNotRegex(self.text("main p"), "[\u4e00-\u9fff]")
            words = self.js("['en', 'zh'].map((l) => Object.keys(WORDS[l]).sort().join())")
            self.assertEqual(*words)


if __name__ == "__main__":
    unittest.main()
