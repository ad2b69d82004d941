"""The weeks of docs/*/teaching.md: a page, its first part and the one before which it ends, by
their English headings. The Chinese page has as many."""

from tools.terminal import ROOT

SPLIT = "### An answer beyond the segment"
WEEKS = [("00_foundations", "", ""), ("01_embedding", "", ""), ("02_attention", "", ""),
         ("03_layer_norm", "", ""), ("04_feed_forward", "", ""), ("05_encoder", "", ""),
         ("06_decoder", "", ""), ("07_transformer", "", ""), ("08_transformer_xl", "", SPLIT),
         ("08_transformer_xl", SPLIT, "")]
PARTS = {False: (" I", " II"), True: ("（上）", "（下）")}


def title_of(week: int, zh: bool) -> str:
    """The page's, and which part of it where several weeks share the page."""
    name = WEEKS[week - 1][0]
    page = ROOT / "docs" / ("zh" if zh else "en") / f"{name}.md"
    title = page.read_text(encoding="utf-8").splitlines()[0][2:]
    weeks = [number for number, (page_name, *_) in enumerate(WEEKS, 1) if page_name == name]
    return title + PARTS[zh][weeks.index(week)] if len(weeks) > 1 else title
