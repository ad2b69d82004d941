"""Writes live/page/recorded.json: the training runs that the live page shows until the reader
starts one, each with the default settings of its panel.

  python3 -m tools.book.live_runs [PAGE]     # about five minutes; rerun after changing a training

Opens the page (out/site/live/index.html, which `./learn site` makes) in Chromium, performs every
run, and keeps its losses and some of its snapshots.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tools.book.live_film import browser, page_to_open
from tools.book.live_page import PAGE
from tools.terminal import Doing, Stop, say, shown, write_file

FILE = PAGE / "recorded.json"
LONGEST = 1800  # seconds that one run may take, on a slow machine
# For each run, the call that makes the page show its panel.
TRAININGS = {"train": "show_panel('train')", "neighbours": "show_panel('neighbours')",
             "without mask": "show_left_out('mask')", "without scale": "show_left_out('scale')",
             "norm": "show_panel('norm')", "recall": "show_panel('recall')"}
# JavaScript for the recording of the shown panel, as JSON: every sixth snapshot and the last one,
# the examples that the page shows, and numbers rounded to the digits that can be seen.
KEPT = """(() => {
  const { made, milliseconds, taken, runs, seen } = training[state.panel];
  const digits = (value, count) => typeof value !== 'number' ? value :
    Number(value.toPrecision(count));
  const wrong = ({ written, expected }) => written !== expected;
  const told = (score) => score && { ...score, ...(score.examples && { examples: [
    ...score.examples.filter(wrong), ...score.examples.filter((one) => !wrong(one))]
    .slice(0, SHOWN) }) };
  const run = ({ update, updates, parameters, losses, about, finished, checks, score, held }) => ({
    update, updates, parameters, about, finished, checks, score: told(score), held,
    losses: losses.map((loss) => digits(loss, 4)) });
  const few = (list) => list.filter((_, i) => i % 6 === 0 || i === list.length - 1);
  return JSON.stringify({ made, milliseconds: Math.round(milliseconds), taken, runs: runs.map(run),
    seen: few(seen).map(({ update, look }) => ({ update, look: JSON.parse(JSON.stringify(look,
      (name, value) => digits(value, 3))) })) }); })()"""


def recorded(page: Path, name: str, show: str) -> dict:
    with browser.Browser() as one, Doing(name):
        one.open(page, "#lang=en")
        one.wait("loaded", 60)
        one.js("PAGE.recorded = {}")  # or the page would show the previous recording
        one.js(show)
        one.js("byId(state.panel).querySelector('[data-part=start]').click()")
        one.wait("training[state.panel].runs.every((run) => run.finished) && "
                 "!training[state.panel].going", LONGEST)
        return json.loads(one.js(KEPT))


def main() -> None:
    page = page_to_open()
    runs = {name: recorded(page, name, show) for name, show in TRAININGS.items()}
    write_file(FILE, json.dumps(runs, separators=(",", ":"), ensure_ascii=False) + "\n")
    say(f"{shown(FILE)} is written")


if __name__ == "__main__":
    try:
        main()
    except Stop as stop:
        sys.exit(f"live_runs: {stop}")
