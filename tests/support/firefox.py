"""A real Firefox without a window, for tests of pages: Python's standard library alone. It speaks
the Marionette protocol over a socket: a message is its length, a colon and JSON."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from browser import Window, first_that_runs

NAMES = ("firefox-esr", "firefox")
NO_FIREFOX = "skipped: there is no Firefox that works (Debian's package firefox-esr)"
PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False,
               "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
               "network.captive-portal-service.enabled": False, "toolkit.telemetry.enabled": False,
               "network.connectivity-service.enabled": False, "services.settings.server": "data:,"}


def program() -> str | None:
    return first_that_runs(*NAMES)


class Firefox(Window):
    def __init__(self, width: int = 1280, height: int = 900):
        self.profile = Path(tempfile.mkdtemp(prefix="xf-firefox-"))
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});"
                 for name, value in PREFERENCES.items()]
        (self.profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.process = subprocess.Popen(
            [program(), "--headless", "--marionette", "--no-remote", "--profile", str(self.profile),
             f"--width={width}", f"--height={height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.rest = 0, b""
        try:
            self.socket = socket.create_connection(("127.0.0.1", self.port()), 60)
            self.message()  # what it is
            self.call("WebDriver:NewSession", acceptInsecureCerts=False)
            self.call("WebDriver:SetTimeouts", script=60000)
        except BaseException:
            self.close()
            raise

    def port(self) -> int:
        """It chooses one, and writes it into its profile."""
        file, end = self.profile / "MarionetteActivePort", time.monotonic() + 60
        while not file.is_file() or not file.read_text():
            if time.monotonic() > end or self.process.poll() is not None:
                raise TimeoutError("Firefox does not begin")
            time.sleep(0.05)
        return int(file.read_text())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if hasattr(self, "socket"):
            self.socket.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        def read(count: int) -> None:
            part = self.socket.recv(count)
            if not part:
                raise EOFError("Firefox has ended")
            self.rest += part

        while b":" not in self.rest:
            read(1)
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            read(int(length) - len(self.rest))
        text, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(text)

    def call(self, command: str, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.message()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result.get("value") if isinstance(result, dict) and "value" in result else result

    def open(self, path: Path, fragment: str = "") -> None:
        self.call("WebDriver:Navigate", url=path.resolve().as_uri() + fragment)

    def js(self, expression: str):
        """Of the document: what scripts of the page keep to themselves is not seen."""
        return self.call("WebDriver:ExecuteScript", args=[], script=f"return {expression};")

    def choose(self, selector: str, paths: list[Path]) -> None:
        """These files, for the control that takes files."""
        element = self.call("WebDriver:FindElement", using="css selector", value=selector)
        self.call("WebDriver:ElementSendKeys", id=next(iter(element.values())),
                  text="\n".join(map(str, paths)))
