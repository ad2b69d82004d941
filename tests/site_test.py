#!/usr/bin/env python3
"""`./learn site`: every link leads somewhere, and a browser without a network shows every page of
the book with its formulas set and its pictures, also at a phone's width."""

from __future__ import annotations

import contextlib
import functools
import html
import http.server
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock
from urllib.error import HTTPError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests/support")]

import browser  # noqa: E402
from texts import Links  # noqa: E402
from tools import setup  # noqa: E402
from tools.book import (handouts, live, site, site_book, site_pictures, site_slides,  # noqa: E402
                        site_sphinx, steps)
from tools.terminal import Stop  # noqa: E402

SKIPPED = 77
PHONE = 390  # pixels
PAPER = 680  # A4 between the margins
whole = "--whole" in sys.argv
NO_LIVE = [] if setup.works("em++") else ["--no-live"]  # it would install 1.3 GB
FLAGS = ["--answers", *NO_LIVE]

# Where a character of program output does not stand at its column; Chinese takes two.
ASKEW = """[...document.querySelectorAll("pre")].flatMap((pre) => {
  if (!pre.querySelector(".wide")) return [];
  const probe = pre.appendChild(document.createElement("span"));
  probe.textContent = "0".repeat(100);
  const one = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  const range = document.createRange(), askew = [];
  let start, column = 0, line = "";
  while (texts.nextNode()) {
    const text = texts.currentNode, wide = text.parentElement.className === "wide";
    for (let i = 0; i < text.length; ++i) {
      if (text.data[i] === "\\n") { column = 0; line = ""; continue; }
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const left = (wide ? text.parentElement : range).getBoundingClientRect().left;
      start ??= left;
      if (Math.abs(left - start - column * one) > 1) askew.push(`${line} | ${text.data[i]}`);
      column += wide ? 2 : 1;
      line += text.data[i];
    }
  }
  return askew;
})"""

# What a page shows, once its scripts have run.
LOOK = """(() => {
  const all = [...document.querySelectorAll(".tex")];
  return {
    formulas: all.length,
    unset: all.filter((e) => !e.querySelector(".katex")).map((e) => e.textContent),
    wrong: [...document.querySelectorAll(".katex-error")].map((e) => e.title),
    pictures: document.querySelectorAll("figure.picture svg").length,
    width: document.documentElement.scrollWidth,
    tiny: [...document.querySelectorAll("figure.picture text")]
      .filter((e) => parseFloat(getComputedStyle(e).fontSize) *
        e.ownerSVGElement.getScreenCTM().a < (innerWidth >= 1008 ? 10.99 : 8.99))
      .map((e) => e.textContent),
    unreachable: [...document.querySelectorAll(".frame, div.tex, .table-wrapper, .highlight pre")]
      .filter((e) => e.scrollWidth > e.clientWidth && e.tabIndex < 0).map((e) => e.className),
    unheard: [...document.querySelectorAll("[role=heading]:not([aria-level]), " +
      "span[aria-label]:not([role]), div[aria-label]:not([role])")].map((e) => e.className),
    wide: document.querySelectorAll("pre .wide").length,
    askew: """ + ASKEW + """,
  };
})()"""

# What is cut off, where nothing can be scrolled.
CUT = """[...document.querySelectorAll("div.tex, article table, figure.picture .frame")]
  .filter((e) => e.scrollWidth > Math.ceil(e.parentElement.getBoundingClientRect().width) + 1)
  .map((e) => `${e.scrollWidth}: ${e.textContent.trim().slice(0, 60)}`)"""


@functools.cache
def read(page: str) -> Links:
    """2,400 pages take half a minute, and two tests ask for each."""
    return Links(page)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {path: read(path.read_text(encoding="utf-8"))
                     for path in sorted(site.SITE.rglob("*.html"))}
        cls.book = [path for path in cls.pages if not {"code", "live", "slides"} & set(path.parts)
                    and path.name not in ("genindex.html", "search.html")]
        shown = [page for page in cls.book if page.parent.name in ("en", "zh")]
        shown += largest_of([page for page in cls.book  # exercises, labs, exam: alike, and many
                             if page not in shown and page.parent != site.SITE])
        cls.found = browse(shown) if browser.program() else None

    def test_both_languages_have_the_same_pages(self):
        names = [{path.relative_to(site.SITE / language) for path in self.book
                  if site.SITE / language in path.parents} for language in ("en", "zh")]
        self.assertEqual(names[0], names[1])
        self.assertGreater(len(names[0]), 40)

    @unittest.skipIf(NO_LIVE, "there is no em++ that works (Debian's package emscripten)")
    def test_the_live_page_is_a_part_of_it_and_pages_lead_there(self):
        self.assertIn(site.SITE / "live" / "index.html", self.pages)
        leading = {str(page.relative_to(site.SITE)) for page, content in self.pages.items()
                   if any(link.startswith("../live/index.html#panel=") for link in content.links)}
        self.assertEqual(leading, {f"{language}/{name}.html" for language in ("en", "zh")
                                   for name in live.PANELS})
        for language in ("en", "zh"):  # what a lecturer's sheet says to show is a click away
            self.assertIn(f"../../live/index.html#scene=recall&lecture=1&lang={language}",
                          self.pages[site.SITE / language / "lab" / "lecturer-10.html"].links)
        script = (ROOT / "live" / "page" / "lecture.js").read_text(encoding="utf-8")
        ways = re.findall(r"(en|zh): '(\w+\.html)#([\w-]+)'", script)
        self.assertEqual(len(ways), 6)
        titles = {"02_attention.html": ("square root", "√d_k"), "06_decoder.html": ("Run it", "运行"),
                  "08_transformer_xl.html": ("On real texts", "真实文本")}
        for language, page, anchor in ways:
            text = (site.SITE / language / page).read_text(encoding="utf-8")
            title = re.search(rf'id="{anchor}">.*?<h\d>(.*?)<a ', text, re.DOTALL)
            self.assertIn(titles[page][language == "zh"], title[1])

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

    def test_no_token_such_as_eos_is_an_element(self):
        tokens = {"bos", "eos", "pad", "unk", "s", "mem"}
        self.assertEqual([], [str(page.relative_to(site.SITE)) for page, content
                              in self.pages.items() if tokens & content.tags])
        for language in ("en", "zh"):
            page = (site.SITE / language / "exercises" / "06-04.html").read_text("utf-8")
            for element in ("title", "h1"):
                self.assertIn("&lt;eos&gt;", re.search(f"<{element}>.*?</{element}>", page)[0])
            index = (site.SITE / language / "searchindex.js").read_text("utf-8")
            self.assertIn("&lt;eos&gt;", index)
            self.assertNotIn("<eos>", index)

    def test_no_prose_is_lost(self):
        lost = []
        for language in ("en", "zh"):
            for source, name in site_book.Book(language).pages.items():
                page = site.SITE / language / f"{name}.html"
                shown = re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]*>", "", page.read_text(
                    encoding="utf-8"))))
                lost += [f"{source.relative_to(ROOT)}: {words}" for words in prose(source)
                         if re.sub(r"\s", "", html.unescape(words)) not in shown]
        self.assertEqual(lost, [])

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_the_first_page_leads_to_the_reader_s_language(self):
        for language in ("en-US", "zh-CN"):
            with browser.Browser(PHONE, 800, language) as window:
                window.open(site.SITE / "index.html",
                            leads_to=site.SITE / language[:2] / "index.html")
                self.assertEqual(window.js("document.documentElement.lang")[:2], language[:2])

    def test_the_sidebar_folds_exercises_below_their_chapter(self):
        for page, opened in (("02_attention", "2"), ("exercises/02-04", "2"), ("teaching", "")):
            text = (site.SITE / "en" / f"{page}.html").read_text("utf-8")
            tree = text[text.index('class="sidebar-tree"'):text.index("</aside>")]
            chapters = re.findall(
                r'<li class="toctree-l1 has-children[^"]*"><a [^>]*>(\d+) [^<]*</a><input '
                r'([^>]*?)class="toctree-checkbox"', tree)
            self.assertEqual([str(number) for number in range(13)],
                             [number for number, _ in chapters])
            self.assertEqual([opened] if opened else [],
                             [number for number, state in chapters if 'checked=""' in state])
            self.assertIn(">02-04 Heads", tree)
            self.assertEqual(bool(opened), tree.count("current-page") == 1 and bool(opened))

    def test_an_exercise_leads_to_its_chapter(self):
        for language in ("en", "zh"):
            for exercise, chapter in (("02-01", "02_attention"), ("10-01", "10_speed"),
                                      ("09-03", "09_since_2017"), ("11-01", "11_gpu")):
                page = (site.SITE / language / "exercises" / f"{exercise}.html").read_text("utf-8")
                first = re.search(r'<a class="reference internal" href="\.\./([^"]*)"',
                                  page[page.index("<h1>"):])
                self.assertEqual(f"{chapter}.html", first[1].partition("#")[0], exercise)

    def test_teaching_leads_to_all_that_is_handed_out(self):
        for language, zh in (("en", False), ("zh", True)):
            there = self.pages[site.SITE / language / "teaching.html"].links
            asked = {f"{name}.html" for name in handouts.pages(zh, True)}
            asked |= {f"../slides/{language}/week-{week:02}.html" for week in range(1, 11)}
            self.assertEqual(set(), asked - set(there))
            mistakes = ("../../code/chapters/02_attention/exercises/01_attention/"
                        "mistakes.md.html")
            for name, has_mistakes in (("week-03", False), ("lecturer-03", True)):
                links = self.pages[site.SITE / language / "lab" / f"{name}.html"].links
                self.assertIn("../exercises/02-01.html", links)
                self.assertEqual(has_mistakes, mistakes in links, name)

    def test_without_the_flag_there_are_no_answers_and_nothing_leads_to_them(self):
        for language, zh in (("en", False), ("zh", True)):
            book = site_book.Book(language)
            self.assertEqual([], [name for name in book.names if handouts.is_for_lecturers(name)])
            self.assertIn("exam/questions", book.names)
            pages = [*book.handouts.values(), handouts.with_links("# T\n", "teaching", zh, False)]
            for text in pages:
                self.assertNotIn("answers.html", text)
                self.assertNotIn("lecturer-", text)
            self.assertNotIn("lecturer", book.contents())

    def test_the_answers_of_the_exam_are_on_a_page_of_their_own(self):
        for language, said in (("en", "Answer:"), ("zh", "答案：")):
            questions, answers = (site.SITE / language / "exam" / f"{name}.html"
                                  for name in ("questions", "answers"))
            self.assertNotIn(said, questions.read_text("utf-8"))
            count = questions.read_text("utf-8").count("<h2>")
            self.assertGreater(count, 10)
            self.assertEqual(count, answers.read_text("utf-8").count(said))

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in self.book:
            text = page.read_text(encoding="utf-8")
            loaded = re.findall(
                r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(https?:[^"]+)', text)
            self.assertEqual(loaded, [], page)

    def in_browser(self):
        if self.found is None:
            self.skipTest(browser.NO_BROWSER)
        return self.found.items()

    def test_every_formula_is_set(self):
        count = 0
        for page, seen in self.in_browser():
            self.assertEqual(seen["unset"] + seen["wrong"], [], page)
            count += seen["formulas"]
        self.assertGreater(count, 500)

    def test_every_chapter_has_a_picture(self):
        for page, seen in self.in_browser():
            if re.search(r"/(en|zh)/0[1-8]_\w+\.html$", page):
                self.assertGreater(seen["pictures"], 0, page)

    def test_pages_fit_a_phone(self):
        for page, seen in self.in_browser():
            self.assertLessEqual(seen["width"], PHONE, page)

    def test_words_in_pictures_stay_large_enough_on_a_phone(self):
        for page, seen in self.in_browser():
            self.assertEqual(seen["tiny"], [], page)

    def test_what_is_scrolled_is_reached_by_the_keyboard(self):
        for page, seen in self.in_browser():
            self.assertEqual(seen["unreachable"], [], page)
            self.assertEqual(seen["unheard"], [], page)

    def test_tables_of_program_output_stay_in_line_in_chinese(self):
        for page, seen in self.in_browser():
            self.assertEqual(seen["askew"], [], page)
            if re.search(r"/zh/0[1-8]_\w+\.html$", page):
                self.assertGreater(seen["wide"], 100, page)

    def test_pages_fit_paper(self):
        for page, seen in self.in_browser():
            self.assertEqual(seen["cut"], [], page)

    def test_no_request_leaves_the_page_and_nothing_goes_wrong_in_it(self):
        for page, seen in self.in_browser():
            self.assertEqual((seen["requests"], seen["errors"]), ([], []), page)

    def test_a_search_finds_in_both_languages(self):
        self.in_browser()
        with browser.Browser() as window:
            for page, asked in (("en/search.html", "?q=softmax"),
                                ("zh/search.html",
                                 "?q=%E6%B3%A8%E6%84%8F%E5%8A%9B%E6%9D%83%E9%87%8D")):
                window.open(site.SITE / page, asked)
                window.wait("""[...document.querySelectorAll("#search-results li a")]
                    .some((a) => /^02_attention.html/.test(a.getAttribute("href")))""")

    def test_a_search_has_the_chapter_before_its_exercises(self):
        self.in_browser()
        with browser.Browser() as window:
            for language in ("en", "zh"):
                window.open(site.SITE / language / "search.html", "?q=softmax")
                found = "[...document.querySelectorAll('#search-results li a')].map((a) => " \
                        "a.getAttribute('href').replace(/[#?].*/, ''))"
                window.wait(f"{found}.some((page) => /^exercises/.test(page))")
                pages = window.js(found)
                first = next(page for page in pages if page.startswith("exercises/"))
                self.assertLess(pages.index("02_attention.html"), pages.index(first), pages)


# Of each slide that is cut off or empty: its number and heading. Only the one that is shown has a
# size, so each is shown.
SLIDES = """(() => {
  const wrong = [], all = Reveal.getSlides();
  for (const slide of all) {
    const {h, v} = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    const low = Math.max(...[...slide.children].filter((e) => e.tagName !== "ASIDE")
      .map((e) => e.offsetTop + e.scrollHeight));
    const wide = Math.max(0, ...[...slide.querySelectorAll("pre, table, .tex")]
      .map((e) => e.scrollWidth));
    if (low > 720 || wide > 1281 || slide.innerText.trim() === "")
      wrong.push(`${h}/${v} ${slide.innerText.slice(0, 30)}: ${low} high, ${wide} wide`);
  }
  const code = [...document.querySelectorAll("section code.cpp")];
  return {count: all.length, wrong,
    plain: code.filter((e) => !e.querySelector("[class^=hljs-]")).map((e) => e.innerText),
    letters: Math.min(99, ...code.map((e) => parseFloat(getComputedStyle(e).fontSize))),
    unset: [...document.querySelectorAll("section .tex")]
    .filter((e) => !e.querySelector(".katex") || e.querySelector(".katex-error"))
    .map((e) => e.textContent)};
})()"""


class Slides(unittest.TestCase):
    """tests/teach_test.py holds what is on them."""

    def test_no_sign_of_bold_type_is_shown(self):
        for page in sorted((site.SITE / "slides").rglob("week-*.html")):
            text = re.sub(r"<(pre|code|script|style|aside)\b.*?</\1>", "",
                          page.read_text(encoding="utf-8"), flags=re.DOTALL)
            self.assertNotIn("**", re.sub(r"<[^>]*>", "", text), page)

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_nothing_is_cut_off_on_a_slide(self):
        with browser.Browser(1280, 720) as window:
            for language in ("en", "zh"):
                found = sorted((site.SITE / "slides" / language).glob("week-*.html"))
                self.assertEqual(10, len(found))
                for page in found:
                    window.open(page)
                    window.wait("window.Reveal && Reveal.isReady()")
                    seen = window.js(SLIDES)
                    self.assertEqual(([], []), (seen["wrong"], seen["unset"]), page)
                    self.assertGreater(seen["count"], 8, page)
                    self.assertEqual([], seen["plain"], page)  # code without colours
                    self.assertGreater(seen["letters"], 15, page)  # pixels, of 720
                    self.assertEqual([], window.errors, page)


class Steps(unittest.TestCase):
    """A book of three pages: what is made again, what is kept, what goes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.pages, self.out = self.root / "pages", self.root / "out"
        python, katex = steps.BUILD / "venv" / "bin" / "python", site_sphinx.katex_files()
        html = self.root / "build" / "html"
        for module, name, value in (
                *((module, "BUILD", html.parent)
                  for module in (site, site_book, site_sphinx, steps)),
                *((module, "HTML", html) for module in (site, site_book, steps)),
                (live, "PAGE", html / "live" / "index.html"),
                (site, "environment", lambda: python), (site, "katex_files", lambda: katex),
                (handouts, "pages", lambda *_: {}), (site_slides, "render", lambda *_: None),
                (handouts, "with_links", lambda text, *_: text),
                (site_book.Book, "named_pages", lambda book: [
                    (path, path.stem) for path in sorted((self.pages / book.language).iterdir())])):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        for name in ("index", "teaching", "conventions"):
            self.write(name, f"# {name}\n\nTo [teaching](teaching.md): first.\n")

    def write(self, name: str, text: str, languages=("en", "zh")) -> None:
        for language in languages:
            path = self.pages / language / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            code = os.path.relpath(ROOT / "learn", path.parent)
            path.write_text(f"{text}\nIts [source]({code}).\n", encoding="utf-8")

    def make(self, repository: str = "") -> str:
        """Returns what it said."""
        heard = io.StringIO()
        with contextlib.redirect_stdout(heard):
            site.make(has_live=False, has_pdf=False, repository=repository)
            steps.publish(steps.HTML, self.out)
        return heard.getvalue()

    def made_for(self, change) -> set[str]:
        """The pages that are written because of the change."""
        before = steps.contents(self.out)
        change()
        self.make()
        return {name for name, about in steps.contents(self.out).items()
                if name.endswith(".html") and about != before.get(name)}

    def is_as_if_made_anew(self) -> None:
        found = self.files()
        shutil.rmtree(steps.BUILD)
        self.make()
        anew = self.files()
        self.assertEqual(found.keys(), anew.keys())
        self.assertEqual([], [name for name in anew if found[name] != anew[name]])

    def files(self) -> dict[str, bytes]:
        return {name: (self.out / name).read_bytes() for name in steps.contents(self.out)}

    def test_what_did_not_change_is_kept_and_what_went_is_gone(self):
        self.write("opossum", "# Opossum\n\nOne.\n")
        self.assertRegex(self.make(), "rendering the pages +\\d+ s")
        for line in self.make().splitlines():
            self.assertRegex(line, "up to date$")
        self.assertEqual(set(), self.made_for(lambda: None))

        made = self.made_for(lambda: self.write("teaching", "# teaching\n\nWombat.\n", ["en"]))
        self.assertLessEqual({"en/teaching.html"}, made)  # beside it, what lists all pages
        self.assertLessEqual(made, {f"en/{name}.html" for name in (
            "teaching", "index", "search", "genindex")})
        self.assertIn("Wombat", (self.out / "en" / "teaching.html").read_text())
        self.assertIn("wombat", (self.out / "en" / "searchindex.js").read_text())

        made = self.made_for(lambda: self.write("teaching", "# Wombats\n\nOne.\n", ["zh"]))
        self.assertLess({f"zh/{name}.html" for name in ("index", "teaching", "conventions")}, made)
        self.assertEqual([], [name for name in made if name.startswith("en/")])
        self.assertIn("Wombats", (self.out / "zh" / "conventions.html").read_text())

        self.assertIn("opossum.html", (self.out / "en" / "teaching.html").read_text())
        for language in ("en", "zh"):
            (self.pages / language / "opossum.md").unlink()
        self.make()
        self.assertEqual([], [name for name, data in self.files().items()
                              if "opossum" in name or b"opossum" in data.lower()])
        self.is_as_if_made_anew()

    def test_the_address_of_the_repository_is_on_each_page_and_in_the_line_that_clones(self):
        address = "https://example.org/course"
        for language in ("en", "zh"):
            self.write("conventions", "# Get it\n\nIn a checkout<!-- address -->, of which "
                       "GitHub knows<!-- /address -->.\n", [language])
        unknown = {"en": "In a checkout of the repository; ask the makers of this site where it "
                         "is.", "zh": "In a checkout（仓库在哪里，请问做网站的人）."}
        for repository in (address, ""):
            self.make(repository)
            for language in ("en", "zh"):
                for name in ("index", "teaching", "conventions"):
                    page = (self.out / language / f"{name}.html").read_text("utf-8")
                    self.assertEqual(bool(repository), f'href="{address}"' in page)
                text = html.unescape(re.sub(r"<[^>]*>", "", page))
                self.assertNotIn("GitHub knows", text)
                self.assertEqual(bool(repository), f"git clone {address}." in text)
                self.assertEqual(not repository, unknown[language] in text)
        for readme in ("README.md", "README.zh.md"):
            self.assertEqual(1, len(site_book.ADDRESS.findall((ROOT / readme).read_text("utf-8"))))
        for wrong in ("example.org", "file:///a", "https://a b", 'https://a"b'):
            with self.assertRaisesRegex(Stop, "is not an address that begins with https://"):
                site.main(["--repository", wrong])

    def test_a_run_that_was_interrupted_is_repaired_by_the_next(self):
        self.make()
        before = self.files()
        self.write("teaching", "# teaching\n\nWombat.\n")
        render = site.sphinx

        def broken_off(book, *more, **options):
            found = render(book, *more, **options)
            (steps.HTML / book.language / "index.html").write_text("<html>half")
            if book.zh:
                raise KeyboardInterrupt
            return found

        with mock.patch.object(site, "sphinx", broken_off), self.assertRaises(KeyboardInterrupt):
            self.make()
        self.assertEqual(before, self.files())  # what can be seen is whole

        with mock.patch.object(shutil, "copyfile", side_effect=KeyboardInterrupt), \
                self.assertRaises(KeyboardInterrupt):
            self.make()
        self.assertEqual(before, self.files())

        self.make()
        self.assertIn(b"Wombat", self.files()["zh/teaching.html"])
        self.assertEqual(["build", "out", "pages"], sorted(os.listdir(self.root)))
        self.is_as_if_made_anew()

    def test_a_folder_that_holds_anything_else_is_refused(self):
        for name, text in (("notes.txt", ""), ("index.html", "<title>Mine</title>")):
            self.out.mkdir(exist_ok=True)
            (self.out / name).write_text(text)
            with self.assertRaisesRegex(Stop, f"contains {name}, which is not part of the site"):
                site.main(["--out", str(self.out)])
            self.assertEqual([name], os.listdir(self.out))
            shutil.rmtree(self.out)
        self.out.write_text("")
        with self.assertRaisesRegex(Stop, "this is a file"):
            site.main(["--out", str(self.out)])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/favicon.ico":  # which a browser asks for, and no page
            return super().do_GET()
        self.send_response(204)
        return self.end_headers()

    def log_message(self, *_what):
        pass


class Served(unittest.TestCase):
    """The site as a static host has it, below a path."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        (Path(folder.name) / "some" / "course").mkdir(parents=True)
        os.symlink(site.SITE, Path(folder.name) / "some" / "course" / "site")
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.start = f"http://127.0.0.1:{server.server_port}/some/course/site/"

    def test_all_that_is_linked_is_there_below_its_path(self):
        seen, waiting, lost = {self.start}, [self.start], []
        while waiting:
            address = waiting.pop()
            try:
                with urlopen(address, timeout=30) as answer:
                    data = answer.read()
            except HTTPError as error:
                lost.append(f"{address}: {error.code}")
                continue
            if not address.endswith(("/", ".html")):
                continue
            for link in read(data.decode("utf-8")).links:
                to = urldefrag(urljoin(address, link))[0]
                if urlsplit(to).netloc != urlsplit(self.start).netloc or to in seen:
                    continue
                seen.add(to)
                if to.startswith(self.start):
                    waiting.append(to)
                else:
                    lost.append(f"{address}: {link} leads out of the site")
        self.assertEqual([], lost)
        here = {self.start + path.relative_to(site.SITE).as_posix()
                for path in site.SITE.rglob("*.html")}
        first = {self.start + "index.html"}  # read as the folder itself
        by_script = ("/genindex.html", "/live/trace.html", "/live/by_hand.html",
                     "/speaker-view.html")
        self.assertEqual(first, {page for page in here - seen if not page.endswith(by_script)})

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_a_reader_gets_from_page_to_page(self):
        with browser.Browser() as window:
            def arrives(words: str) -> None:
                window.wait("document.readyState === 'complete' && location.href.includes("
                            f"{json.dumps(words)})")
                window.frame()
                asked = [one for one in window.requests
                         if not re.match("(data|blob|about):", one) and
                         not one.endswith("/favicon.ico") and
                         not one.startswith(self.start)]
                self.assertEqual(([], []), (asked, window.errors))

            window.call("Page.navigate", url=self.start)
            arrives("site/en/index.html")
            for link, to in (("02_attention.html", "en/02_attention.html"),
                             ("exercises/02-01.html", "en/exercises/02-01.html"),
                             ("../../zh/exercises/02-01.html", "zh/exercises/02-01.html"),
                             ("../../code/chapters/02_attention/exercises/01_attention/"
                              "skeleton.cpp.html", "skeleton.cpp.html")):
                there = window.js(f"[...document.querySelectorAll('a')].some(a => "
                                  f"a.getAttribute('href') === {json.dumps(link)} && !a.click())")
                self.assertTrue(there, link)
                arrives(to)
            window.call("Page.navigate", url=self.start + "en/search.html?q=softmax")
            window.wait("document.querySelectorAll('#search-results li').length > 5")
            arrives("search.html")


LOOP_SECONDS = 0.3  # where what is measured below was measured


def loop() -> float:
    """Seconds of the processor for what takes all processors equally many steps."""
    start = time.process_time()
    sum(i * i for i in range(5_000_000))
    return time.process_time() - start


class Again(unittest.TestCase):
    def test_a_second_run_does_nothing_and_says_so(self):
        before = steps.contents(site.SITE)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, ROOT / "learn", "site", "--en"] + FLAGS
        heard = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        *made, last = heard.splitlines()
        for line in made:
            if not line.endswith("…"):
                self.assertRegex(line, "up to date$", heard)
        self.assertRegex(last, r"^\d+ pages in \d+ s: out/site/index.html$")
        self.assertEqual(before, steps.contents(site.SITE))
        # Of the processor, as other tests run beside this one: measured, 6 s.
        slower = max(1, min(loop() for _ in range(3)) / LOOP_SECONDS)
        took = now.ru_utime - used.ru_utime + now.ru_stime - used.ru_stime
        self.assertLess(took / slower, 10, (took, slower))


class Tokens(unittest.TestCase):
    def test_a_token_in_a_title_or_a_link_is_text(self):
        book = site_book.Book("en")
        asked = "# Until <eos>\n\n[To <eos>](#a), `<eos>`, $`<eos>`$\n\n<details>\n</details>\n"
        self.assertEqual("# Until &lt;eos>\n\n[To &lt;eos>](#a), `<eos>`, {tex}`<eos>`\n\n"
                         "<details>\n</details>\n",
                         book.laid_out(asked, ROOT / "README.md", "index"))


class Pictures(unittest.TestCase):
    def drawn(self, shapes: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.svg"
            path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="90">'
                            f"{shapes}</svg>", encoding="utf-8")
            return site_pictures.figure(path, "words")

    def test_words_keep_their_colour_on_a_cell_alone(self):
        box = '<rect x="0" y="0" width="90" height="40" fill="#4477aa"{}/>'
        word = '<text x="9" y="9" font-size="15" fill="#222222">on it</text>'
        self.assertIn('fill="#222222">on it', self.drawn(box.format("") + word))
        self.assertIn('fill="var(--picture-ink, #222222)">on it',
                      self.drawn(box.format(' fill-opacity="0.2"') + word))

    def test_a_box_leads_to_its_chapter(self):
        boxes = '<g data-chapter="2"><text font-size="15">a</text></g><g data-chapter="77"/>'
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.svg"
            path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="90">'
                            f"{boxes}</svg>", encoding="utf-8")
            drawn = site_pictures.figure(path, "words", {"2": "02_attention.html"})
        self.assertIn('<a data-chapter="2" href="02_attention.html"><text', drawn)
        self.assertEqual(drawn.count("href"), 1)
        self.assertIn('role="group"', drawn)

    def test_a_film_stands_still_for_those_who_ask_for_less_motion(self):
        drawn = site_pictures.figure(ROOT / "docs/pictures/live.png", 'a "map"')
        self.assertIn('<source media="(prefers-reduced-motion: reduce)" srcset="data:image/png',
                      drawn)
        self.assertIn('alt="a &quot;map&quot;"', drawn)

    def test_it_shrinks_only_as_far_as_its_smallest_word_can_be_read(self):
        small = self.drawn('<text font-size="15">a</text>')
        self.assertIn("min-width: 600px; --on-page: 734px", small)
        self.assertIn("min-width: 1000px", self.drawn('<text font-size="8">a</text>'))


def prose(source: Path) -> list[str]:
    """Of every line outside of code, its longest run of words without markup; but not of those
    that only GitHub needs to get from page to page."""
    text = site_book.ADDRESS.sub("|", source.read_text(encoding="utf-8"))
    text = re.sub(r"^(\s*)(```+).*?^\1\2\s*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?s:<!--.*?-->)|^.*(English|简体中文)\]\(.*$", "", text, flags=re.MULTILINE)
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


def largest_of(pages: list[Path]) -> list[Path]:
    """Of each chapter's exercises, of the labs and of the exams: the one with most on it, in both
    languages. With --whole, all of them."""
    if whole:
        return pages
    kinds: dict[tuple, list[Path]] = {}
    for page in pages:
        kinds.setdefault((page.parent, page.name.partition("-")[0]), []).append(page)
    return [max(alike, key=lambda page: page.stat().st_size) for alike in kinds.values()]


def browse(pages: list[Path]) -> dict:
    """What each page shows: half of them in a browser beside the other."""
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(browse_some, (pages[::2], pages[1::2])))
    return {**found[0], **found[1]}


def browse_some(pages: list[Path]) -> dict:
    found = {}
    with browser.Browser(PHONE, 800) as window:
        for page in pages:
            window.open(page)
            found[page.as_uri()] = {**window.js(LOOK), "errors": window.errors[:], "requests": [
                one for one in window.requests if not re.match("(file|data|blob|about):", one)]}
            window.resize(PAPER, 800)
            window.call("Emulation.setEmulatedMedia", media="print")
            found[page.as_uri()]["cut"] = window.js(CUT)
            window.call("Emulation.setEmulatedMedia", media="")
            window.resize(PHONE, 800)
    return found


if __name__ == "__main__":
    try:
        site.main(FLAGS)
    except Stop as stop:
        if "install" not in str(stop):
            raise
        print(f"skipped: {stop}")
        sys.exit(SKIPPED)
    unittest.main(argv=[word for word in sys.argv if word != "--whole"])
