"""Converts a page to slides.

What a page shows (a formula, a picture, code, output, a table) is a slide, with the sentence that
introduces it; the speaker's notes are the paragraph before it, and those after it up to the next
one. A part with nothing to show gives the first sentence of each paragraph, and its bold question;
the goals of the week are a slide of their own. What a page folds, such as the solution of an
exercise, is on no slide: there the paragraph before it is shown alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tools.exercises.task_text import escaped, formula, joined
from tools.teaching.weeks import GOALS

HEADING = re.compile(r"^(#{2,3}) (.*)$")
BLOCK = re.compile(r"""
      (?P<math>    ^```math\n (?s:.*?) ^```[ ]*$ )
    | (?P<code>    ^(?P<fence>```+)\w*\n (?s:.*?) ^(?P=fence)[ ]*$ )
    | (?P<heading> ^\#{2,3}[ ].*$ )
    | (?P<picture> ^!\[.*$ )
    | (?P<folded>  ^<details> (?s:.*?) ^</details>$ )
    | (?P<table>   (?: ^\|.*\n )+ )
    | (?P<output>  ^<!--[ ](?: output:[ ]\d+_\w+ (?:[ ]--\S+)* [ ](?P<section>\d+) | /output ).* )
    | ^(?: <.* | \#[ ].* )$
    | (?P<prose>   ^.*\S.*\n (?: ^(?:[^\S\n]*(?: [^\s<|`\#!-] | -[^ \n] | `[^`\n] )).*\n )* )""",
                   re.M | re.X)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]+\)")
KEPT_WHOLE = re.compile(r"\*\*.+?\*\*|\$`[^`]*`\$|`[^`]*`|\b(?:e\.g|i\.e|vs)\.", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"*\0])|(?<=[。？！])")
BOLD_START = re.compile(r"\*\*[^*]+[.?!。？！]\*\*")
REFERS_BACK = re.compile(  # to the previous sentence
    r"(?:Its?|These|Those|They|Their|That|And|So|Thus|Then|Even so|Each has|Of these|Both)\b"
    r"|This(?! (?:table|function|program|picture))\b|.*\b(?:these alone|they)\b"
    r"|[它这那](?!里|张|个函数|段程序|一层)|其中|于是|因此|所以|而且|也就是", re.DOTALL)
CONJUNCTION = re.compile(r"^(?:And|So|Thus)\s+|^(?:于是|因此|所以)，?")
FOR_NOTES = re.compile(
    r"\$`(?P<formula>[^`]+)`\$|`[^`]*`|"
    r"(?<!!)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]+\)")
MOST_LINES = 30  # of code or output per slide
MOST_POINTS = 7
LONGEST_LEAD = 280  # characters of text above what is shown


@dataclass
class Slide:
    heading: str
    level: int  # 2: a new part, to the right; 3: within it, downwards
    shown: str
    notes: list[str] = field(default_factory=list)
    section: int = 0  # section of the lesson that printed it
    pause: bool = False  # the next part is folded: the audience has to find it


def sentences(paragraph: str) -> list[str]:
    """Splits at full stops, but not within a formula, code or bold type: a bold lead-in stays with
    the sentence after it."""
    kept: list[str] = []
    text = KEPT_WHOLE.sub(lambda m: kept.append(m[0]) or f"\0{len(kept) - 1}\0", paragraph)
    parts = [part.strip() for part in SENTENCE.split(text) if part.strip()]
    return [re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], part) for part in parts]


def without_links(text: str) -> str:
    return LINK.sub(r"\1", text)


def for_notes(text: str) -> str:
    """A paragraph for the speaker's notes, which have neither formulas nor links."""
    def said(found: re.Match) -> str:
        if found["formula"]:
            return escaped("  ".join(formula(found["formula"])))
        return FOR_NOTES.sub(said, found["words"]) if found["words"] else found[0]

    return FOR_NOTES.sub(said, joined(text.splitlines()))


def blocks(lines: list[str]):
    """(kind, text): heading, math, code, picture, table, folded, or prose, which is a paragraph or
    a list item; section, with the number of a section before its output and 0 after it."""
    for found in BLOCK.finditer("\n".join(lines) + "\n"):
        kind = found.lastgroup
        if kind == "output":
            yield "section", found["section"] or "0"
        elif kind:
            yield kind, found[kind].rstrip("\n")


def code_slides(code: str) -> list[str]:
    """Splits a long block, at an empty line if there is one in the lower half."""
    fence, *body, _end = code.splitlines()
    parts: list[str] = []
    while body:
        at = len(body)
        if at > MOST_LINES:
            empty = [i for i in range(MOST_LINES // 2, MOST_LINES) if not body[i].strip()]
            at = empty[-1] + 1 if empty else MOST_LINES
        parts.append("\n".join([f"```{{code-block}} {fence.lstrip('`') or 'text'}", "",
                                *body[:at], "```"]))
        body = body[at:]
    return parts


def lead_to(prose: list[str]) -> str:
    """The introducing sentence: the last one if it ends in a colon, otherwise the first of the
    paragraph, with earlier sentences that it refers to; for output, the command as well."""
    if prose and prose[-1].startswith("`./learn chapter "):
        return f"{lead_to(prose[:-1])}{prose[-1]}\n\n"
    if not prose or prose[-1].startswith("-"):
        return ""
    earlier = sentences(prose[-2]) if len(prose) > 1 and prose[-2][0] not in "-`" else []
    said = earlier + sentences(prose[-1])
    start = len(said) - 1 if said[-1].endswith((":", "：")) else len(earlier)
    end = start + 1
    while start > 0 and REFERS_BACK.match(said[start]):
        start -= 1
    bold = BOLD_START.match(said[len(earlier)])
    shown_bold = [bold[0]] if bold and start > len(earlier) else []
    if start == 0 and CONJUNCTION.match(said[0]):  # it refers to the previous slide
        rest = CONJUNCTION.sub("", said[0])
        said[0] = rest[0].upper() + rest[1:]
    lead = in_a_row(shown_bold + said[start:end])
    if REFERS_BACK.match(said[start]) or len(lead) > LONGEST_LEAD:
        lead = bold[0] if bold else ""
    return f"{lead}\n\n" if lead else ""


def leads_from(prose: list[str]) -> int:
    """The index of the first paragraph that introduces the next item: the last paragraph, or a list
    with the paragraph before it; those before it are about the previous item."""
    at = len(prose) - 1
    if at > 0 and prose[at].startswith("`./learn chapter "):
        at -= 1
    while at > 0 and prose[at].startswith("- "):
        at -= 1
    return max(at, 0)


def caption(picture: str, lead: str) -> str:
    """The sentence that announces a picture; otherwise the picture's alternative text up to the
    first stop, if it is longer than "Left": the paragraph before may be about something else."""
    if lead.rstrip().endswith((":", "：")):
        return lead
    said = re.split(r"[:：;；。]|\.\s", picture.partition("![")[2].partition("](")[0])[0].strip()
    return f"{said}\n\n" if len(said) > 4 else ""


def in_a_row(said: list[str]) -> str:
    text = said[0]
    for each in said[1:]:
        text += each if text.endswith(("。", "？", "！")) else f" {each}"
    return text


def points(prose: list[str]) -> str:
    return "\n".join(f"- {point(paragraph)}" for paragraph in prose[:MOST_POINTS])


def point(paragraph: str) -> str:
    """Its first sentence, and its question in bold type."""
    said = sentences(re.sub(r"^- ", "", without_links(paragraph)))
    asked = [found[0] for found in re.finditer(r"\*\*[^*]+[?？]\*\*", without_links(paragraph))
             if found[0] not in said[0]]
    return joined(in_a_row([said[0], *asked]).splitlines())


def before_fold(prose: list[str]) -> str:
    """The paragraph before something folded, such as "Stop here"; if it is long, only from the
    sentence that names an exercise."""
    said = sentences(prose[-1])
    if len(prose[-1]) <= LONGEST_LEAD:
        return prose[-1]
    asks = [at for at, one in enumerate(said) if re.search(r"\b\d\d-\d\d\b", one)]
    return in_a_row(said[asks[-1] if asks else -1:])


def slides_of(lines: list[str], title: str) -> list[Slide]:
    """Text before the first heading gets the title of the page."""
    slides: list[Slide] = []
    heading, level, prose, section = title, 2, [], 0
    fresh = True  # nothing of this part has been shown yet

    def show(text: str, pause: bool = False) -> None:
        nonlocal fresh
        if not fresh:
            at = leads_from(prose)
            slides[-1].notes += [for_notes(paragraph) for paragraph in prose[:at]]
            del prose[:at]
        slides.append(Slide(heading, level if fresh else 3, text, noted(), section, pause))
        fresh = False

    def noted() -> list[str]:
        notes = [for_notes(paragraph) for paragraph in prose]
        prose.clear()
        return notes

    def lead() -> str:
        return lead_to([without_links(paragraph) for paragraph in prose])

    def finish() -> None:
        if prose and fresh:
            if prose[0] in GOALS.values():
                lead_in, *listed = [without_links(paragraph) for paragraph in prose]
                prose.clear()  # no notes to add
                show(f"{lead_in}\n\n" + "\n".join(listed))
            else:
                show(points(prose))
        elif prose and slides:
            slides[-1].notes += noted()
        prose.clear()

    for kind, text in blocks(lines):
        if prose and prose[0] in GOALS.values() and not (kind == "prose" and text.startswith("- ")):
            finish()
        if kind == "heading":
            finish()
            found = HEADING.match(text)
            heading, level, fresh = found[2], len(found[1]), True
        elif kind == "section":
            section = int(text)
        elif kind == "prose":
            if text in GOALS.values():  # a slide of its own
                finish()
                level, fresh = 3 if slides else level, True
            prose.append(text)
        elif kind == "folded":
            if any(paragraph.startswith("- ") for paragraph in prose[:-1]):  # a list of its own
                last = prose.pop()
                show(points(prose))
                prose.append(last)
            if prose:
                show(before_fold([without_links(paragraph) for paragraph in prose]), pause=True)
            slides[-1].notes += folded(text)
        elif kind == "picture":
            show(caption(text, lead()) + without_links(text))
        else:
            for part in code_slides(text) if kind == "code" else [without_links(text)]:
                show(lead() + part)
    finish()
    return slides


def folded(text: str) -> list[str]:
    """Notes on the folded part: its text and its formulas."""
    notes = []
    for kind, part in blocks(text.splitlines()[1:-1]):
        if kind == "prose":
            notes.append(for_notes(part))
        elif kind == "math":
            notes.append(escaped("; ".join(formula(" ".join(part.splitlines()[1:-1])))))
    return notes
