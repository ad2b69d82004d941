"""The tables of a page under docs/results, generated from its log between <!-- name --> and
<!-- /name -->."""
import re
import sys
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
Tables = Callable[[bool], dict[str, str]]  # in Chinese? -> the text of each table by its name


def pages(name: str) -> list[Path]:
    return [RESULTS / f"{name}.md", RESULTS / f"{name}.zh.md"]


def with_tables(page: Path, tables: Tables) -> str:
    text = page.read_text(encoding="utf-8")
    for name, new in tables(page.name.endswith(".zh.md")).items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
                      lambda found: found[1] + new + found[2], text, flags=re.S)
    return text


def write(name: str, tables: Tables) -> None:
    for page in pages(name):
        page.write_text(with_tables(page, tables), encoding="utf-8")


def check(name: str, tables: Tables, command: str) -> int:
    """The exit code: 1 if a page's tables do not match its log; `command` would update them."""
    old = [page for page in pages(name)
           if with_tables(page, tables) != page.read_text(encoding="utf-8")]
    for page in old:
        print(f"error: {page.relative_to(ROOT)} has other tables than its log: {command}",
              file=sys.stderr)
    return 1 if old else 0
