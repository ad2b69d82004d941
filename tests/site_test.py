#!/usr/bin/env python3
"""`./learn site`: every link leads somewhere, and a browser without a network shows every page of
the book with its formulas set and its pictures, also at a phone's width."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import live, site  # noqa: E402
from tools.terminal import Stop  # noqa: E402

SKIPPED = 77
PHONE = 390  # pixels

# Loads each page in a frame of a phone's width, and writes what it finds into the document.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><iframe style="width:%dpx;height:800px"></iframe>
<pre id="found"></pre><script>
const pages = %s, frame = document.querySelector("iframe"), found = {};
async function look() {
  for (const page of pages) {
    await new Promise((done) => { frame.onload = done; frame.src = page; });
    await new Promise((done) => setTimeout(done, 50));
    const inside = frame.contentDocument;
    const all = [...inside.querySelectorAll(".tex")];
    found[page] = {
      formulas: all.length,
      unset: all.filter((e) => !e.querySelector(".katex")).map((e) => e.textContent),
      wrong: [...inside.querySelectorAll(".katex-error")].map((e) => e.title),
      pictures: inside.querySelectorAll("figure.picture svg").length,
      width: inside.documentElement.scrollWidth,
      requests: frame.contentWindow.performance.getEntriesByType("resource")
        .map((entry) => entry.name).filter((name) => !/^(file|data|blob):/.test(name)),
    };
  }
  document.querySelector("#found").textContent = JSON.stringify(found);
  document.title = "done";
}
look();
</script>"""


class Links(HTMLParser):
    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.ids.add(value)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {path: Links(path.read_text(encoding="utf-8"))
                     for path in sorted(site.SITE.rglob("*.html"))}
        cls.book = [path for path in cls.pages if not {"code", "live"} & set(path.parts)
                    and path.name not in ("genindex.html", "search.html")]
        cls.found = browse(cls.book) if shutil.which("chromium") else None

    def test_both_languages_have_the_same_pages(self):
        names = [{path.relative_to(site.SITE / language) for path in self.book
                  if site.SITE / language in path.parents} for language in ("en", "zh")]
        self.assertEqual(names[0], names[1])
        self.assertGreater(len(names[0]), 40)

    @unittest.skipUnless(shutil.which("em++"), "there is no em++ (Debian's package emscripten)")
    def test_the_live_page_is_a_part_of_it_and_pages_lead_there(self):
        self.assertIn(site.SITE / "live" / "index.html", self.pages)
        leading = {str(page.relative_to(site.SITE)) for page, content in self.pages.items()
                   if any(link.startswith("../live/index.html#panel=") for link in content.links)}
        self.assertEqual(leading, {f"{language}/{name}.html" for language in ("en", "zh")
                                   for name in live.PANELS})

    def test_no_link_is_dead(self):
        dead = []
        for page, content in self.pages.items():
            for link in content.links:
                parts = urlsplit(link)
                if parts.scheme or link.startswith("//"):
                    continue
                to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                anchor = unquote(parts.fragment) if to.parent.name != "live" else ""
                if not to.is_file():
                    dead.append(f"{page.relative_to(site.SITE)}: {link}")
                elif anchor and to in self.pages and anchor not in self.pages[to].ids:
                    dead.append(f"{page.relative_to(site.SITE)}: {link}: no such place")
        self.assertEqual(dead, [])

    def test_no_prose_is_lost(self):
        lost = []
        for language in ("en", "zh"):
            for source, name in site.Book(language).pages.items():
                page = site.SITE / language / f"{name}.html"
                shown = re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]*>", "", page.read_text(
                    encoding="utf-8"))))
                lost += [f"{source.relative_to(ROOT)}: {words}" for words in prose(source)
                         if re.sub(r"\s", "", words) not in shown]
        self.assertEqual(lost, [])

    def test_an_exercise_leads_to_its_chapter(self):
        for language in ("en", "zh"):
            page = site.SITE / language / "exercises" / "02-01.html"
            self.assertIn("../02_attention.html", self.pages[page].links)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in self.book:
            text = page.read_text(encoding="utf-8")
            loaded = re.findall(
                r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(https?:[^"]+)', text)
            self.assertEqual(loaded, [], page)

    def in_browser(self):
        if self.found is None:
            self.skipTest("chromium is not installed")
        return self.found.items()

    def test_every_formula_is_set(self):
        count = 0
        for page, seen in self.in_browser():
            self.assertEqual(seen["unset"] + seen["wrong"], [], page)
            count += seen["formulas"]
        self.assertGreater(count, 500)

    def test_every_chapter_has_a_picture(self):
        for page, seen in self.in_browser():
            if re.search(r"/0[1-8]_\w+\.html$", page):
                self.assertGreater(seen["pictures"], 0, page)

    def test_pages_fit_a_phone(self):
        for page, seen in self.in_browser():
            self.assertLessEqual(seen["width"], PHONE, page)

    def test_no_request_leaves_the_page(self):
        for page, seen in self.in_browser():
            self.assertEqual(seen["requests"], [], page)

    def test_a_search_finds_in_both_languages(self):
        self.in_browser()
        for page, wanted in (("en/search.html?q=softmax", "02_attention.html"),
                             ("zh/search.html?q=%E6%B3%A8%E6%84%8F%E5%8A%9B%E6%9D%83%E9%87%8D",
                              "02_attention.html")):
            shown = dumped((site.SITE).as_uri() + "/" + page)
            results = re.findall(r'<li[^>]*><a href="([^"?#]+)', shown.split("search-results")[-1])
            self.assertIn(wanted, results, page)


def prose(source: Path) -> list[str]:
    """Of every line outside of code, its longest run of words without markup; but not of those
    that only GitHub needs to get from page to page."""
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"^(\s*)(```+).*?^\1\2\s*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->|^.*(English|简体中文)\]\(.*$", "", text, flags=re.MULTILINE)
    found = []
    for line in text.splitlines():
        if re.fullmatch(r"\[[^\]]*\]\(\S*\)( · \[[^\]]*\]\(\S*\))*", line) and "README" in line:
            continue
        line = re.sub(r"\]\([^)]*\)|<[^>]*>", "|", re.sub(r"`[^`]*`", "|", line))
        words = re.split(r"[\[\]*_$|<>`\\#\"'.-]+", line)
        longest = max(words, key=len).strip()
        if len(longest) >= 6:
            found.append(longest)
    return found


def browse(pages: list[Path]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        harness = Path(folder, "harness.html")
        harness.write_text(HARNESS % (PHONE, json.dumps([page.as_uri() for page in pages])))
        shown = dumped(harness.as_uri(), "--allow-file-access-from-files")
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    if not found or not found[1]:
        raise AssertionError("the browser did not get to the end of the pages")
    return json.loads(html.unescape(found[1]))


def dumped(address: str, *flags: str) -> str:
    """The document as it stands once its scripts have run, in a browser that finds no host."""
    run = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=600000", *flags,
         "--dump-dom", address],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300)
    return run.stdout


if __name__ == "__main__":
    try:
        site.main([] if shutil.which("em++") else ["--no-live"])  # it would install 1.3 GB
    except Stop as stop:
        if "install" not in str(stop):
            raise
        print(f"skipped: {stop}")
        sys.exit(SKIPPED)
    unittest.main()
