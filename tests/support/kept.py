"""What a compiler has said is kept with the digests of all the files that it read, and said again
while they are the same."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
from pathlib import Path

from support.checkout import ROOT
from tools.terminal import write_file

PLACE = ROOT / "build/kept"


@functools.lru_cache(maxsize=None)
def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if Path(path).is_file() else ""


@functools.lru_cache(maxsize=None)
def version(compiler: str) -> str:
    return subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True).stdout


def files_read(dependencies: Path, folder: Path) -> dict[str, str]:
    """By the rule that -MD writes for make, with their digests; "" for what is no file."""
    rule = dependencies.read_text(encoding="utf-8").replace("\\\n", " ").split(": ", 1)[1]
    paths = [path.replace("\\ ", " ") for path in re.split(r"(?<!\\)\s+", rule.strip())]
    return {path: digest(path) for path in (str(folder / path) for path in paths)}


def said(command: list, folder: Path = ROOT) -> str:
    """What this command prints in this folder; kept unless it fails, or what it read is unknown."""
    words = [str(word) for word in command]
    key = hashlib.sha256(json.dumps([version(words[0]), words, str(folder)]).encode()).hexdigest()
    kept, dependencies = PLACE / f"{key}.json", PLACE / f"{key}.d"
    if kept.exists():
        text, files = json.loads(kept.read_text(encoding="utf-8"))
        if all(digest(path) == known for path, known in files.items()):
            return text
    PLACE.mkdir(parents=True, exist_ok=True)
    ran = subprocess.run([*words, "-MD", "-MF", str(dependencies)], cwd=folder, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode == 0:
        files = files_read(dependencies, folder)
        if all(files.values()):
            write_file(kept, json.dumps([ran.stdout, files]))
    dependencies.unlink(missing_ok=True)
    return ran.stdout
