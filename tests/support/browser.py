"""A real Chromium without a window, for tests of pages: Python's standard library alone.

It speaks the DevTools protocol over two pipes (--remote-debugging-pipe): messages of JSON, each
ended by a zero byte. What the page asks for, and what goes wrong in it, is collected.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
# What Tab comes to; and of what has the focus: its place among these, whether that can be seen.
CONTROLS = """[...document.querySelectorAll(
    'a[href], button, input, select, summary, [tabindex="0"]')]
  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length &&
    !e.closest('details:not([open]) > :not(summary)'))"""
FOCUSED = """(() => { const e = document.activeElement, style = getComputedStyle(e);
  return [e.place ?? -1, e.matches(':focus-visible') && style.outlineStyle !== 'none' &&
    parseFloat(style.outlineWidth) > 0, e.outerHTML.slice(0, 120)]; })()"""
# The key that changes a control of this type; all others have Enter.
KEYS_OF = {"range": "ArrowRight", "checkbox": " ", "text": "a", "number": "ArrowUp",
           "select-one": "ArrowDown"}
# Work like that of a page that draws itself, and how long it takes where the times below are
# promised: on a slower machine they are as much longer.
YARDSTICK = """(() => {
  const start = performance.now();
  const text = atob("AbC/".repeat(500000));
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const words = new Uint16Array(bytes.buffer, 0, bytes.length >> 1);
  let sum = 0;
  for (const word of words) sum += Math.sqrt(word);
  const page = document.createElement("div");
  for (let i = 0; i < 4000; ++i)
    page.append(Object.assign(document.createElement("b"), {textContent: String(sum + i)}));
  document.body.append(page);
  page.getBoundingClientRect();
  page.remove();
  return performance.now() - start;
})()"""
YARDSTICK_MS = 150
NO_BROWSER = "skipped: there is no Chromium that works (Debian's package chromium)"
# What a key types, where it types anything; and its code, which arrows and the like go by.
CODES = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Enter": 13,
         "Escape": 27, "Backspace": 8, " ": 32, "End": 35, "Home": 36}


@functools.cache
def first_that_runs(*names: str) -> str | None:
    """What is called so may be a script that only says what to install."""
    runs = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return next((path for path in map(shutil.which, names)
                 if path and subprocess.run([path, "--version"], **runs).returncode == 0), None)


def program() -> str | None:
    return first_that_runs(*NAMES)


class Window:
    """What each browser here can do: end with its `with`, and wait for what its page comes to."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def holds(self, condition: str) -> bool:
        return bool(self.js(condition))

    def wait(self, condition: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.holds(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)


class Browser(Window):
    """One page in a browser of its own."""

    def __init__(self, width: int = 1280, height: int = 900, language: str = "en-US"):
        self.profile = tempfile.mkdtemp(prefix="xf-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def rename_pipes():  # the browser reads from 3 and writes to 4
            high = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", f"--lang={language}", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=rename_pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session = b"", 0, None
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.tracing, self.traced = False, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setLocaleOverride", locale=language)
        self.call("Network.setUserAgentOverride", userAgent="test", acceptLanguage=language)
        self.resize(width, height)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol ----------------------------------------------------------------------------

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.message(60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.notice(answer)

    def message(self, seconds: float) -> dict:
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.rest += part
        first, self.rest = self.rest.split(b"\0", 1)
        return json.loads(first)

    def notice(self, event: dict) -> None:
        method, about = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.errors.append(str([one.get("value") for one in about["args"]]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif method == "Tracing.dataCollected":
            self.traced += about["value"]
        elif method == "Tracing.tracingComplete":
            self.tracing = False

    def went_wrong(self) -> list[str]:
        """What the page reported as an error, and what it asked for from elsewhere or beside it."""
        files = [url for url in self.requests if url.startswith("file:")]
        return self.errors + files[1:] + [
            url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]

    # ---- what a person does ----------------------------------------------------------------------

    def open(self, path: Path, fragment: str = "", leads_to: Path | None = None) -> None:
        """Loads the page anew and waits until it, or the one that it leads to, has been drawn."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.errors.clear()
        self.call("Page.navigate", url=Path(path).resolve().as_uri() + fragment)
        there = json.dumps(Path(leads_to or path).resolve().as_uri())
        self.wait(f"document.readyState === 'complete' && location.href.startsWith({there})")
        self.frame()

    def frame(self) -> None:
        """Two frames later what was asked for has been painted."""
        self.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def js(self, expression: str):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    def holds(self, condition: str) -> bool:
        try:
            return super().holds(condition)
        except RuntimeError as error:  # it was asked of a page that another is taking the place of
            if any(word in str(error) for word in ("navigated", "context")):
                return False
            raise

    def tasks(self, act) -> list[float]:
        """Milliseconds of processor time of each task of the page's thread while act() is on, the
        longest first: what other programs do does not count."""
        self.tracing, self.traced = True, []
        self.call("Tracing.start", traceConfig={"includedCategories": ["toplevel"]})
        act()
        self.call("Tracing.end")
        while self.tracing:
            self.notice(self.message(60))
        threads = {(one["pid"], one["tid"]) for one in self.traced
                   if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        found = [[one.get("tdur", 0) / 1000 for one in self.traced
                  if one["name"] == "ThreadControllerImpl::RunTask" and
                  (one["pid"], one["tid"]) == thread] for thread in threads]
        return sorted(max(found, key=sum), reverse=True)

    def slower(self) -> float:
        """How many times as long as where a page's times are promised a task takes here and now."""
        return max(1, self.js(YARDSTICK) / YARDSTICK_MS)

    def resize(self, width: int, height: int, mobile: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=mobile)
        if not mobile:  # a page that no telephone opened is laid out 980 wide there
            self.wait(f"innerWidth === {width} && innerHeight === {height}")

    def prefer(self, scheme: str) -> None:
        """light or dark, as the reader's system says it."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def calm(self, motion: str = "reduce") -> None:
        """Whether the reader's system asks for less motion: reduce, or no-preference."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-reduced-motion", "value": motion}])

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                      "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                      "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        return box[0], box[1]

    def move(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        x, y = self.middle(selector)
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, x: float, y: float) -> None:
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str) -> None:
        about = {"key": key, "windowsVirtualKeyCode": CODES.get(key, ord(key[0].upper()))}
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def picture(self, path: Path, whole: bool = True) -> None:
        """A screenshot; the whole page, or what the window shows of it."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        Path(path).write_bytes(base64.b64decode(data))


class PageTest(unittest.TestCase):
    """Tests of pages in one browser; after each of them, nothing has gone wrong in the page."""

    @classmethod
    def setUpClass(cls):
        if not program():
            raise unittest.SkipTest(NO_BROWSER)
        cls.page = Browser()
        cls.addClassCleanup(cls.page.close)

    def setUp(self):
        self.page.resize(1280, 900)

    def tearDown(self):
        self.assertEqual(self.page.went_wrong(), [])

    def js(self, expression: str):
        return self.page.js(expression)

    def walk_by_keys(self, settle=None) -> int:
        """From the top of the page, which has just been loaded: Tab comes to each control that is
        shown, one after the other as they stand in the page, and each shows that it has the focus.
        Then each is used by its keys, and the focus never falls to the body; of several that are
        alike and stand side by side, the first and the last. How many there are."""
        self.js(f"self.controls = () => {CONTROLS};"
                "controls().forEach((e, i) => { e.place = i; })")
        count = self.js("controls().length")
        for i in range(count):
            self.page.press("Tab")
            place, shown, what = self.js(FOCUSED)
            self.assertEqual((place, shown), (i, True), what)
        for i in range(10_000):
            what = self.js(f"""(() => {{
              const all = controls(), e = all[{i}], is = (one) => [one.localName, one.type].join();
              const beside = [all[{i} - 1], all[{i} + 1]].filter((one) => e && one &&
                one.parentElement === e.parentElement && is(one) === is(e));
              if (beside.length === 2) return [];
              e?.focus();
              return e ? [e.localName, e.type, e.outerHTML.slice(0, 120)] : null; }})()""")
            if what is None:
                break
            if what and what[0] != "a":  # which would leave the page
                self.page.press(KEYS_OF.get(what[1], "Enter"))
                if self.js("!!document.querySelector('dialog[open]')"):
                    self.page.press("Escape")
                (settle or self.page.frame)()
                lost = self.js("document.activeElement === document.body || "
                               "document.activeElement.disabled")
                self.assertFalse(lost, what)
        return count

    def count(self, selector: str) -> int:
        return self.js(f"document.querySelectorAll({json.dumps(selector)}).length")

    def texts(self, selector: str) -> list[str]:
        return self.js(f"[...document.querySelectorAll({json.dumps(selector)})]"
                       ".map((e) => e.textContent)")

    def assert_fits(self, width: int = 390, what: str = "") -> None:
        """Nothing lies beside the window."""
        self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width, what)

    def text(self, selector: str) -> str:
        return self.js(f"document.querySelector({json.dumps(selector)}).textContent")
