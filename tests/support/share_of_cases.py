"""share_of_cases.py N PROGRAM: a program of doctest, with what starts it before it, and a share of
its cases, one in N, another one at each commit; all with XF_ALL (tools/checks/share.py). They are
dealt, so that slow ones, which stand together, are not all in one share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.checks.share import turn  # noqa: E402


def main(one_in: int, program: list[str]) -> int:
    said = subprocess.run([*program, "--count", "--no-colors"], capture_output=True, text=True,
                          check=True).stdout
    count = int(said.rsplit(":", 1)[1])
    first = turn() % one_in * count // one_in
    last = (turn() % one_in + 1) * count // one_in
    chosen = [] if "XF_ALL" in os.environ else [
        "--order-by=rand", "--rand-seed=3", f"--first={first + 1}", f"--last={last}"]
    return subprocess.run([*program, *chosen], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
