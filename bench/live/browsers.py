#!/usr/bin/env python3
"""The live page in Firefox and WebKit: walks through every part, trains, at three widths, in both
languages. Chromium has tests of its own (tests/live_page_test.py).

  python3 bench/live/browsers.py out/site/live/index.html

Debian's packages: firefox-esr, webkit2gtk-driver; without a screen, xvfb. Each line of output has
the window, the scroll width, milliseconds to the first translation; for both trainings of Left out,
which run at the same time, the losses after twelve updates with the part and without it; for Heads,
the final accuracy; errors in the page.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

SIZES = ((390, 900), (1280, 720), (1920, 1080))
UPDATES = 12
PAGE_DOWN = "\ue00f"
# Runs a script inside the page, where the page's own names are visible.
RUN = """const script = document.createElement('script');
script.textContent = `document.documentElement.dataset.answer = JSON.stringify(
  (() => { try { return (${arguments[0]}) ?? null; } catch (e) { return String(e); } })())`;
document.head.append(script); script.remove();
return document.documentElement.dataset.answer;"""


class Firefox:
    """Uses Marionette, built into every Firefox: WebDriver's commands as JSON with its length."""

    name = "firefox-esr"

    def __init__(self, profile: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\\n')
        self.process = subprocess.Popen(
            [self.name, "-marionette", "-headless", "-no-remote", "-profile", profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise SystemExit(f"{self.name} does not answer")
        self.number, self.rest = 0, b""
        self.receive()
        self.send("NewSession", {})

    def receive(self):
        while not (found := re.match(rb"(\d+):", self.rest)) or \
                len(self.rest) < found.end() + int(found[1]):
            self.rest += self.socket.recv(1 << 16)
        end = found.end() + int(found[1])
        message, self.rest = json.loads(self.rest[found.end():end]), self.rest[end:]
        return message

    def send(self, command: str, parameters: dict):
        self.number += 1
        text = json.dumps([0, self.number, "WebDriver:" + command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, answer = self.receive()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return answer.get("value", answer) if isinstance(answer, dict) else answer

    def close(self):
        self.process.terminate()
        self.process.wait()


class WebKit:
    """WebKitGTK through its WebDriver, over HTTP."""

    name = "WebKitWebDriver"
    ways = {"Navigate": "/url", "ExecuteScript": "/execute/sync", "PerformActions": "/actions",
            "SetWindowRect": "/window/rect", "SwitchToFrame": "/frame", "FindElement": "/element"}

    def __init__(self, _profile: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen([self.name, f"--port={port}"], start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}/session"
        browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        options = {"binary": str(browser), "args": ["--automation"]}
        for _ in range(100):
            try:
                made = self.post(self.address, {"capabilities": {"alwaysMatch": {
                    "webkitgtk:browserOptions": options}}})
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        else:
            raise SystemExit(f"{self.name} does not answer")
        self.address += "/" + made["sessionId"]

    def post(self, address: str, parameters: dict):
        request = urllib.request.Request(address, json.dumps(parameters).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)["value"]

    def send(self, command: str, parameters: dict):
        if command == "ElementClick":
            return self.post(f"{self.address}/element/{parameters['id']}/click", {})
        return self.post(self.address + self.ways[command], parameters)

    def close(self):
        os.killpg(self.process.pid, 15)
        self.process.wait()


class Page:
    def __init__(self, browser, path: Path, width: int, height: int, address: str):
        self.browser = browser
        browser.send("SetWindowRect", {"width": max(width, 500), "height": height + 120})
        url = f"{path.resolve().as_uri()}#{address}"
        browser.send("Navigate", {"url": "about:blank"})
        if width >= 500:
            browser.send("Navigate", {"url": url})
        else:  # narrower than a window can be: use a frame
            self.frame = tempfile.NamedTemporaryFile("w", suffix=".html", dir=path.parent)
            self.frame.write(f"<iframe src='{url}' width={width} height={height}></iframe>")
            self.frame.flush()
            browser.send("Navigate", {"url": Path(self.frame.name).as_uri()})
            browser.send("SwitchToFrame", {"id": 0})
        self.js("self.wrong = [], ['error', 'unhandledrejection'].forEach((kind) => "
                "addEventListener(kind, (e) => wrong.push(String(e.message || e.reason))))")
        self.wait("writer.first > 0")

    def js(self, expression: str):
        answer = self.browser.send("ExecuteScript", {"script": RUN, "args": [expression]})
        return json.loads(answer)

    def wait(self, condition: str, seconds: float = 300) -> None:
        end = time.monotonic() + seconds
        while self.js(condition) is not True:
            if time.monotonic() > end:
                raise TimeoutError(condition + ": " + str(self.js("wrong")))
            time.sleep(0.05)

    def press(self, key: str) -> None:
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.browser.send("PerformActions", {"actions": [
            {"type": "key", "id": "keys", "actions": actions}]})

    def begin(self, selector: str, is_going: str) -> None:
        """Clicks Start. A busy browser may lose a click; then it clicks again."""
        found = self.browser.send("FindElement", {"using": "css selector", "value": selector})
        for _ in range(2):
            self.browser.send("ElementClick", {"id": next(iter(found.values()))})
            for _ in range(20):
                if self.js(is_going) is True:
                    return
                time.sleep(0.05)
            print("  a click was lost", flush=True)


def go_to(page: Page, scene: str, is_lecture: bool) -> None:
    """In a lecture by Page Down, part by part; otherwise by the name of the panel."""
    panel = page.js(f"panel_of('{scene}')")
    while is_lecture and page.js("scene_now()") != scene:
        page.press(PAGE_DOWN)
        page.wait("!writer.busy && !writer.stale")
    if not is_lecture:
        page.js(f"show_panel('{panel}'), 0")
        if panel == "without":
            page.js(f"show_training_without(trained_in('{scene}')), 0")


def walked(page: Page, is_lecture: bool) -> list[str]:
    wide = page.js("[innerWidth, document.documentElement.scrollWidth, Math.round(writer.first)]")
    said = ["inner {}, wide {}; first {} ms".format(*wide)]
    parts = ("scale", "mask")
    for part in parts:
        go_to(page, f"why_{part}", is_lecture)
        page.begin("#without [data-part=start]", f"left_out.{part}.going")
    runs = [f"left_out.{part}.runs" for part in parts]
    for some in runs:
        page.wait(f"{some}.every(({{ update }}) => update >= {UPDATES})")
    if not page.js("left_out.scale.going && left_out.mask.going"):
        said.append("A TRAINING HAS STOPPED")
    page.js("Object.values(left_out).forEach((one) => { one.going = false; }), 0")
    for part, some in zip(parts, runs):
        losses = page.js(f"{some}.map(({{ losses }}) => losses[{UPDATES - 1}].toFixed(4))")
        said.append(f"{part} {', '.join(losses)}")
    go_to(page, "neighbours", is_lecture)
    page.begin("#neighbours [data-part=start]", "training.neighbours.going")
    page.wait("training.neighbours.runs.every((run) => run.finished && run.score) && "
              "!training.neighbours.going")
    said.append("heads " + ", ".join(page.js(
        "training.neighbours.runs.map(({ score }) => `${score.right} of ${score.of}`)")))
    if not page.js("byId('broken').hidden"):
        said.append("BROKEN: " + page.js("byId('broken').textContent"))
    return [*said, f"errors {page.js('wrong')}"]


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    path = Path(sys.argv[1])
    if not path.is_file():
        print(f"{path}: no such file; ./learn site makes out/site/live/index.html", file=sys.stderr)
        return 2
    for kind in (Firefox, WebKit):
        if not shutil.which(kind.name):
            print(f"{kind.name} is not installed", file=sys.stderr)
            return 2
    for kind in (Firefox, WebKit):
        profile = tempfile.mkdtemp(prefix="xf-browser-")
        browser = kind(profile)
        try:
            for n, (width, height) in enumerate(SIZES):
                for lang in ("en", "zh"):
                    start, is_lecture = time.monotonic(), width >= 1280
                    page = Page(browser, path, width, height, f"panel=translate&lang={lang}"
                                + ("&lecture=1" if is_lecture else ""))
                    if not n and lang == "en":
                        print(page.js("navigator.userAgent"))
                    said = walked(page, is_lecture)
                    print(f"{width} {lang} {'; '.join(said)}; {time.monotonic() - start:.0f} s, "
                          f"load {os.getloadavg()[0]:.0f}", flush=True)
        finally:
            browser.close()
            shutil.rmtree(profile, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
