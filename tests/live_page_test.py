#!/usr/bin/env python3
"""The live page in a real Chromium, used as a person would: sentences, switches, trainings."""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import browser  # noqa: E402
from tools import live_page  # noqa: E402

PANELS = ("translate", "positions", "norm", "recall", "train")


class Assembled(unittest.TestCase):
    def test_nothing_in_the_parts_ends_a_script(self):
        text = live_page.assembled("'</script><!--'", '{"config": "</script>"}')
        self.assertEqual(text.count("</script>"), text.count("<script"))
        self.assertEqual(text.count("<!--"), 0)
        self.assertEqual(re.findall(r"\{\{\w+\}\}", text), [])

    def test_each_chapter_and_each_picture_that_it_names_is_there(self):
        text = live_page.assembled("", "{}")
        chapters = set(re.findall(r"'(\d\d_\w+)'", text))
        self.assertEqual(len(chapters), 4)
        for chapter in chapters:
            for language in ("en", "zh"):
                self.assertTrue((ROOT / "docs" / language / f"{chapter}.md").is_file(), chapter)
        self.assertTrue(all(languages for languages in sum(live_page.stills().values(), [])))


@unittest.skipUnless(browser.program(), browser.NO_BROWSER)
class WithoutSimd(unittest.TestCase):
    """What a browser shows that cannot run the engine."""

    def look(self, before: str, language: str):
        with tempfile.TemporaryDirectory() as folder, browser.Browser(language=language) as page:
            path = Path(folder) / "page.html"
            path.write_text(live_page.assembled("", "{}"), encoding="utf-8")
            page.call("Page.addScriptToEvaluateOnNewDocument", source=before)
            page.open(path)
            self.assertEqual(page.errors, [])
            for panel in PANELS:
                page.js(f"show_panel('{panel}')")
                page.wait(f"[...document.querySelectorAll('#{panel} .still')].every((i) => "
                          "i.complete && i.naturalWidth > 100)")
                count = lambda what: page.js(  # noqa: E731
                    f"document.querySelectorAll('#{panel} {what}').length")
                self.assertGreater(count(".still"), 0)
                self.assertEqual(count(".needs_engine:not([hidden])"), 0)
            return page.js("byId('broken').hidden ? '' : byId('broken').textContent")

    def test_the_page_says_so_and_keeps_the_stills(self):
        self.assertIn("no WebAssembly SIMD",
                      self.look("WebAssembly.validate = () => false", "en-US"))
        self.assertIn("没有引擎所需的 WebAssembly SIMD", self.look("delete self.WebAssembly", "zh-CN"))

    def test_the_next_language_and_theme_keep_them_too(self):
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
            path = Path(folder) / "page.html"
            path.write_text(live_page.assembled("", "{}"), encoding="utf-8")
            page.call("Page.addScriptToEvaluateOnNewDocument",
                      source="WebAssembly.validate = () => false")
            page.open(path)
            for key, words in (("l", "这个浏览器"), ("t", "这个浏览器"), ("l", "This browser")):
                page.press(key)
                self.assertTrue(page.js("byId('broken').textContent").startswith(words))
                shown = page.js("document.querySelectorAll('#translate .still').length")
                self.assertEqual(shown, 1)
                self.assertTrue(page.js("[...document.querySelectorAll('.still')].every((i) => "
                                        "i.src.length > 1000)"))
            self.assertEqual(page.errors, [])
            same = page.js("Object.keys(WORDS.en).join() === Object.keys(WORDS.zh).join()")
            self.assertTrue(same, "the two lists of words differ")


if __name__ == "__main__":
    unittest.main()
