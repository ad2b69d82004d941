"""For scripts that need packages which may not be here."""

import contextlib
import sys


@contextlib.contextmanager
def needed():
    """Around imports: without one of them the script is skipped."""
    try:
        yield
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)
