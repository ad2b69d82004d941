"""The Sphinx configuration for the pages laid out by tools/book/site.py, once for each language."""

import html
import os
import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.search.zh import SearchChinese

sys.path.append(str(Path(__file__).resolve().parents[3]))
from tools.book.cells import page_in_cells  # noqa: E402

CHINESE = os.environ["XF_SITE_LANGUAGE"] == "zh"

project = "Transformer by Hand"
author = "the authors of Transformer by Hand"
language = "zh_CN" if CHINESE else "en"
html_title = "手写 Transformer" if CHINESE else project
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_block"]
# The sidebar already lists the pages; lines of code are wider than Sphinx expects of a word.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
smartquotes = False

HERE = os.path.dirname(os.path.abspath(__file__))
templates_path = [os.path.join(HERE, "templates")]
html_static_path = [os.path.join(HERE, "static"), os.environ["XF_SITE_KATEX"]]
html_theme = "basic" if os.environ.get("XF_SITE_PRINT") else "furo"
html_css_files = ["katex.css", "site.css"]
html_js_files = ["katex.js", "site.js"]
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # a page opened from a file may not fetch others
html_copy_source = False
html_search_scorer = os.path.join(HERE, "scorer.js")
html_permalinks_icon = "#"
copybutton_exclude = ".linenos, .gp, .go"
pygments_style = "default"
pygments_dark_style = "github-dark" if not os.environ.get("XF_SITE_PRINT") else None

if os.environ.get("XF_SITE_SLIDES"):
    extensions = ["myst_parser", "sphinx_revealjs"]
    revealjs_static_path = html_static_path
    revealjs_style_theme = "white"
    revealjs_css_files = ["katex.css", "slides.css"]
    revealjs_js_files = ["katex.js", "site.js", "slides.js"]
    revealjs_script_conf = {"width": 1280, "height": 720, "margin": 0.03, "hash": True,
                            "slideNumber": "c/t", "center": False, "transition": "none",
                            "highlight": {"highlightOnLoad": False}}  # slides.js does it
    revealjs_script_plugins = [
        {"name": f"Reveal{name.capitalize()}", "src": f"revealjs/plugin/{name}/{name}.js"}
        for name in ("notes", "highlight")]

if html_theme == "furo":
    html_theme_options = {
        "light_css_variables": {"color-brand-primary": "#1f6f6b", "color-brand-content": "#1f6f6b"},
        "dark_css_variables": {"color-brand-primary": "#5ec4b6", "color-brand-content": "#5ec4b6"},
    }
    html_sidebars = {"**": [
        "sidebar/brand.html", "language.html", "sidebar/search.html", "sidebar/scroll-start.html",
        "sidebar/navigation.html", "sidebar/scroll-end.html"]}


class Words(set):
    """The words in Latin script found so far. Sphinx uses a list, and searches it for each word of
    each page: 200 s for these pages."""
    extend = set.update


class Chinese(SearchChinese):
    """Words are segmented by jieba; a query is split into the longest words that the index has, as
    Chinese has no spaces between them."""

    latin_terms = Words()
    js_splitter_code = """
function splitQuery(query) {
  const known = (word) => Search._index &&
    (Object.hasOwn(Search._index.terms, word) || Object.hasOwn(Search._index.titleterms, word));
  const words = [];
  for (const run of query.split(/[^\\p{Letter}\\p{Number}_]+/gu)) {
    for (const part of run.match(/\\p{Script=Han}+|[^\\p{Script=Han}]+/gu) || []) {
      if (!/\\p{Script=Han}/u.test(part)) { words.push(part); continue; }
      for (let i = 0; i < part.length;) {
        let end = part.length;
        while (end > i + 1 && !known(part.slice(i, end))) end--;
        words.push(part.slice(i, end));
        i = end;
      }
    }
  }
  return words;
}
"""


def tex(source, block):
    """The formula's TeX source; site.js renders it with KaTeX."""
    name = "div" if block else "span"
    return nodes.raw("", f'<{name} class="tex">{html.escape(source)}</{name}>', format="html")


def tex_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    return [tex(text, False)], []


class Tex(Directive):
    has_content = True

    def run(self):
        return [tex("\n".join(self.content), True)]


SIDEBARS = {}  # the list of all pages, by folder and by the theme's options


def with_one_sidebar(app, pagename, templatename, context, doctree):
    """Sphinx resolves the list of all pages on each page; here, once per folder."""
    folder = os.path.dirname(pagename)

    def toctree(**how):
        key = folder, *sorted(how.items())
        if key not in SIDEBARS:  # for a page that is not in the list
            nobody = os.path.join(folder, "search")
            tree = app.builder._get_local_toctree(nobody, **how)
            SIDEBARS[key] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
        return SIDEBARS[key]

    if "toctree" in context:
        context["toctree"] = toctree


def with_mark(app, pagename, templatename, context, doctree):
    """Marks the current page in that list, as the theme does; if it is folded below another one,
    that one is unfolded."""
    name = re.escape(html.escape(os.path.basename(pagename)))
    tree = context.get("furo_navigation_tree") or ""
    found = re.search(f'<li class="(toctree-l[12](?: has-children)?)">'
                      f'<a class="reference internal" href="{name}[.]html">', tree)
    if found:
        before, after = tree[:found.start()], tree[found.end():]
        if "l2" in found[1]:
            before = opened(before, before.rindex(CHECKBOX))
        elif "has-children" in found[1]:
            after = opened(after, after.index(CHECKBOX))
        tree = (f'{before}<li class="{found[1]} current current-page">'
                f'<a class="current reference internal" href="#">{after}')
    context["furo_navigation_tree"] = tree


CHECKBOX = 'class="toctree-checkbox"'


def opened(tree, place):
    return tree[:place] + 'checked="" ' + tree[place:]


def without_lost_words(app):
    """Removes words of the last run that no page has any more from the index; Sphinx keeps them."""
    index = getattr(app.builder, "indexer", None)  # None for slides and the PDF
    for words in (index._mapping, index._title_mapping) if index else ():
        for word in [word for word, pages in words.items() if not pages]:
            del words[word]
    return []


def with_text_for_titles(app):
    """The search inserts the index's titles as HTML, so that <eos> would become an element. Titles
    that were escaped in the previous run stay the same."""
    titles = getattr(getattr(app.builder, "indexer", None), "_all_titles", {})
    for page, found in titles.items():
        titles[page] = [(html.escape(html.unescape(title), quote=False), anchor)
                        for title, anchor in found]
    return []


def with_ours(app, pagename, templatename, context, doctree):
    """What our templates show, such as the same page in the other language, or its index page."""
    partner = os.environ["XF_SITE_PARTNER"]
    exists = os.path.exists(os.path.join(partner, pagename + ".md"))
    up = "../" * (pagename.count("/") + 1)
    context["partner"] = (f"{up}{'en' if CHINESE else 'zh'}/"
                          f"{pagename if exists else 'index'}.html")
    context["partner_name"] = "English" if CHINESE else "简体中文"
    if os.environ.get("XF_SITE_LIVE"):
        context["live"] = f"{up}live/index.html#lang={'zh' if CHINESE else 'en'}"
        context["live_name"] = "打开互动网页" if CHINESE else "Try it live"
    context["repository"] = os.environ.get("XF_SITE_REPOSITORY")
    context["repository_name"] = "代码仓库" if CHINESE else "The repository"
    if "body" in context:  # program output, whose columns stay aligned
        context["body"] = page_in_cells(context["body"])


def setup(app):
    from sphinx import search
    if CHINESE:
        search.languages["zh"] = Chinese
    app.add_role("tex", tex_role)
    app.add_directive("tex", Tex)
    app.connect("html-page-context", with_one_sidebar, priority=400)  # the theme has 500
    app.connect("html-page-context", with_mark, priority=600)
    app.connect("html-page-context", with_ours)
    app.connect("html-collect-pages", without_lost_words)  # before the index is written
    app.connect("html-collect-pages", with_text_for_titles)
