#!/usr/bin/env python3
"""The explorer, opened in a real Chromium and used as a person would: mouse, keys, touch.

    explorer_test.py BIN/explorer_pages
Exits with 77, for ctest a skip, where there is no Chromium.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import browser  # noqa: E402

WEIGHT = 1 / 131070  # what the format promises of a weight
ENCODER, DECODER, CROSS, XL = range(4)  # the views of small.html
SECOND = 1  # the checkpoint that is shown first: the last one


class Case(browser.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = Path(tempfile.mkdtemp(prefix="xf-explorer-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([PROGRAM, str(cls.folder)], check=True)
        cls.numbers = json.loads((cls.folder / "numbers.json").read_text())

    def open(self, name: str = "small.html", **state) -> None:
        self.page.open(self.folder / name, "#lang=en&" + "&".join(
            f"{key}={value}" for key, value in state.items()))

    def state(self, name: str):
        return self.js(f"state.{name}")

    def exact(self, name: str):
        """The number that the panel shows of the chosen cell."""
        return float(self.js(f"document.querySelector('[data-value={name}]').dataset.exact"))

    def cell(self, row: int, column: int) -> tuple[float, float]:
        """Where its middle is."""
        return self.js("(() => { const b = byId('picture').getBoundingClientRect();"
                       f"return [b.x + place.left + ({column} + 0.5) * place.cell,"
                       f"b.y + place.top + ({row} + 0.5) * place.cell]; }})()")

    def point_at(self, row: int, column: int) -> None:
        self.page.move(*self.cell(row, column))
        self.page.frame()


class Numbers(Case):
    def test_there_is_a_canvas_for_each_layer_and_head(self):
        self.open()
        self.assertEqual(self.count("canvas"), 2 * 3)
        self.open("large.html")
        self.assertEqual(self.count("canvas"), 6 * 8)

    def test_what_the_mouse_points_at_is_the_tensor(self):
        for view, rows, columns in ((ENCODER, 6, 6), (DECODER, 5, 5), (CROSS, 5, 6), (XL, 5, 8)):
            for layer, head, row, column in ((0, 0, 0, 0), (1, 2, 3, 2), (1, 1, rows - 1, 4)):
                with self.subTest(view=view, layer=layer, head=head):
                    self.open(view=view, layer=layer, head=head)
                    self.point_at(row, column)
                    tensors = self.numbers[view][SECOND][layer]
                    at = (head * rows + row) * columns + column
                    score, weight = tensors["scores"][at], tensors["weights"][at]
                    spread = [x for x in tensors["scores"] if x is not None]
                    close = (max(spread) - min(spread)) / 131070 + 1e-6
                    self.assertAlmostEqual(self.exact("raw"), score, delta=close)
                    self.assertAlmostEqual(self.exact("scaled"), score / 2, delta=close)  # Dk = 4
                    self.assertAlmostEqual(self.exact("softmax"), weight, delta=WEIGHT + 1e-7)
                    value = tensors["values"][(head * columns + column) * 4:][:4]
                    length = math.sqrt(sum(x * x for x in value))
                    self.assertAlmostEqual(self.exact("weighted"), weight * length, delta=1e-4)

    def test_every_weight_of_the_page_is_the_tensors(self):
        self.open()
        for view, checkpoints in enumerate(self.numbers):
            for checkpoint, layers in enumerate(checkpoints):
                for layer, tensors in enumerate(layers):
                    shown = self.js(f"Array.from(layer_of(PAGE.views[{view}], {checkpoint}, "
                                    f"{layer}).weights)")
                    self.assertEqual(len(shown), len(tensors["weights"]))
                    worst = max(abs(a - b) for a, b in zip(shown, tensors["weights"]))
                    self.assertLessEqual(worst, WEIGHT + 1e-7)

    def test_every_row_sums_to_one_and_is_the_softmax_of_its_scores(self):
        self.open()
        worst = self.js("""(() => { let sums = 0, apart = 0;
          for (const view of PAGE.views)
            for (let c = 0; c < 2; ++c) for (let l = 0; l < 2; ++l) for (let h = 0; h < 3; ++h) {
              const weights = matrix_of(view, c, l, h, 'softmax'), n = view.keys.length;
              const scores = matrix_of(view, c, l, h, 'masked');
              for (let q = 0; q < view.queries.length; ++q) {
                const row = [...weights.subarray(q * n, q * n + n)].map((w) => w || 0);
                const e = [...scores.subarray(q * n, q * n + n)]
                  .map((s) => s === s ? Math.exp(s) : 0);
                const all = e.reduce((a, b) => a + b);
                sums = Math.max(sums, Math.abs(row.reduce((a, b) => a + b) - 1));
                row.forEach((w, k) => { apart = Math.max(apart, Math.abs(w - e[k] / all)); });
              } }
          return [sums, apart]; })()""")
        self.assertLess(worst[0], 1e-4)
        self.assertLess(worst[1], 1e-4)

    def test_masked_cells_are_said_to_be_masked(self):
        self.open(view=DECODER)
        self.point_at(1, 3)
        self.assertEqual(self.exact("softmax"), 0)
        self.assertEqual(self.text("[data-value=masked]"), "masked")
        tensors = self.numbers[DECODER][SECOND][0]
        self.assertAlmostEqual(self.exact("raw"), tensors["scores"][5 + 3], delta=1e-3)

    def test_the_output_of_the_head_is_the_weighted_sum(self):
        self.open(view=CROSS, layer=1, head=2)
        tensors = self.numbers[CROSS][SECOND][1]
        shown = self.js("Array.from(output_of(view_now(), 1, 1, 2, 3))")
        for i, value in enumerate(shown):
            exact = sum(tensors["weights"][(2 * 5 + 3) * 6 + k] *
                        tensors["values"][(2 * 6 + k) * 4 + i] for k in range(6))
            self.assertAlmostEqual(value, exact, delta=1e-3)

    def test_each_matrix_has_its_own_two_lists_of_words(self):
        source = ["they", "watched", "the", "match", "the", "<eos>"]
        target = ["<bos>", "他们", "看", "了", "比赛"]
        past = ["m", "e", "m"]
        for view, rows, columns in ((ENCODER, source, source), (DECODER, target, target),
                                    (CROSS, target, source), (XL, target, past + target)):
            self.open(view=view)
            for name, tokens in (("row", rows), ("column", columns)):
                self.assertEqual(self.texts(f"#picture text.{name}"),
                                 [f"{i} {token}" for i, token in enumerate(tokens)])

    def test_the_memory_ends_left_of_its_column(self):
        self.open(view=XL)
        column = self.js("(Number(byId('boundary').getAttribute('x1')) - place.left) / place.cell")
        self.assertAlmostEqual(column, 3)
        self.assertEqual(self.count(".remembered"), 3)
        self.open(view=CROSS)
        self.assertIsNone(self.js("byId('boundary')"))

    def test_by_distance_a_column_is_a_distance(self):
        self.open(view=XL, layout="distance")
        self.assertEqual(self.texts("#picture text.column"), [str(d) for d in range(-7, 1)])
        self.point_at(2, 7 - 4)  # query 2 stands at place 5: 4 behind it is key 1
        self.assertEqual((self.state("query"), self.state("key")), (2, 1))
        self.open(view=CROSS, layout="distance")
        self.assertEqual(self.state("layout"), "matrix")


class Use(Case):
    def test_the_mouse_finds_words_both_ways(self):
        self.open(view=CROSS)
        self.page.move(*self.page.middle("[data-side=query] button[data-index='2']"))
        self.page.frame()
        self.assertEqual((self.state("query"), self.state("key")), (2, -1))
        self.assertEqual(self.count("#places line"), 6)
        self.page.move(*self.page.middle("[data-side=key] button[data-index='4']"))
        self.page.frame()
        self.assertEqual((self.state("query"), self.state("key")), (-1, 4))
        self.assertEqual(self.count("#places line"), 5)

    def test_tab_comes_to_every_control_and_no_key_throws_the_focus_away(self):
        self.open()
        self.assertGreater(self.walk_by_keys(), 20)

    def test_it_opens_on_what_the_most_telling_head_of_cross_attention_says(self):
        def apart(weights, rows, columns):
            mean = [sum(weights[k::columns]) / rows for k in range(columns)]
            return [sum(w * math.log(w / m) for w, m in zip(weights[q * columns:], mean) if w > 0)
                    for q in range(rows)]

        heads = {(layer, head): apart(tensors["weights"][head * 30:][:30], 5, 6)
                 for layer, tensors in enumerate(self.numbers[CROSS][SECOND]) for head in range(3)}
        best = max(heads, key=lambda at: sum(heads[at]))
        self.open()
        seen = [self.state(name) for name in ("view", "layer", "head", "query", "key")]
        self.assertEqual(seen, [CROSS, *best, heads[best].index(max(heads[best])), -1])
        self.page.wait("location.hash.includes('view=2')")
        self.open(view=DECODER)  # a link that says where is followed
        seen = [self.state(name) for name in ("view", "layer", "query")]
        self.assertEqual(seen, [DECODER, 0, -1])

    def test_heads_have_colours_that_the_colour_blind_tell_apart(self):
        self.open("large.html", layer=1, lines="0.1.6.7")
        colours = self.js("[...document.querySelectorAll('#line_heads button')]"
                          ".map((one) => one.style.getPropertyValue('--head'))")
        self.assertEqual(colours[:3], ["#0072b2", "#d55e00", "#009e73"])  # Okabe and Ito
        self.assertEqual(colours[6:], colours[:2])
        dashes = self.js("[0, 6].map((head) => document.querySelector(`#places line[stroke='"
                         "${head_colour(head)}']`) && head_dashes(head))")
        self.assertEqual(dashes, ["", "7 4"])

    def test_keys_alone_reach_everything(self):
        self.open(view=ENCODER)
        self.page.press("v")
        self.assertEqual(self.state("view"), DECODER)
        for key, stage in zip("1234", ("raw", "scaled", "masked", "softmax")):
            self.page.press(key)
            self.assertEqual(self.state("stage"), stage)
        self.page.press("[")
        self.assertEqual(self.state("step"), 4)
        self.page.press("]")
        self.assertEqual(self.state("step"), -1)
        self.page.press("{")
        self.assertEqual(self.state("checkpoint"), 0)
        self.page.press("d")
        self.assertEqual(self.state("layout"), "distance")
        self.page.press("d")
        self.page.press("c")
        self.assertEqual(self.state("scale"), "head")
        for _ in range(60):  # Tab reaches the grid, and from it the picture
            self.page.press("Tab")
            if self.js("!!document.activeElement.closest('#heads')"):
                break
        self.page.press("ArrowRight")
        self.page.press("ArrowDown")
        self.assertEqual((self.state("layer"), self.state("head")), (1, 1))
        self.page.press("Tab")
        self.assertEqual(self.js("document.activeElement.id"), "picture")
        self.page.press("ArrowDown")
        self.page.press("ArrowDown")
        self.page.press("ArrowRight")
        self.assertEqual((self.state("query"), self.state("key")), (1, 1))
        self.assertTrue(self.text("#cell").startswith("query 1 他们"))
        self.page.press("Escape")
        self.assertEqual((self.state("query"), self.state("key")), (-1, -1))
        self.page.press("?")
        self.assertTrue(self.js("byId('keys').open"))
        self.page.press("Escape")
        self.assertFalse(self.js("byId('keys').open"))

    def test_the_chosen_cell_is_framed_in_black_and_white(self):
        for theme in ("light", "dark"):  # one of them stands out from any colour of a cell
            self.open(view=CROSS, theme=theme, query=1, key=2)
            frames = self.js("[...document.querySelectorAll('#cross rect')].slice(2)"
                             ".map((e) => e.getAttribute('stroke'))")
            self.assertEqual(frames, ["#000000", "#ffffff"])

    def test_both_languages_say_everything(self):
        self.open()
        self.assertEqual(self.text("#heads_name"), "Layers × heads")
        self.page.press("l")
        self.assertEqual(self.text("#heads_name"), "层 × 头")
        self.assertEqual(self.js("document.documentElement.lang"), "zh-CN")
        same = self.js("Object.keys(WORDS.en).every((key) => key in WORDS.zh) && "
                       "Object.keys(WORDS.zh).every((key) => key in WORDS.en)")
        self.assertTrue(same, "the two lists of words differ")

    def test_a_chinese_reader_is_greeted_in_chinese(self):
        with browser.Browser(language="zh-CN") as page:
            page.open(self.folder / "small.html")
            self.assertEqual(page.js("byId('heads_name').textContent"), "层 × 头")

    def test_light_and_dark(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        self.page.prefer("dark")
        self.addCleanup(self.page.prefer, "light")
        self.open()
        self.assertEqual(self.js(paper), "rgb(22, 24, 28)")
        self.open(theme="light")
        self.assertEqual(self.js(paper), "rgb(253, 252, 249)")
        self.assertEqual(self.js("document.querySelector('#picture rect').getAttribute('fill')"),
                         "#ffffff")

    def test_decoding_is_shown_step_by_step(self):
        self.open(view=DECODER, step=1)
        self.assertIn("他们", self.text("#beam_name"))
        self.assertEqual(self.text("#beam b"), "看")
        self.assertEqual(self.js("laid_out(view_now(), compute().all[0][0])"
                                 ".subarray(10).every((x) => x !== x)"), True)
        self.open(view=DECODER, step=0)
        self.assertEqual(self.count("#beam tr"), 3)
        self.assertIn("0.9048", self.text("#beam"))
        self.assertIn("<b>", self.text("#beam"))

    def test_a_checkpoint_has_its_own_numbers(self):
        self.open(view=CROSS, checkpoint=0)
        self.point_at(3, 2)
        self.assertAlmostEqual(self.exact("softmax"), self.numbers[CROSS][0][0]["weights"][20],
                               delta=WEIGHT + 1e-7)
        self.assertEqual(self.text("#checkpoint output"), "update 0")

    def test_a_link_restores_the_view(self):
        self.open()
        for key in "vvc3":
            self.page.press(key)
        self.point_at(2, 4)
        self.page.wait("location.hash.includes('query=2')")
        link = self.js("location.hash")
        self.assertNotIn("theme", link)  # what is as at first is not said
        before = self.js("JSON.stringify(state)")
        self.page.open(self.folder / "small.html", link)
        self.assertEqual(self.js("JSON.stringify(state)"), before)

    def test_a_link_to_nothing_shows_something(self):
        self.open(view=99, layer=-4, head="x", stage="none", query=77, lang="xx", step=1000)
        self.assertEqual(self.state("stage"), "softmax")
        self.assertEqual(self.count("canvas"), 6)

    def test_a_link_in_a_language_that_every_object_has_is_one_in_none(self):
        for lang in ("constructor", "__proto__", "toString"):
            self.page.open(self.folder / "small.html", f"#lang={lang}")
            self.assertEqual((self.state("lang"), self.text("#line_heads .soft")),
                             ("en", "lines of heads"))
            self.assertEqual(self.js("word('constructor')"), "constructor")

    def test_a_long_link_draws_each_head_once(self):
        self.open(lines="1.0" + ".1" * 200_000 + ".x.9.1e0")
        self.assertEqual(self.state("lines"), "1.0.9")
        self.assertEqual(self.js("heads_with_lines(view_now())"), [1, 0])
        self.assertEqual(self.page.errors, [])

    def test_the_picture_can_be_taken_away(self):
        self.open(view=CROSS)
        svg = self.js("svg_file()")
        root = ElementTree.fromstring(svg)
        self.assertIn("比赛", "".join(root.itertext()))
        size = self.js("png_file().then((blob) => blob.size)")
        self.assertGreater(size, 5000)
        self.assertEqual(self.js("png_file().then((b) => b.slice(1, 4).text())"), "PNG")

    def test_a_finger_on_a_telephone(self):
        self.page.resize(390, 844, mobile=True)
        self.open(view=CROSS)
        self.assert_fits()
        self.assertEqual(self.count("canvas"), 6)
        self.page.middle("#picture")
        self.page.tap(*self.cell(2, 1))
        self.page.wait("state.query === 2 && state.key === 1")
        for name in ("large.html", "hostile.html", "long.html"):
            self.open(name)
            self.assert_fits(what=name)

    def test_a_long_sentence_on_a_telephone_has_cells_to_be_hit(self):
        self.page.resize(390, 844, mobile=True)
        self.open("large.html", layer=1)
        self.assertGreaterEqual(self.js("place.cell"), 6)
        wide = "byId('picture').parentElement"
        self.assertGreater(self.js(f"{wide}.scrollWidth - {wide}.clientWidth"), 0)
        self.js("byId('picture').focus()")
        self.js("point(0, 60)")  # far right: it comes into sight
        seen = self.js(f"(() => {{ const b = {wide}.getBoundingClientRect(), x = byId('picture')"
                       ".getBoundingClientRect().x + place.left + 60.5 * place.cell;"
                       "return b.left < x && x < b.right; })()")
        self.assertTrue(seen)
        self.assert_fits()

    def test_on_a_telephone_the_numbers_stand_next_to_the_picture(self):
        self.page.resize(390, 844, mobile=True)
        self.open(view=DECODER)
        tops = [self.js(f"byId('{name}').getBoundingClientRect().top")
                for name in ("picture", "cell", "beam_card", "places_card")]
        self.assertEqual(tops, sorted(tops))

    def test_a_candidate_is_not_broken_in_its_middle(self):
        self.page.resize(390, 844, mobile=True)
        self.open(view=DECODER, step=3)
        self.assertTrue(self.js("[...document.querySelectorAll('#beam td:not(.beginning)')]"
                                ".every((e) => e.clientHeight < 2 * parseFloat("
                                "getComputedStyle(e).lineHeight) + 8)"))


class Strange(Case):
    def test_tokens_are_shown_as_they_are(self):
        self.open("hostile.html", view=CROSS)
        self.assertEqual(self.js("document.title"), "Large")
        self.assertEqual(self.count("#places b"), 0)
        self.assertEqual(self.texts("[data-side=key] button bdi"), [
            "</script><script>document.title='run'</script>", "<b>bold</b>",
            "\"quoted\"␣&␣'single'", "U+200FU+202Eabc", "␁␊␉", "<!--", "中文", "\ufffd\ufffd"])
        self.assertEqual(self.count("canvas"), 2)

    def test_the_file_has_no_address_in_it(self):
        for name in ("small.html", "hostile.html"):
            self.open(name)
            text = (self.folder / name).read_text(encoding="utf-8")
            addresses = set(re.findall(r"https?://[^\s'\"<>]+", text))
            self.assertEqual(addresses, {"http://www.w3.org/2000/svg"})


class Size(Case):
    def test_six_layers_of_eight_heads_and_64_tokens(self):
        self.assertLess((self.folder / "large.html").stat().st_size, 3_000_000)
        # From the click on the link to the whole page: it draws itself before it is interactive.
        opened = "performance.getEntriesByType('navigation')[0].domInteractive"
        hover = ("(() => { const t = performance.now(); point(%d, 5); document.body.offsetHeight;"
                 "return performance.now() - t; })()")
        units, first, hovered = [], [], []
        for attempt in range(40):  # other programs may run: one quiet moment is enough
            self.open("large.html")
            first.append(self.js(opened))
            hovered.append(self.js(hover % attempt))
            units.append(self.page.slower())
            slower = min(units)
            if attempt > 2 and min(first) < 200 * slower and min(hovered) < 50 * slower:
                break
        self.assertLess(min(first) / slower, 200, (first, units))  # milliseconds
        self.assertLess(min(hovered) / slower, 50, (hovered, units))
        print(f"first drawing {min(first):.0f} ms, hover {min(hovered):.1f} ms, the best of "
              f"{len(first)}, on a machine that is {slower:.1f} times as slow as promised for")

    def test_512_tokens_of_one_layer(self):
        self.open("long.html")
        self.point_at(300, 200)
        self.assertEqual((self.state("query"), self.state("key")), (300, 200))
        self.assertAlmostEqual(self.exact("sum"), 1, delta=512 * WEIGHT)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if not browser.program():
        print(browser.NO_BROWSER)
        sys.exit(77)
    unittest.main()
