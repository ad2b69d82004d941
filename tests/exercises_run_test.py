#!/usr/bin/env python3
"""What is run for a class ends, is bounded in all it gives back, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import unittest

from support.checkout import ROOT, WithFolder
from tools.exercises.run import Limits, Ran, run_limited

QUICK = Limits(wall=2, cpu=1, file=1 << 20, processes=32)


class Supervised(WithFolder):
    def run_shell(self, script: str, limits: Limits = QUICK, reports: bool = False) -> Ran:
        return run_limited(["sh", "-c", script], limits, self.folder, dict(os.environ), reports)

    def test_it_ends_as_the_command_did(self):
        ran = self.run_shell("echo said; exit 7")
        self.assertEqual((7, b"said\n"), (ran.status, ran.printed))
        self.assertEqual(-11, self.run_shell("kill -SEGV $$").status)

    def test_a_sleeper_and_a_loop_are_stopped(self):
        start = time.monotonic()
        self.assertEqual(-14, self.run_shell("sleep 60").status)
        self.assertEqual(-24, self.run_shell("while :; do :; done", Limits(20, 1)).status)
        self.assertLess(time.monotonic() - start, 30)

    def test_a_flood_of_output_is_bounded(self):
        ran = self.run_shell("yes")
        self.assertEqual("printed", ran.flooded)
        self.assertLessEqual(len(ran.printed), 1 << 20)

    def test_a_flood_in_the_report_is_bounded(self):
        ran = self.run_shell('eval "exec yes >&$XF_REPORT"', reports=True)
        self.assertEqual("reported", ran.flooded)
        self.assertLessEqual(len(ran.report), 4 << 20)

    def test_there_is_nothing_to_read_and_nothing_of_this_machine_to_change(self):
        ran = self.run_shell("cat; stat -Lc %F /dev/stdin /dev/stdout /dev/stderr")
        self.assertEqual((0, b"fifo\n" * 3), (ran.status, ran.printed))

    def test_a_huge_file_is_stopped(self):
        self.run_shell("head -c 30000000 /dev/zero > file")
        self.assertLessEqual((self.folder / "file").stat().st_size, 1 << 20)

    @unittest.skipUnless(sys.platform.startswith("linux"), "found by their parent, in /proc")
    def test_children_do_not_outlive_it(self):
        self.run_shell("setsid sh -c 'sleep 3; touch late' & (setsid sh -c 'sleep 3; touch later &"
                       " sleep 3')& sleep 0.2; exit 0")
        time.sleep(3.5)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_a_child_that_holds_the_output_open_is_not_waited_for(self):
        start = time.monotonic()
        self.assertEqual(0, self.run_shell("sleep 60 & exit 0").status)
        self.assertLess(time.monotonic() - start, 10)

    def test_ctrl_c_ends_what_runs_and_what_would_come_after(self):
        script = ("import os, sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
                  "from tools.exercises.run import Limits, run_limited, workers\n"
                  "with workers(2) as pool:\n"
                  "    print('at work', flush=True)\n"
                  "    list(pool.map(lambda _: run_limited(['sleep', '20'], Limits(60, 60),"
                  " pathlib.Path('.'), dict(os.environ)), range(4)))\n")
        process = subprocess.Popen([sys.executable, "-c", script, str(ROOT)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        time.sleep(1)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertLess(time.monotonic() - start, 10)

    def test_the_report_is_what_was_written_to_it(self):
        ran = self.run_shell('eval "echo said >&$XF_REPORT"', reports=True)
        self.assertEqual((b"said\n", b""), (ran.report, ran.printed))


if __name__ == "__main__":
    unittest.main(verbosity=2)
