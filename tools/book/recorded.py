"""The recorded output of lessons, kept in three ways.

docs/recorded/NAME.txt, in Chinese NAME.zh.txt, is the output of a lesson that trains a model. Its
training takes too long for a check of the pages, so the pages quote the record instead of a fresh
run. The first line holds a hash of the lesson's sources and, in Chinese, of its catalogue: when
they change, `./learn docs --check` asks for `./learn docs --record NAME`.

docs/recorded/digits.json holds a digest of every file that each lesson writes, and of its output
('') without its measurements: `./learn docs --record NAME` writes those of a lesson, and
`--record digits` those of all, from build/release.

$XF_LESSONS/NAME holds the files that a lesson has written in its own test, and lesson.txt its
output there, for the tests that look at either.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from tools import setup
from tools.terminal import BIN, ROOT, Stop, quiet_environment, say, write_file

LANGUAGES = ("en", "zh")
FIRST_LINE = re.compile(r"# .* sha256:([0-9a-f]{64})\n")
INCLUDES = re.compile(rb'^#include .*\n', re.M)
PRINTED = "lesson.txt"  # in the folder of the lesson's own test; not written by the lesson
DIGESTS = ROOT / "docs" / "recorded" / "digits.json"

LESSONS = ["00_foundations", "01_embedding", "02_attention", "03_layer_norm", "04_feed_forward",
           "05_encoder", "06_decoder", "07_transformer", "08_transformer_xl", "09_since_2017",
           "12_many_machines"]
TRAINING = "07_transformer"  # minutes on one thread, hours on an emulated processor

# Lines with measurements, and files with measurements.
MEASURED = re.compile(r"\d (ms|µs|s|times faster)\b|\(measured\)|/s\b|\b\d+:\d\d\b")
FILES_MEASURED = {"step_cost.svg", "history.csv", "checkpoint.safetensors"}
ARGUMENTS = {"06_decoder": ["--no-timing"]}


def file_of(name: str, root: Path, language: str = "en") -> Path:
    return root / "docs/recorded" / f"{name}{'.zh' if language == 'zh' else ''}.txt"


def names(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "docs/recorded").glob("*.txt")
                  if not path.name.endswith(".zh.txt"))


def sources_hash(name: str, root: Path, language: str = "en") -> str:
    """A hash of the files in chapters/NAME that determine the output, without their includes."""
    total = hashlib.sha256()
    folder = root / "chapters" / name
    catalogue = folder.glob("zh.po") if language == "zh" else ()
    for path in sorted([*folder.rglob("lesson*"), *catalogue]):
        total.update(path.name.encode() + b"\0" + INCLUDES.sub(b"", path.read_bytes()))
    return total.hexdigest()


def text_of(name: str, root: Path, language: str = "en") -> str | None:
    """What the lesson printed, or None if there is no record of it."""
    path = file_of(name, root, language)
    if not path.is_file():
        return None
    return FIRST_LINE.sub("", path.read_text(encoding="utf-8"), count=1)


def stale(name: str, root: Path) -> list[str]:
    """The languages whose record is missing, or was made from other sources."""
    def fresh(language: str) -> bool:
        path = file_of(name, root, language)
        found = FIRST_LINE.match(path.read_text(encoding="utf-8")) if path.is_file() else None
        return bool(found) and found[1] == sources_hash(name, root, language)
    return [language for language in LANGUAGES if not fresh(language)]


def keep(name: str, printed: str, root: Path, language: str = "en") -> None:
    path = file_of(name, root, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, f"# printed by {name}; its lesson* files: "
                     f"sha256:{sources_hash(name, root, language)}\n{printed}")


def by_its_test(name: str) -> tuple[str, Path] | None:
    """The lesson's output in English without flags, with the default for --out, and the folder with
    its files; None if no test of the current program has kept them."""
    folder = Path(os.environ.get("XF_LESSONS") or os.devnull) / name
    program, printed = Path(os.environ.get("XF_BIN") or BIN) / name, folder / PRINTED
    if not printed.is_file() or printed.stat().st_mtime <= program.stat().st_mtime:
        return None
    return printed.read_text(encoding="utf-8").replace(str(folder), f"out/{name}"), folder


def digests(name: str, programs: Path, threads: int, prefix: list[str] = ()) -> dict[str, str]:
    """The hash of each file that a lesson writes, and of its output ('')."""
    if not (programs / name).is_file():
        raise Stop(f"{name} is not built: ./learn builds it")
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run([*prefix, str(programs / name), "--language", "en", "--threads",
                                 str(threads), "--out", ".", *ARGUMENTS.get(name, [])],
                                cwd=folder, env=quiet_environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        if answer.returncode not in (0, 1):
            raise Stop(f"{name}: ended with {answer.returncode}: "
                       + answer.stderr.decode(errors="replace").strip()[-300:])
        return digests_of(answer.stdout.decode(), Path(folder))


def digests_of(printed: str, folder: Path) -> dict[str, str]:
    return {"": digest(unmeasured(printed).encode()),
            **{str(path.relative_to(folder)): digest(path.read_bytes())
               for path in sorted(folder.rglob("*"))
               if path.is_file() and path.name not in FILES_MEASURED | {PRINTED}}}


def digests_of_its_test(name: str) -> dict[str, str] | None:
    """The same for the run of the lesson's own test, if it had the same arguments."""
    found = None if name in ARGUMENTS else by_its_test(name)
    return found and digests_of(found[0].replace(f"out/{name}", "."), found[1])


def unmeasured(text: str) -> str:
    """Removes lines with measurements, and normalises the width of table columns."""
    lines = [line for line in text.splitlines() if not MEASURED.search(line)]
    return "\n".join(re.sub(r"[ -]{2,}", "  ", line).rstrip() for line in lines) + "\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def known_digests() -> dict[str, dict[str, str]]:
    return json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}


def differences(name: str, found: dict[str, str]) -> list[str]:
    """One line that names the files whose digests differ from the record, or none."""
    wanted = known_digests().get(name, {})
    files = [file or "its output" for file in sorted(set(wanted) | set(found))
             if wanted.get(file) != found.get(file)]
    return [f"{name}: {', '.join(files)} differ"] if files else []


def keep_digests(lessons: list[str]) -> None:
    """Leaves those of other lessons unchanged."""
    known = known_digests()
    for name in lessons:
        known[name] = digests(name, BIN, setup.cores())
        say(f"  recorded  {name}")
    write_file(DIGESTS, json.dumps({name: known[name] for name in LESSONS if name in known},
                                   indent=1) + "\n")
