"""Sphinx and KaTeX, which render the pages and the slides."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import setup
from tools.book.site_book import Book
from tools.book.steps import BUILD, step
from tools.terminal import ROOT, Stop, quiet_environment, shown, timed

THEME = ROOT / "tools" / "book" / "site_theme"
KATEX = Path("/usr/share/javascript/katex")


def environment() -> Path:
    """Installs Sphinx in an environment of its own, at the versions of requirements.txt."""
    folder, wanted = BUILD / "venv", THEME / "requirements.txt"
    python, log = folder / "bin" / "python", BUILD / "install.log"

    def installed(_changed: set[str]) -> None:
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
        for title, command in [
                ("making an environment", [sys.executable, "-m", "venv", "--clear", folder]),
                ("installing Sphinx", [*pip, "-r", wanted])]:
            status, _ = timed(title, [str(word) for word in command], log)
            if status != 0:
                raise Stop(f"{title} failed; the end of {shown(log)}:\n"
                           + "\n".join(log.read_text().splitlines()[-5:]))

    step("installing Sphinx", python, {"versions": [wanted]}, installed)
    return python


def katex_files() -> Path:
    """KaTeX for a page opened from a file: its fonts are embedded in the style sheet, as some
    browsers do not load fonts from files next to it."""
    folder = BUILD / "katex"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(KATEX / "katex.min.js", folder / "katex.js")

    def font(found: re.Match) -> str:
        data = (KATEX / "fonts" / f"{found[1]}.woff2").read_bytes()
        return f"src:url(data:font/woff2;base64,{base64.b64encode(data).decode()})"

    css = (KATEX / "katex.min.css").read_text()
    css = re.sub(r"src:url\(fonts/([^.)]+)\.woff2\)[^;}]*", font, css)
    (folder / "katex.css").write_text(css)
    return folder


def sphinx(book: Book, python: Path, katex: Path, builder: str, target: Path,
           flags: tuple[str, ...] = ("-E",), heard=lambda line: None, **more: str) -> list[str]:
    """Runs Sphinx; returns its complaints. `heard` is called with each line of output."""
    partner = BUILD / ("en" if book.zh else "zh")
    variables = {**quiet_environment(), "XF_SITE_LANGUAGE": book.language,
                 "XF_SITE_REPOSITORY": book.repository,
                 "XF_SITE_LIVE": "1" if book.has_live else "",
                 "XF_SITE_PARTNER": str(partner), "XF_SITE_KATEX": str(katex), **more}
    process = subprocess.Popen(
        [str(python), "-m", "sphinx", *flags, "-b", builder, "-c", str(THEME),
         "-j", str(max(1, setup.cores() // 2)),  # the other language gets the other half
         "-d", str(BUILD / f"{book.language}-{builder}"), str(book.folder), str(target)],
        env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace")
    lines = []
    with process:
        for line in process.stdout:
            lines.append(line.rstrip())
            heard(line)
    complaints = [line for line in lines if re.search("WARNING|ERROR|error:", line)]
    return complaints or (lines[-5:] if process.returncode else [])


def theme(katex: Path) -> list[Path]:
    """What every page depends on, apart from its text."""
    return [THEME, katex, ROOT / "tools" / "book" / "cells.py"]
