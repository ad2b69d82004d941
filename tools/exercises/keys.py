"""Single key presses, without Return, if the input is a terminal."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time

try:
    import termios
    import tty
except ImportError:  # no Unix terminal
    termios = None


class Keys:
    """While in effect, keys need no Return; Ctrl-C still ends the program."""

    def __enter__(self) -> Keys:
        self.there = False
        with contextlib.suppress(OSError, ValueError, AttributeError):
            self.input = sys.stdin.fileno()
            self.there = bool(termios) and os.isatty(self.input) and sys.stdout.isatty()
        if self.there:
            self.before = termios.tcgetattr(self.input)
            tty.setcbreak(self.input)
        return self

    def __exit__(self, *_) -> None:
        if self.there:
            termios.tcsetattr(self.input, termios.TCSADRAIN, self.before)

    def pressed(self, seconds: float) -> str:
        """The key pressed within this time; "" if there was none."""
        if not self.there:
            time.sleep(seconds)
            return ""
        if not select.select([self.input], [], [], seconds)[0]:
            return ""
        key = os.read(self.input, 1).decode("ascii", "replace").lower()
        if not key:  # the terminal is gone
            self.__exit__()
            self.there = False
        return key
