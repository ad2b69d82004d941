"""docs/pictures/live.png and live.zh.png: the live page as a moving picture (tools/book/film.py).

  python3 -m tools.book.live_film [PAGE]

opens the page (out/site/live/index.html, which `./learn site` makes) in Chromium, types a sentence,
steps through its translation word by word, switches the positions off, steps through what is left
of the translation, and keeps a picture of each moment.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from tools.book import film
from tools.terminal import ROOT, Stop, say, shown, write_file

sys.path.insert(0, str(ROOT / "tests" / "support"))
import browser  # noqa: E402

SENTENCE = "is that concert interesting"  # the same bag of words as "that concert is …"
WINDOW, SMALLER = (1280, 720), 0.75       # the window size that lecture mode is designed for
FIRST, LETTER, STEP, BROKEN, LAST = 700, 60, 380, 700, 2200  # milliseconds per moment
COUNTING = 500  # seconds, at most, until each switch has been counted

# The area that differs from the previous picture: its position, and its content as an opaque PNG.
CHANGED = """(async (data) => {
  const picture = await createImageBitmap(await (await fetch(data)).blob());
  const { width, height } = picture;
  const paper = (w, h) => Object.assign(document.createElement('canvas'), { width: w, height: h })
    .getContext('2d', { alpha: false, willReadFrequently: true });
  const drawn = paper(width, height);
  drawn.drawImage(picture, 0, 0);
  const now = new Uint32Array(drawn.getImageData(0, 0, width, height).data.buffer);
  let left = width, right = -1, top = height, bottom = -1;
  now.forEach((pixel, i) => {
    if (self.before && pixel === self.before[i]) return;
    const x = i % width, y = (i - x) / width;
    left = Math.min(left, x); right = Math.max(right, x);
    top = Math.min(top, y); bottom = Math.max(bottom, y);
  });
  self.before = now;
  if (right < 0) return null;
  const part = paper(right - left + 1, bottom - top + 1);
  part.drawImage(picture, -left, -top);
  return [left, top, part.canvas.toDataURL('image/png')]; })"""


class Camera:
    """Records what a page shows, moment by moment."""

    def __init__(self, page: browser.Browser, cutter: browser.Browser):
        self.page, self.cutter = page, cutter
        self.moments: list[film.Moment] = []

    def take(self, milliseconds: int) -> None:
        """Keeps what is shown now; if nothing has changed, the previous moment lasts longer."""
        self.page.wait("engine.waiting.size === 0", 60)
        self.page.frame()
        data = self.page.call("Page.captureScreenshot")["data"]
        changed = self.cutter.js(f"{CHANGED}('data:image/png;base64,{data}')")
        if changed:
            left, top, part = changed
            part = base64.b64decode(part.partition(",")[2])
            self.moments.append(film.Moment(left, top, part, milliseconds))
        else:
            last = self.moments[-1]
            self.moments[-1] = last._replace(milliseconds=last.milliseconds + milliseconds)


def act(page: browser.Browser, take) -> dict:
    """Types, steps, switches; calls take(milliseconds) at each moment. Returns what was seen."""
    page.wait("writer.first > 0 && writer.words.length > 0", 60)
    page.js("go_to_scene('unbroken')")
    page.wait("ALL_SWITCHES.every((name) => is_counted(switches_without(name)))", COUNTING)
    page.wait("!counting.going")
    take(FIRST)
    page.click("#sentence")
    page.js("byId('sentence').select()")
    for letter in SENTENCE:
        page.press(letter)
        page.wait("!writer.busy && !writer.stale", 60)
        if page.js("byId('sentence_error').hidden"):  # no word to show before the first one
            take(LETTER)
    written = stepped(page, take)
    page.click("[data-switch=positions]")
    page.wait("!writer.busy && !writer.stale && writer.off.has('positions')", 60)
    take(BROKEN)
    without = stepped(page, take)
    take(LAST)
    return {"typed": page.js("state.text"), "written": written, "without": without,
            "right": right(page)}


def stepped(page: browser.Browser, take) -> str:
    """Steps through the translation word by word, and returns it."""
    page.js("document.activeElement.blur(); go_to_step(0)")
    written = page.js("writer.answer.target")
    for _ in written:
        take(STEP)
        page.press("]")
    take(STEP)
    return "".join(written[:-1])


def right(page: browser.Browser) -> list[int]:
    """How many sentences are held out, right as trained, and right without positions."""
    counted = page.js("[WHOLE, switches_without('positions')].map(count_of)"
                      ".map((one) => [one.of, one.wrong.length])")
    return [counted[0][0], *(of - wrong for of, wrong in counted)]


def filmed(path: Path, language: str) -> tuple[bytes, dict]:
    with browser.Browser() as page, browser.Browser() as cutter:
        page.call("Emulation.setDeviceMetricsOverride", width=WINDOW[0], height=WINDOW[1],
                  deviceScaleFactor=SMALLER, mobile=False)
        page.calm()  # stops animations
        page.open(path, f"#panel=translate&lecture=1&theme=light&lang={language}")
        camera = Camera(page, cutter)
        record = act(page, camera.take)
        return film.joined(camera.moments, record), record


def page_to_open() -> Path:
    """The page named on the command line, or that of the site."""
    path = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "out" / "site" / "live" / "index.html"
    if not browser.program():
        raise Stop(browser.NO_BROWSER, 2)
    if not path.is_file():
        raise Stop(f"there is no {shown(path)}; ./learn site makes it", 2)
    return path


def main() -> None:
    path = page_to_open()
    for language, suffix in (("en", ""), ("zh", ".zh")):
        data, record = filmed(path, language)
        to = ROOT / "docs" / "pictures" / f"live{suffix}.png"
        write_file(to, data)
        say(f"  {shown(to)}: {len(data) / 1e6:.2f} MB, {film.seconds(data):.1f} s, {record}")


if __name__ == "__main__":
    try:
        main()
    except Stop as stop:
        sys.exit(f"live_film: {stop}")
