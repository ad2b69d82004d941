#!/usr/bin/env python3
"""The live page in Chromium: its size, the first translation, each word, the frames while it is
written, the trainings to their end.

    page.py [out/site/live/index.html]
    page.py out/site/live/index.html --tasks     # main-thread tasks during a training
    page.py out/site/live/index.html --pauses    # wall-clock gaps: on an otherwise idle machine
"""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import browser  # noqa: E402

SENTENCE = "they watched the match in Beijing last Sunday"
# The number of updates for each panel that trains.
UPDATES = {"norm": 240, "recall": 300, "train": 250, "without": 100, "neighbours": 900}
# Frame-to-frame times, and what the browser calls long tasks: those over 50 ms.
WATCH = """self.long = [];
  self.observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) long.push(duration); });
  observer.observe({ type: 'longtask' });
  self.frames = []; self.watching = true;
  (() => { let last = performance.now();
    const look = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (watching) requestAnimationFrame(look);
    };
    requestAnimationFrame(look); })(); 0"""
GAPS = """self.gaps = []; self.last = performance.now(); setInterval(() => {
  const now = performance.now(); gaps.push(now - last); last = now; }, 10); 0"""


def opened(page: browser.Browser, path: Path, panel: str = "translate") -> None:
    page.open(path, f"#panel={panel}&lang=en")
    page.wait("writer.words.length > 0", 60)


def words(page: browser.Browser) -> list[float]:
    """Milliseconds that the engine takes to translate the sentence up to each of its words."""
    parts = SENTENCE.split()
    beginnings = [" ".join(parts[:i]) for i in range(1, len(parts) + 1)]
    return sorted(page.js(
        f"ask({{ do: 'translate', text: '{text}', beam: 1, switches: {{}} }})"
        ".then(({ took }) => took)") for text in beginnings * 4)


def frames(page: browser.Browser) -> list[float]:
    """Milliseconds from frame to frame while the translation is written word by word."""
    page.calm("no-preference")
    page.js("may_count = () => false")
    page.wait("engine.waiting.size === 0")
    return sorted(page.js("""new Promise((done) => { const gaps = []; let last = 0;
      const look = (now) => {
        if (last) gaps.push(now - last);
        last = now;
        if (writer.playing) requestAnimationFrame(look); else done(gaps);
      };
      play();
      requestAnimationFrame(look); })"""))


def trained(page: browser.Browser, panel: str) -> None:
    page.js(GAPS)
    page.js(f"go(training.{panel}), 0")
    runs = f"training.{panel}.runs"
    soon = None
    while page.js(f"training.{panel}.going"):
        page.wait(f"!training.{panel}.going || {runs}[0].checks.length > {soon or 0}", 900)
        share = page.js(f"({runs}[0].checks.at(-1) || [0, 0])[1]")
        if soon is None and share >= 0.95:
            soon = 1 << 30
            update, ms = page.js(f"[{runs}[0].update, training.{panel}.milliseconds]")
            print(f"  {panel}: 95% right after {update} updates, {ms / 1000:.1f} s")
    updates, ms = page.js(f"[{runs}[0].update, training.{panel}.milliseconds]")
    print(f"  {panel}: {updates} updates in {ms / 1000:.1f} s; loss",
          page.js(f"{runs}.map((run) => run.losses.slice(-20).reduce((a, b) => a + b) / 20)"
                  ".map((x) => x.toFixed(3)).join(' and ')"))
    for score in page.js(f"{runs}.map((run) => run.score)"):
        if score:
            print(f"    right: {score['right']} of {score['of']}")
    gaps = sorted(page.js("gaps"))
    print(f"    a timer of 10 ms on the page: median {gaps[len(gaps) // 2]:.0f} ms, "
          f"longest {gaps[-1]:.0f} ms")


def tasks(path: Path, panel: str, updates: int) -> list[float]:
    """CPU time in milliseconds of each main-thread task while a panel trains, the longest
    first."""
    with browser.Browser() as page:
        opened(page, path, panel)
        page.wait("engine.waiting.size === 0", 60)

        def train() -> None:
            page.js(f"go(training.{panel}), 0")
            page.wait(f"training.{panel}.runs[0].update >= {updates}", 500)
        return page.tasks(train)


def pauses(path: Path, panel: str, updates: int) -> tuple[list[float], list[float]]:
    """While a panel trains: milliseconds from frame to frame, and the tasks over 50 ms."""
    with browser.Browser() as page:
        opened(page, path, panel)
        page.js("may_count = () => false")
        page.wait("engine.waiting.size === 0", 60)
        page.js(WATCH)
        page.js(f"go(training.{panel}), 0")
        page.wait(f"training.{panel}.runs.every((run) => run.update >= {updates})", 500)
        return page.js("watching = false, observer.disconnect(), [frames, long]")


def say_pauses(path: Path) -> None:
    print(f"{datetime.date.today()}, bench/live/page.py --pauses, load {os.getloadavg()[0]:.0f}; "
          "from frame to frame while a panel trains, by the clock:", flush=True)
    for panel, updates in UPDATES.items():
        frames, tasks = pauses(path, panel, updates)
        frames.sort()
        print(f"  {panel}, {updates} updates: longest {frames[-1]:.0f} ms, median "
              f"{frames[len(frames) // 2]:.1f} ms, {sum(ms > 20 for ms in frames)} of "
              f"{len(frames)} over 20 ms; tasks over 50 ms:",
              ", ".join(f"{ms:.0f}" for ms in tasks) or "none", flush=True)
    print(f"load {os.getloadavg()[0]:.0f}")


def main() -> int:
    if "--pauses" in sys.argv:
        say_pauses(Path(sys.argv[1]))
        return 0
    if "--tasks" in sys.argv:
        for panel, updates in UPDATES.items():
            some = tasks(Path(sys.argv[1]), panel, updates)
            print(f"load {os.getloadavg()[0]:.0f}; {panel}, {updates} updates: longest tasks of "
                  "the page's thread", ", ".join(f"{ms:.0f}" for ms in some[:5]),
                  "ms of its processor", flush=True)
        return 0
    path = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out/site/live/index.html")
    if not browser.program():
        print(browser.NO_BROWSER)
        return 77
    print(f"{path.stat().st_size / 1e6:.2f} MB; load {os.getloadavg()[0]:.0f}", flush=True)
    with browser.Browser() as page:
        first = []
        for _ in range(5):
            opened(page, path)
            first.append(page.js("writer.first"))
        print("first translation after", ", ".join(f"{ms / 1000:.2f}" for ms in first), "s")
        times = words(page)
        print(f"a word: median {times[len(times) // 2]:.0f} ms, longest {times[-1]:.0f} ms",
              flush=True)
        gaps = frames(page)
        print(f"frames while it is written: {1000 * len(gaps) / sum(gaps):.0f} a second, median "
              f"{gaps[len(gaps) // 2]:.1f} ms, longest {gaps[-1]:.0f} ms", flush=True)
        for panel in UPDATES:
            opened(page, path, panel)
            trained(page, panel)
    print(f"load {os.getloadavg()[0]:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
