#!/usr/bin/env python3
"""What `./learn` promises, checked without installing, building or training anything."""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.machinery
import importlib.util
import io
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock
from urllib.parse import unquote

from support import browser
from support.checkout import GOLDEN, HAN, ROOT, WithFolder, learn, output_of, read
from support.programs import on_terminal, tensors_of
from support.texts import Links
from tools import doctor, language, lessons, setup, terminal, usage
from tools.book import index_page, live
from tools.checks import run_tests
from tools.corpora import splits
from tools.exercises import build
from tools.speed import bench

os.environ["LC_ALL"] = "C.UTF-8"  # English, also where the terminal that runs the tests is Chinese
WITH_FLAGS = ("test", "bench", "docs", "site", "live")  # whose --help is argparse's


@functools.cache
def help_in(locale: str, *words: str) -> str:
    return subprocess.run([str(ROOT / "learn"), *words, "--help"], stdout=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": locale}, encoding="utf-8").stdout


class Setup(WithFolder):
    def test_without_a_browser_the_tests_go_on_and_say_so(self):
        said = []
        with mock.patch.object(setup.shutil, "which", lambda name: None), \
                mock.patch.object(setup, "say", said.append), \
                mock.patch.object(setup, "install",
                                  mock.Mock(side_effect=terminal.Stop("no apt\nmore"))):
            self.assertFalse(setup.offered("chromium", setup.BROWSERS, "the tests will skip"))
        self.assertEqual(said, ["  no apt",
                                "  there is no working chromium here: the tests will skip"])


    def programs(self, **scripts: str) -> str:
        """A folder of programs of these names, which is the only one on the path."""
        place = self.folder / "programs"
        place.mkdir(exist_ok=True)
        for name, script in scripts.items():
            (place / name).write_text(f"#!/bin/sh\n{script}\n")
            (place / name).chmod(0o755)
        return str(place)

    def test_a_browser_that_only_says_what_to_install_is_none(self):
        """Ubuntu's chromium-browser is such a script; others lack a library, or are no program."""
        path = self.programs(chromium="echo install a package; exit 1", google="exit 0", odd="")
        (Path(path) / "odd").write_bytes(b"\x7fELF")
        with mock.patch.dict(os.environ, {"PATH": path}):
            self.assertEqual([False, True, False, False],
                             list(map(setup.works, ("chromium", "google", "odd", "none"))))
            with mock.patch.object(setup, "say"), mock.patch.object(setup, "install"):
                self.assertFalse(setup.offered("chromium", setup.BROWSERS, "the tests will skip"))
            self.assertIsNone(browser.first_that_runs.__wrapped__(*setup.BROWSERS))

    def test_a_compiler_launcher_that_is_gone_is_left_out_and_said(self):
        for kept in ("CMAKE_CXX_COMPILER_LAUNCHER:STRING=ccache;-v\n", ""):
            for name, text in (("CMakeCache.txt", kept), ("configure.log", ""),
                               ("build.ninja", "build bin/x: y\n")):
                (self.folder / name).write_text(text)
            with mock.patch.dict(os.environ, {"PATH": self.programs(),
                                              "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}), \
                    mock.patch.object(setup, "timed", return_value=(0, 0.0)) as timed, \
                    mock.patch.object(setup, "say") as say:
                setup.configure(["x"], self.folder)
            self.assertEqual("-DCMAKE_CXX_COMPILER_LAUNCHER=", timed.call_args.args[1][-1])
            self.assertIn("ccache, which CMAKE_CXX_COMPILER_LAUNCHER n", say.call_args.args[0])

    def test_mpi_without_its_headers_is_none(self):
        """The compiler of MPI's is there, as in Debian's openmpi-bin, and finds no mpi.h."""
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(one LANGUAGES CXX)\n"
            "macro(find_package)\nmessage(STATUS \"asked for ${ARGV0}\")\nendmacro()\n"
            f'macro(find_library)\nendmacro()\ninclude("{ROOT}/cmake/libraries.cmake")\n')
        compiler = Path(self.programs(mpicxx="exit 1")) / "mpicxx"
        log = self.folder / "configure.log"
        log.write_text(printed(["cmake", "-S", str(self.folder), "-B", str(self.folder / "b"),
                                f"-DMPI_CXX_COMPILER={compiler}"]))
        self.assertRegex(log.read_text(), f"(?m)^-- MPI: {compiler} .*: built for one process$")
        self.assertIn("asked for Threads", log.read_text())
        self.assertNotIn("asked for MPI", log.read_text())
        self.assertIn("\nXF_PROCESSES:INTERNAL=one\n", read(self.folder / "b/CMakeCache.txt"))
        self.patch(setup, "timed", return_value=(0, 0.0))
        say = self.patch(setup, "say")
        setup.configure(["x"], self.folder)
        self.assertEqual("  MPI is installed without its headers: built for one process",
                         say.call_args.args[0])

    def test_doctor_says_for_how_many_processes_the_programs_were_built(self):
        self.patch(doctor, "BIN", self.folder / "bin")
        row = self.patch(doctor, "row")
        cache = self.folder / "CMakeCache.txt"
        with mock.patch.dict(os.environ, {"PATH": self.programs(
                mpirun="echo mpirun 1.0", nvcc="exit 1", cmake="exit 1")}):
            for processes, said in (
                    ("one", "not all of it is here: the programs were built for one "),
                    ("several", "mpirun 1.0"), (None, "the build will say")):
                cache.unlink(missing_ok=True)
                if processes:
                    cache.write_text(f"\nXF_PROCESSES:INTERNAL={processes}\n")
                row.reset_mock()
                doctor.mpi()
                self.assertIn(said, row.call_args_list[0].args[2])
            doctor.gpu()
            self.assertIn("found, but it does not run", row.call_args.args[2])
            row.reset_mock()
            doctor.tools()
        self.assertEqual([("MISS", "g++", "not found"),
                          ("MISS", "cmake", "found, but it does not run"),
                          ("MISS", "ninja", "not found")],
                         [call.args for call in row.call_args_list])


class Commands(WithFolder):
    def test_help_names_every_command_and_after_a_command_tells_of_it(self):
        whole = learn("--help")
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        self.assertIn("./learn --help", whole.stdout)
        for command in ("chapter", "list", "task", "try", "watch", "hint", "reset", "solution",
                        "status", "verify", "grade", "test", "data", "bench", "docs", "live",
                        "doctor"):
            answer = learn(command, "--help")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""), command)
            for text in (answer.stdout, whole.stdout):
                self.assertIn(f"./learn {command}", text)
        self.assertIn("--spoiler", learn("solution", "02-01", "-h").stdout)
        self.assertEqual(learn("help", "try").stdout, learn("try", "--help").stdout)

    def test_the_help_is_in_the_language_of_the_terminal(self):
        """No two words of English follow one another, but for the commands themselves."""
        for words in ((), *((command,) for command in (*usage.MORE, *WITH_FLAGS))):
            for locale, chinese in (("zh_CN.UTF-8", True), ("C.UTF-8", False)):
                text = re.sub(r"\./learn( [a-z]+)*|--[a-z]+ \S+", "", help_in(locale, *words))
                self.assertEqual(chinese, bool(re.search(HAN, text)), words)
                if chinese:
                    self.assertNotRegex(text, r"\b[a-z]{2,} [a-z]{2,}\b")

    def test_what_a_command_does_begins_in_one_column(self):
        for typed, _ in usage.COMMANDS:
            self.assertLess(len(f"  ./learn {typed}"), usage.MEANING_COLUMN, typed)

    def test_both_languages_of_the_help_tell_of_the_same_flags(self):
        for command in (*usage.MORE, *WITH_FLAGS):
            said = [help_in(locale, command) for locale in ("C.UTF-8", "zh_CN.UTF-8")]
            flags = [set(re.findall(r"--[a-z-]+", text)) - {"--help"} for text in said]
            self.assertEqual(*flags, command)

    def test_a_reader_that_goes_away_causes_no_traceback(self):
        for command in ("--help", "status", "list"):
            line = f"sleep 0.2; {sys.executable} '{ROOT / 'learn'}' {command}"
            answer = subprocess.run(["sh", "-c", f"({line}) | true"], capture_output=True)
            self.assertEqual(b"", answer.stderr)

    def test_what_was_typed_stays_within_its_line(self):
        for typed, said in (("foo\nbar", r"'foo\u000abar' is not a command"),
                            (b"x\xff", r"'x\xff' is not a command")):
            answer = learn(typed)
            self.assertEqual(2, answer.returncode)
            self.assertEqual(2, answer.stderr.count("\n"), answer.stderr)
            self.assertIn(said, answer.stderr)
        answer = learn("task", "--seed=1\n2", "02-01")
        self.assertIn(r"1000000000, not '1\u000a2'", answer.stderr)

    def test_what_was_typed_is_not_repeated_at_any_length(self):
        for words in (["9" * 5000], ["chapter", "9" * 5000], ["capstone", "x" * 5000],
                      ["try", "9" * 5000], ["list", "9" * 5000], ["task", "--seed", "9" * 5000],
                      ["quiz", "9" * 5000], ["teach", "lab", "9" * 5000], ["data", "x" * 5000],
                      ["data", "get", "y" * 5000], ["teach", "exam", "--seed=" + "9" * 5000],
                      ["data", "get", "ptb", "--from", "/" + "z/" * 5000], ["try", *["a"] * 3000],
                      ["test", "--filter", "[" * 5000], ["bench", "--threads", "9" * 5000],
                      ["grade", "v" * 5000], ["docs", "w" * 5000], ["verify", "u" * 5000],
                      ["teach", "slides", "--section", "9" * 5000], ["chapter", "2", "--seeds",
                                                                     "9" * 5000]):
            answer = learn(*words)
            self.assertEqual(2, answer.returncode, (words[:2], answer.stderr[:300]))
            self.assertNotIn("Traceback", answer.stderr)
            self.assertLess(len(answer.stderr), 2500, words[0])

    def test_it_finds_itself_whatever_python_is_told(self):
        for name, value in (("PYTHONSAFEPATH", "1"), ("PYTHONOPTIMIZE", "2"),
                            ("PYTHONPATH", "/nowhere"), ("PYTHONWARNINGS", "error"),
                            ("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUTF8", "0"),
                            ("LC_ALL", "C"), ("HOME", None), ("TMPDIR", "/nowhere")):
            environment = {key: text for key, text in os.environ.items() if key != name}
            answer = subprocess.run(
                [str(ROOT / "learn"), "list", "02", "--zh"], capture_output=True,
                env={**environment, **({name: value} if value else {})})
            self.assertEqual((0, b""), (answer.returncode, answer.stderr), name)
            self.assertGreater(len(answer.stdout), 60, name)

    def test_what_is_said_moves_no_terminal(self):
        """But for colours and lines that are drawn anew, whoever the words come from."""
        raw = io.BytesIO()
        output = terminal.Output(io.TextIOWrapper(raw, encoding="utf-8"))
        print("\033[1mbold\033[0m\ta\033]0;title\a\033[2J\u202eb\rc\r\033[K中文", file=output)
        output.flush()
        self.assertEqual("\033[1mbold\033[0m\ta\\u001b]0;title\\u0007\\u001b[2J\\u202eb\\u000dc"
                         "\r\033[K中文\n", raw.getvalue().decode())

    def test_a_chapter_writes_below_the_checkout_from_wherever_it_is_called(self):
        for owner, name in ((setup, "set_up"), (lessons.mine, "begin")):
            self.patch(owner, name)
        become, before = self.patch(os, "execve"), os.getcwd()
        self.addCleanup(os.chdir, before)
        for place in (self.folder, ROOT / "docs", ROOT):
            os.chdir(place)
            for run, arguments in ((lessons.run_chapter, ["--section", "1"]),
                                   (lessons.run_chapter, []), (lessons.run_capstone, [])):
                run("2" if run is lessons.run_chapter else "A", arguments)
                self.assertEqual(ROOT / "out", Path(become.call_args.args[2]["XF_OUT"]).resolve())
            become.reset_mock()
            become.side_effect = KeyboardInterrupt  # it does not come back
            with self.assertRaises(KeyboardInterrupt):
                bench.main(["scaling"])
            self.assertIn("XF_OUT", become.call_args.args[2])
            become.side_effect = None

    def test_a_program_that_runs_here_has_time_to_save_its_work(self):
        code = ("import os, sys; from tools.terminal import run_here\n"
                "print(run_here(['sh', '-c', 'cat; ' + sys.argv[1]], dict(os.environ), 'a b\\n'))")
        once = "trap 'trap exit INT TERM; sleep 0.5; echo saved; exit 3' INT TERM; "
        waits = once + "while true; do sleep 0.1; done"
        for script, number, said in ((waits, signal.SIGINT, "saved\n3\n"),
                                     (waits, signal.SIGTERM, "saved\n3\n"),
                                     ("sleep 0.5; kill -9 $$", 0, "137\n")):
            with subprocess.Popen([sys.executable, "-c", code, script], cwd=ROOT, text=True,
                                  stdout=subprocess.PIPE, start_new_session=True) as one:
                self.assertEqual("a b\n", one.stdout.readline())
                time.sleep(0.2)  # for the trap
                os.killpg(one.pid, number)
                self.assertEqual(said, one.communicate(timeout=10)[0])

    def test_who_has_to_wait_is_told_for_whom(self):
        lock = self.folder / "build" / "release.lock"
        code = ("import sys, time; from pathlib import Path; from tools import terminal\n"
                "with terminal.in_turn(Path(sys.argv[1])):\n"
                "    print('mine', flush=True); sys.stdin.read(1)\n")
        first, second = (subprocess.Popen(
            [sys.executable, "-c", code, str(lock)], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2))
        with first, second, contextlib.ExitStack() as ended:
            ended.callback(first.kill), ended.callback(second.kill)
            said = {one: one.stdout.readline() for one in (first, second)}
            one, other = sorted(said, key=lambda each: said[each] != "mine\n")
            waits = f"  waiting for another ./learn here (process {one.pid})\n"
            self.assertEqual(["mine\n", waits], [said[one], said[other]])
            one.communicate("\n", 10)
            self.assertEqual("mine\n", other.stdout.readline())
            other.communicate("\n", 10)
        lock.unlink()
        lock.symlink_to(self.folder / "elsewhere")
        with self.assertRaises(OSError), terminal.in_turn(lock):
            pass
        self.assertFalse((self.folder / "elsewhere").exists())

    def meanwhile(self, last: str) -> tuple[list[bool], str]:
        """Two programs, of which the second was linked before. The build ends, after the last line,
        when a file is there. Returns for each whether more was to come, and what was said."""
        go, said = self.folder / "go", []
        go.unlink(missing_ok=True)
        script = ("echo '[1/2] Linking CXX executable bin/01_a'; "
                  f"while [ ! -e {go} ]; do sleep 0.05; done; {last}")
        with mock.patch.object(setup, "configure"), \
                mock.patch.object(setup, "say_seconds", lambda title, _: said.append(title)), \
                mock.patch.object(setup, "building", lambda *_: ["sh", "-c", script]), \
                setup.built_meanwhile(["01_a", "02_b"], self.folder / "release") as wait_for:
            more = [wait_for("01_a")]
            go.touch()
            more.append(wait_for("02_b"))
        return more, " ".join(said)

    def test_a_lesson_runs_as_soon_as_its_program_is_linked(self):
        self.assertEqual(([True, False], "built"), self.meanwhile("echo done"))
        with self.assertRaisesRegex(terminal.Stop, "The build failed(.|\n)*b.cpp: error: no"):
            self.meanwhile("echo 'b.cpp: error: no'; exit 1")

    def test_nothing_is_written_through_a_link(self):
        mine, link = self.folder / "mine", self.folder / "link"
        mine.write_text("precious")
        for write in (lambda: terminal.write_file(link, "ours"),
                      lambda: terminal.timed("x", ["echo", "ours"], link)):
            link.unlink(missing_ok=True)
            link.symlink_to(mine)
            write()
            self.assertEqual(("precious", "ours"), (mine.read_text(), link.read_text().strip()))

    def test_ctrl_c_ends_it_before_it_has_begun(self):
        """A module is asked for while the others are still being read."""
        early = ("import os, runpy, signal, sys\n"
                 "class Hook:\n"
                 "    def find_spec(self, name, *_more):\n"
                 "        if name == 'tools.language': os.kill(os.getpid(), signal.SIGINT)\n"
                 "sys.meta_path.insert(0, Hook())\n"
                 "sys.argv = ['learn', 'list']\n"
                 "runpy.run_path('learn', run_name='__main__')")
        answer = subprocess.run([sys.executable, "-c", early], cwd=ROOT, capture_output=True)
        self.assertEqual((-signal.SIGINT, b"", b""),
                         (answer.returncode, answer.stdout, answer.stderr))

    def test_an_unknown_chapter_names_the_nearest_and_exits_2(self):
        with mock.patch.object(lessons, "chapters", lambda: ["01_embedding", "02_attention"]):
            with self.assertRaises(terminal.Stop) as stop:
                lessons.chapter("atention")
        self.assertEqual(stop.exception.code, 2)
        self.assertIn("did you mean attention?", str(stop.exception))

    def test_a_digit_that_is_no_number_is_no_chapter(self):
        for typed in (["chapter", "²"], ["chapter", "2", "--seeds", "1", "--threads", "²"]):
            run = learn(*typed)
            self.assertNotEqual(run.returncode, 0)
            self.assertNotIn("Traceback", run.stderr)

    def test_a_chapter_goes_by_number_and_name(self):
        with mock.patch.object(lessons, "chapters", lambda: ["01_embedding", "02_attention"]):
            for wanted in ("2", "02", "attention", "02_attention"):
                self.assertEqual(lessons.chapter(wanted), "02_attention")

    def test_programs_do_not_see_a_forced_openblas_kernel(self):
        forced = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_L2_SIZE": "512", "KEPT": "1"}
        with mock.patch.dict(os.environ, forced):
            environment = terminal.quiet_environment()
        self.assertFalse(set(terminal.SLOWING) & set(environment))
        self.assertEqual(environment["KEPT"], "1")

    def test_the_first_error_of_a_log_is_shown_with_what_failed(self):
        log = self.folder / "build.log"
        log.write_text("[1/2] fine\nFAILED: x.cpp.o\nc++ -c x.cpp\nx.cpp:3:1: error: first\n"
                       "  note\ny.cpp:1:1: error: second\n")
        self.assertEqual([line.strip() for line in setup.first_error(log).splitlines()],
                         ["FAILED: x.cpp.o", "x.cpp:3:1: error: first", "note",
                          "y.cpp:1:1: error: second"])


def printed(command: list[str]) -> str:
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "LC_ALL": "C"}).stdout


class Refusals(WithFolder):
    """What the system or the reader refuses is a line or two, and never a traceback."""

    @classmethod
    def setUpClass(cls):
        """A checkout in which nothing can be made below build/ and out/, also by root."""
        cls.root = cls.folder_of_class()
        for name in ("docs", "common", "exercises", "CMakeLists.txt", "CMakePresets.json"):
            (cls.root / name).symlink_to(ROOT / name)
        shutil.copy(ROOT / "learn", cls.root)
        for name in ("tools", "chapters"):
            shutil.copytree(ROOT / name, cls.root / name)
        (cls.root / "build").write_text("")
        (cls.root / "out").write_text("")
        pairs = cls.root / "data" / "cmn-eng" / "cmn.txt"
        pairs.parent.mkdir(parents=True)
        pairs.write_text("".join(f"one {i}\tyi {i}\n" for i in range(10_000)))

    def ask(self, *arguments: str, locale: str = "C.UTF-8", **options):
        environment = {**os.environ, "XF_DATA": str(self.root / "data"), "LC_ALL": locale}
        return subprocess.run([sys.executable, str(self.root / "learn"), *arguments],
                              env=environment, encoding="utf-8",
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                 "timeout": 60, **options})

    def refused(self, answer: subprocess.CompletedProcess, words: str, code: int = 2) -> None:
        self.assertNotIn("Traceback", answer.stderr)
        self.assertRegex(answer.stderr, words)
        self.assertLessEqual(len(answer.stderr.splitlines()), 2, answer.stderr)
        self.assertEqual(code, answer.returncode)

    def test_a_checkout_that_cannot_be_written_to(self):
        (self.root / "students" / "ann").mkdir(parents=True, exist_ok=True)
        setups = ((), ("chapter", "2"), ("bench", "ops"), ("site",), ("test",))
        asks_nothing = os.geteuid() == 0 or not setup.missing(setup.TEST_PACKAGES)
        ready = setup.is_debian_like() and asks_nothing
        for command in (("data",), ("watch", "01-02"), *(setups if ready else ())):
            self.refused(self.ask(*command), r"^learn: (build|out)\S* cannot be written "
                         r"\((Not a directory|File exists)\)\n  everything is written to build")
        for command in (("try", "01-02"), ("grade", str(self.root / "students"), "01-01")):
            self.refused(self.ask(*command), "^learn: build/ cannot be written to .*\n  next ")
        self.refused(self.ask("watch", "01-02", locale="zh_CN.UTF-8"),
                     r"^learn: build\S* 无法写入（不是目录）\n  所有文件都写在")

    def test_a_standard_output_that_is_full_or_closed(self):
        with open("/dev/full", "w") as full:
            for command in (["list"], ["status"], ["--help"], ["bench", "--list"],
                            ["bench", "--help"], ["help", "grade"]):
                self.refused(self.ask(*command, stdout=full), r"^learn: standard output cannot be "
                             r"written \(No space left on device\)$")
        line = f"{sys.executable} '{self.root / 'learn'}' list >&-"
        answer = subprocess.run(["sh", "-c", line], encoding="utf-8", stderr=subprocess.PIPE)
        self.refused(answer, "^learn: standard output is closed$")

    def test_a_full_standard_error_changes_no_exit_code(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(2, self.ask("foo", stderr=full).returncode)

    def test_a_folder_where_a_file_should_be(self):
        file = self.root / "my" / "01-01_lookup.cpp"
        shutil.rmtree(file.parent, ignore_errors=True)
        file.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, file.parent)
        for command in ("try", "watch", "reset"):
            self.refused(self.ask(command, str(file)),
                         "01-01_lookup.cpp is a folder; expected the file")
            self.refused(self.ask(command, str(file), "--zh"), "01-01_lookup.cpp 是一个文件夹；")
        self.assertEqual(0, self.ask("list").returncode)

    def test_a_folder_of_ones_own_that_cannot_be_made(self):
        own = self.root / "my"
        shutil.rmtree(own, ignore_errors=True)
        for make in (own.touch, lambda: own.symlink_to("nowhere")):
            make()
            for command in ("try", "reset"):
                self.refused(self.ask(command, "01-02"), "^learn: my is not a folder; expected the "
                             r"folder with your files\n  next      mv my my\.old$")
            self.refused(self.ask("task", "01-02", "--zh"), "^learn: my 不是文件夹；")
            own.unlink()

    def test_a_full_disk_and_a_list_of_copies_are_a_line_too(self):
        learn_file = importlib.machinery.SourceFileLoader("learn_command", str(ROOT / "learn"))
        program = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("learn_command", learn_file))
        learn_file.exec_module(program)
        for error, said in (
                (OSError(errno.ENOSPC, "No space left"),
                 "build/ or out/ cannot be written (No space left)\n"),
                (OSError(errno.EROFS, "Read-only file system", str(ROOT / "out" / "x")),
                 "out/x cannot be written (Read-only file system)\n"),
                (OSError(errno.ENOENT, "No such file", str(ROOT / "tools" / "x")),
                 "tools/x: No such file"),
                (shutil.Error([("a", "b", "[Errno 28] No space left")]), "[('a', 'b', '[Errno")):
            self.assertTrue(program.refused(error).startswith(said), program.refused(error))

    def test_a_kit_that_cannot_grow_is_not_taken_for_code_that_does_not_compile(self):
        """Somebody else has built it; the file system is only read; the disk is full."""
        target, source = self.folder / "answer.o", self.folder / "answer.cpp"
        with mock.patch.object(os, "access", lambda *_: False), \
                self.assertRaisesRegex(PermissionError, str(self.folder)):
            build.compile_to(target, ["g++"])
        compiler = ["dd", "if=/dev/zero", "of=/dev/full", "count=1"]  # as a compiler would say
        with mock.patch.object(build, "compiled", lambda command, folder: printed(command[:-2])), \
                self.assertRaisesRegex(OSError, f"No space left on device.*{self.folder}"):
            build.compile_to(target, compiler)
        passing = self.folder / "passing"
        for place, named in ((passing / "ccaXs8.s", passing), ("{fresh}", self.folder)):
            with mock.patch.object(build.tempfile, "gettempdir", lambda: str(passing)), \
                    mock.patch.object(build, "compiled", lambda command, folder: str(
                        place).format(fresh=command[-1]) + ": No space left on device"), \
                    self.assertRaises(OSError) as full:
                build.compile_to(target, ["g++"])
            self.assertEqual(str(named), full.exception.filename)
        source.write_text("int answer() { return 42 }\n")
        self.assertIn("error: expected", build.compile_to(
            target, [build.COMPILER, "-c", str(source)]))

    def test_an_empty_name_of_a_compiler_is_none(self):
        command = "from tools.exercises import build; print(build.COMPILER)"
        said = subprocess.run([sys.executable, "-c", command], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, env={**os.environ, "CXX": ""})
        self.assertEqual("g++\n", said.stdout)

    def test_an_empty_file_of_the_kit_is_made_anew(self):
        target, source = self.folder / "answer.o", self.folder / "answer.cpp"
        source.write_text("int answer() { return 42; }\n")
        target.touch()
        self.assertEqual("", build.compile_to(target, [build.COMPILER, "-c", str(source)]))
        self.assertTrue(build.is_made(target))

    def test_on_a_full_disk_the_disk_is_named_and_not_an_empty_log(self):
        full = mock.patch.object(shutil, "disk_usage", lambda _: mock.Mock(free=4096))
        self.patch(setup, "timed", lambda *_, **__: (1, 0.0))
        for log in ("configure.log", "build.log"):
            (self.folder / log).write_text("x.cpp:1:1: error: first\n")
        for step in (setup.configure, setup.build):
            with full, self.assertRaisesRegex(OSError, f"No space left on device.*{self.folder}"):
                step(["x"], self.folder)
            with self.assertRaisesRegex(terminal.Stop, "error: first"):
                step(["x"], self.folder)

    def test_the_help_on_help_is_the_help(self):
        whole = learn("--help").stdout
        for words in (("help", "help"), ("help", "--help"), ("help", "-h"), ("help",)):
            answer = learn(*words)
            self.assertEqual((0, "", whole), (answer.returncode, answer.stderr, answer.stdout))

    def test_a_folder_that_is_gone_is_named_as_such(self):
        gone = self.folder / "gone"
        gone.mkdir()
        answer = subprocess.run(
            ["sh", "-c", 'rmdir "$1"; exec "$0" "$2" task 1-1', sys.executable, str(gone),
             str(ROOT / "learn")], cwd=gone, text=True, capture_output=True)
        self.refused(answer, "^learn: the current folder no longer exists: cd to another")

    def test_what_is_no_command_or_argument_is_refused_before_anything_is_built(self):
        for words, said in (
                (["try", ""], "try: an empty argument, ''"), (["verify", ""], "verify: an empty"),
                (["list", ""], "list: an empty"), (["quiz", ""], "quiz: an empty"),
                (["data", "get", ""], "data get: an empty"),
                (["data", "get", "x", "--from", ""], "data get: nothing follows --from"),
                (["grade", "docs", "--json", ""], "grade: nothing follows --json"),
                (["grade", "docs", "--json="], "grade: nothing follows --json="),
                (["try", "", "--zh"], "try：有一个空的参数"),
                (["tets"], "'tets' is not a command; the nearest is ./learn test\n"),
                (["chaptre"], "'chaptre' is not a command; the nearest is ./learn chapter\n"),
                (["dcotor"], "'dcotor' is not a command; the nearest is ./learn doctor\n"),
                (["status", "foo"], "status: unrecognized arguments: foo\n"),
                (["data", "foo"], "data: unrecognized arguments: foo\n"),
                (["doctor", "foo"], "doctor: unrecognized arguments: foo\n"),
                (["test", "--filter", "["],
                 "test: argument --filter: '[' is not a regular expression (")):
            answer = learn(*words)
            self.assertEqual((2, ""), (answer.returncode, answer.stdout), words)
            self.assertTrue(answer.stderr.startswith(f"learn: {said}"), answer.stderr)

    def test_an_empty_name_is_no_folder_to_grade(self):
        self.refused(self.ask("grade", "", cwd=self.root),
                     "^learn: grade: the name of the folder is empty\n")

    def test_a_path_below_which_cmake_stumbles_is_refused_before(self):
        """By ./learn, and by CMakeLists.txt for those who call CMake."""
        for sign in '"|#\\;<[]$\t':
            with mock.patch.object(setup, "ROOT", Path(f"/tmp/a{sign}b")), \
                    self.assertRaisesRegex(terminal.Stop, "CMake cannot work below a ") as stop:
                setup.configure([], Path("/nowhere"))
            self.assertEqual(2, stop.exception.code)
            line = str(stop.exception).split("\n")[0]
            self.assertNotEqual(line, language.in_chinese(line))
            place = self.folder / f"a{sign}b"
            place.mkdir()
            shutil.copy(ROOT / "CMakeLists.txt", place)
            said = printed(["cmake", "-S", str(place), "-B", str(self.folder / str(ord(sign)))])
            self.assertRegex(" ".join(said.split()),
                             "cannot work below a path with|source directory .* does not exist")

    def test_what_lies_below_a_path_of_ampersands_is_compiled_once(self):
        """ninja reads what a compiler has read as far as such a sign."""
        place = self.folder / "R&D '^*` (1)"
        (place / "cmake").mkdir(parents=True)
        shutil.copy(ROOT / "cmake" / "plain_depfile.sh", place / "cmake")
        (place / "a.hpp").write_text("")
        (place / "a.cpp").write_text('#include "a.hpp"\n')
        head = (ROOT / "CMakeLists.txt").read_text().partition("\noption(")[0]
        (place / "CMakeLists.txt").write_text(f"{head}\nadd_library(a STATIC a.cpp)\n")
        printed(["cmake", "-G", "Ninja", "-S", str(place), "-B", str(place / "build")])
        build = ["ninja", "-C", str(place / "build")]
        self.assertIn("Linking", printed(build))
        self.assertIn("no work to do", printed(build))
        os.utime(place / "a.hpp")  # and again when what it has read is newer
        self.assertIn("Building", printed(build))


class Doctor(unittest.TestCase):
    def test_on_macos_it_names_what_a_trial_needs_and_that_nobody_tried(self):
        with mock.patch("platform.system", return_value="Darwin"), \
                mock.patch.object(setup, "is_debian_like", return_value=False):
            _, said = output_of(doctor.main, [])
        for words in ("untested", "brew install cmake ninja pkgconf openblas",
                      "not Debian or Ubuntu"):
            self.assertIn(words, said)

    def test_elsewhere_it_says_nothing_of_macos(self):
        with mock.patch("platform.system", return_value="Linux"):
            self.assertNotIn("macOS", output_of(doctor.main, [])[1])


class Terminal(WithFolder):
    """Colour, width, and signs of life."""

    def on_terminal(self, columns: int, *arguments: str, **environment: str) -> list[str]:
        """The lines of ./learn on a terminal of so many columns."""
        command = [sys.executable, ROOT / "learn", *arguments]
        return on_terminal(columns, command, **environment)[1].split("\n")

    def test_lines_fit_the_terminal_in_both_languages(self):
        for arguments in (["list"], ["list", "--zh"], ["list", "1", "--zh"], ["hint", "04"],
                          ["hint", "04", "--zh"], ["try", "--flag"], ["--help"], ["try", "-h"],
                          ["task", "04", "--zh"]):
            for line in self.on_terminal(48, *arguments):
                self.assertLessEqual(terminal.columns_of(line), 48, line)

    def test_a_title_goes_on_below_itself(self):
        lines = self.on_terminal(48, "list", "1")
        title = next(i for i, line in enumerate(lines) if " 01-02  2  " in line)
        self.assertRegex(lines[title + 1], r"^ {16}\w")

    def test_a_build_that_pads_its_lines_leaves_no_run_of_blanks(self):
        log = self.folder / "log"
        log.write_text(f"reading [ 50%] page{' ' * 300}of 40{' ' * 300}\r\n")
        self.assertEqual(terminal.last_line(log), "reading [ 50%] page of 40")

    def test_colour_is_for_terminals_and_obeys_no_color(self):
        self.assertIn("\033[", "".join(self.on_terminal(80, "list", NO_COLOR="")))
        self.assertNotIn("\033[", "".join(self.on_terminal(80, "list", NO_COLOR="1")))
        self.assertNotIn("\033", learn("list").stdout)

    def test_chinese_breaks_between_characters_and_not_before_punctuation(self):
        self.assertEqual(terminal.wrapped("  看这里    形状要一致，再试。", 18, 12),
                         ["  看这里    形状要", "            一致，", "            再试。"])
        self.assertEqual(terminal.wrapped("  look at   a/long/path/of/a/file", 14, 12),
                         ["  look at   a/long/path/of/a/file"])

    def test_a_text_is_cut_to_its_columns(self):
        for text, columns, cut in (("abc", 3, "abc"), ("abcd", 3, "ab…"), ("中文", 4, "中文"),
                                   ("中文字", 4, "中…"), ("", 0, "")):
            self.assertEqual(terminal.fitted(text, columns), cut)

    def test_what_takes_long_says_what_it_does(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            with terminal.Doing("counting"):
                pass
            self.assertEqual(said.getvalue(), "")
            with terminal.Doing("counting"):
                time.sleep(2.3)
        self.assertEqual(said.getvalue(), "  counting …\n")


class Counting(WithFolder):
    """The last line of `./learn test`, from the reports that ctest writes."""

    def counted(self, *cases: str) -> tuple[int, int, int]:
        report = self.folder / "ctest.xml"
        report.write_text("<testsuite>" + "".join(cases) + "</testsuite>")
        return run_tests.counts(report)

    def said(self, status: int, *numbers: int) -> tuple[int, str]:
        code, text = output_of(run_tests.verdict, status, *numbers)
        return code, text.splitlines()[-1]

    def test_each_kind_of_ending_is_counted(self):
        skipped = '<skipped message="SKIP_RETURN_CODE=77"/>'
        self.assertEqual(self.counted(
            '<testcase name="a" status="run"/>',
            '<testcase name="b" status="fail"><failure message=""/></testcase>',
            f'<testcase name="c" status="notrun">{skipped}</testcase>',
            '<testcase name="d" status="disabled"/>'), (1, 1, 2))

    def test_a_test_whose_program_is_missing_has_failed(self):
        self.assertEqual(self.counted(
            '<testcase name="a" status="notrun">'
            '<skipped message="Unable to find executable: a"/></testcase>'), (0, 1, 0))

    def test_the_last_line_and_the_exit_code(self):
        self.assertEqual(self.said(0, 5, 0, 0), (0, "5 passed, 0 failed"))
        self.assertEqual(self.said(0, 5, 0, 2), (0, "5 passed, 0 failed, 2 skipped"))
        self.assertEqual(self.said(8, 5, 1, 0), (1, "5 passed, 1 failed"))
        self.assertEqual(self.said(8, 5, 0, 0)[0], 1)

    def test_no_test_at_all_is_a_failure(self):
        self.assertEqual(self.said(0, 0, 0, 0), (1, "0 passed, 0 failed"))
        self.assertEqual(self.said(0, 0, 0, 3)[0], 1)


class LivePage(WithFolder):
    def test_its_model_keeps_its_numbers_in_half_precision(self):
        file = GOLDEN / "model_word/model.safetensors"
        half = self.folder / "half"
        half.write_bytes(live.halved(file.read_bytes()))
        wanted, found = tensors(file, "f"), tensors(half, "e")
        self.assertEqual(wanted.keys(), found.keys())
        for name, values in wanted.items():
            for value, other in zip(values, found[name]):
                self.assertAlmostEqual(value, other, delta=max(abs(value), 2**-14) / 2048)

    def test_some_pages_of_the_site_lead_to_it_below_their_title(self):
        text = live.with_link("# Norm\n\n# not this one\n", "03_layer_norm", "zh")
        link = "../live/index.html#panel=norm&amp;lang=zh"
        self.assertRegex(text, r"\A# Norm\n\n<p class=.live.><a href=.([^\"]+).>打开.*</p>\n"
                               r"\n# not this one\n\Z")
        self.assertIn(link, text)
        self.assertEqual(live.with_link("# Text\n", "04_feed_forward", "en"), "# Text\n")

    def test_without_emscripten_there_is_none(self):
        with mock.patch.object(setup, "offered", return_value=False):
            self.assertIsNone(live.build())


def tensors(file: Path, form: str) -> dict[str, tuple[float, ...]]:
    """The numbers of a safetensors file, which are all of this form of struct."""
    return {name: struct.unpack(f"<{math.prod(shape)}{form}", numbers)
            for name, (shape, numbers) in tensors_of(file).items()}


class Page(WithFolder):
    def setUp(self):
        self.out = self.folder
        self.patch(index_page, "OUT", self.out)
        picture = self.out / "02_attention" / "deep" / "head 1.svg"
        picture.parent.mkdir(parents=True)
        picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>')
        text = "x < y & z\n=> weights sum to 1\n"
        lesson = lessons.Lesson("02_attention", 0, 1.5, text, [picture])
        self.page = index_page.write([lesson], ["02_attention"])
        self.whole = self.out / "02_attention" / "index.html"

    def test_its_links_are_relative_and_lead_somewhere(self):
        pages = [self.page, self.whole, *(self.out / "pages").rglob("[01]*.html")]
        self.assertEqual(2 + 2 * len(lessons.numbered()), len(pages))
        for page in pages:
            found = Links(read(page))
            place = self.out if page == self.whole else page.parent
            for target in found.links:
                path, _, anchor = unquote(target).partition("#")
                if "://" in path or path == "../" or path.startswith("../../../"):  # the checkout
                    continue
                self.assertTrue((place / path).is_file() or not path, f"{page}: {target}")
                there = found if not path else Links((place / path).read_text(encoding="utf-8"))
                self.assertTrue(not anchor or anchor in there.ids, f"{page}: {target}")
                self.assertFalse(path.endswith(".md"), f"{page}: {target}")
        self.assertIn("02_attention/deep/head%201.svg", Links(read(self.whole)).links)

    def test_the_lesson_is_escaped_and_its_findings_are_marked(self):
        text = read(self.whole)
        self.assertIn("x &lt; y &amp; z", text)
        self.assertIn('<li><span lang="en">weights sum to 1</span>', text)
        self.assertIn("prefers-color-scheme: dark", text)

    def test_what_was_found_is_said_in_both_languages_whichever_the_lesson_spoke(self):
        for name in ("02_attention", "06_decoder"):
            known = [(one, other) for _, _, one, other in index_page.sayings(name)
                     if index_page.places(one) == [str(i) for i in range(one.count("{"))]]
            self.assertGreater(len(known), 100)
            for one, other in known:
                values = [f"{7 + i}.25" for i in range(one.count("{"))]
                pair = one.format(*values), other.format(*values)
                for text in pair:
                    self.assertIn(index_page.finding(name, text).count("</span>"), (2,))
                self.assertEqual(index_page.both(pair), index_page.finding(name, pair[0]))

    def test_the_finding_on_a_card_is_one_of_its_lesson(self):
        for name, (_, words) in index_page.BEST.items():
            page = (ROOT / f"docs/en/{name}.md").read_text(encoding="utf-8")
            found = re.findall(f"^ *\\d*  {re.escape(words)}", page, re.M) if words else ["none"]
            self.assertEqual(1, len(found), f"{name}: {words}")

    def test_the_question_is_the_page_s_and_no_more(self):
        for page in sorted((ROOT / "docs/en").glob("0[1-8]_*.md")):
            asked = re.sub("<[^>]*>", "", index_page.question(page.stem))
            self.assertRegex(asked, r"^[A-Z][^*#`]{10,160}\?[^*#`?]{4,80}？$", page.stem)

    @unittest.skipUnless(browser.program(), browser.NO_BROWSER)
    def test_a_card_shows_its_picture_and_fits_a_phone_in_both_languages(self):
        for width, language in ((390, "en-US"), (390, "zh-CN"), (1280, "en-US")):
            with browser.Browser(width, 720, language) as window:
                window.open(self.page)
                self.assertLessEqual(window.js("document.documentElement.scrollWidth"), width)
                self.assertEqual(1, window.js(
                    "[...document.querySelectorAll('.card img')]"
                    ".filter((one) => one.getClientRects().length).length"))
                self.assertEqual(language[:2], window.js("document.documentElement.lang")[:2])
                self.assertEqual(0, window.js("document.querySelectorAll('.card details').length"))
                self.assertEqual([], window.errors)

    def test_a_card_leads_to_the_page_the_explorer_and_all_that_was_shown(self):
        (self.out / "02_attention" / "attention.html").write_text("")
        lesson = lessons.Lesson("02_attention", 0, 1.5, "", [])
        text = index_page.document([lesson], ["00_foundations", "02_attention"])
        self.assertIn("How does one word look at the others", text)
        self.assertIn("一个词怎样", text)
        self.assertIn('<span lang="zh-CN">2 注意力</span>', text)
        self.assertIn('<article class="card" id="00_foundations">', text)
        for way in ("pages/en/02_attention.html", "pages/zh/02_attention.html",
                    "02_attention/attention.html", "02_attention/index.html"):
            self.assertIn(f'href="{way}"', text)
        self.assertRegex(text, r'<progress value="\d" max="8">')
        self.assertIn("<code>./learn task 02-01</code>", read(self.whole))

    def test_a_card_leads_to_the_site_s_page_once_there_is_one(self):
        made = self.out / "site" / "en" / "02_attention.html"
        made.parent.mkdir(parents=True)
        for there in (True, False):
            made.write_text("") if there else made.unlink()
            index_page.link_site()
            for page in (self.page, self.whole):
                text = read(page)
                self.assertEqual(there, 'href="site/en/02_attention.html"' in text)
                self.assertEqual(not there, 'href="pages/en/02_attention.html"' in text)
                self.assertIn('href="pages/zh/02_attention.html"', text)

    def test_the_way_to_the_live_page_comes_once_there_is_one(self):
        self.assertNotIn("live/index.html", read(self.page))
        live_page = self.out / "site" / "live" / "index.html"
        live_page.parent.mkdir(parents=True)
        live_page.write_text("")
        for link in (index_page.link_site, lambda: index_page.write([], []), index_page.link_site):
            link()
            self.assertEqual(1, read(self.page).count(
                '<a class="explorer" href="site/live/index.html">'))
        live_page.unlink()  # ./learn site --no-live
        index_page.link_site()
        self.assertNotIn("live/index.html", read(self.page))

    def test_a_large_picture_has_its_png_beside_it_and_not_as_a_second_one(self):
        folder = self.out / "01_embedding"
        folder.mkdir(exist_ok=True)
        for name in ("large.svg", "large.png", "alone.png"):
            (folder / name).write_text("<svg>", encoding="utf-8")
        found = lessons.pictures(folder, 0)
        self.assertEqual({path.name for path in found}, {"large.svg", "alone.png"})
        cards = index_page.figures(found)
        self.assertEqual(cards.count('<a href="01_embedding/large.png">PNG</a>'), 1)
        self.assertEqual(cards.count("<figure"), 2)

    def test_a_picture_shrinks_no_further_than_its_words_can_be_read(self):
        path = self.out / "01_embedding" / "wide.svg"
        path.parent.mkdir(exist_ok=True)
        for width, least, wide in ((1000, 900, True), (600, 540, False)):
            path.write_text(f'<svg width="{width}" height="90"><text font-size="10">a</text></svg>',
                            encoding="utf-8")
            card = index_page.figure(path)
            self.assertIn(f'style="min-width: {least}px"', card)
            self.assertEqual('<figure class="wide">' in card, wide)

    def test_columns_stay_in_line_beside_chinese_words(self):
        """Each of these lines is ten columns wide in a browser, in whatever font it has."""
        shown = index_page.output("损失   0.5\nloss   0.5\n更新次数 8\n").split("<pre>")[1]
        self.assertIn("pre .wide { display: inline-block; width: 2ch;", index_page.STYLE)
        for line in shown.split("</pre>")[0].split("\n"):
            plain, wide = re.subn(r'<span class="wide">.</span>', "", line)
            self.assertEqual(10, len(plain) + 2 * wide, line)
            self.assertNotRegex(plain, "[\u4e00-\u9fff]")

    def test_the_output_is_folded(self):
        self.assertIn("<details><summary>", read(self.whole))

    def test_every_picture_of_a_lesson_has_a_sentence_in_both_languages(self):
        drawn = set()
        for source in ROOT.glob("chapters/*/**/lesson*.cpp"):
            for name in re.findall(r'"(\w+\.(?:svg|png))"', read(source)):
                drawn.add(f"{source.relative_to(ROOT).parts[1]}/{name}")
        for kind in ("encoder", "decoder", "cross"):
            drawn.add(f"07_transformer/attention_{kind}.svg")
        drawn.add("07_transformer/beam.svg")
        for way in ("tree", "doubling", "ring"):
            drawn.add(f"12_many_machines/{way}.svg")
        self.assertEqual(drawn, set(index_page.captions()))
        for english, chinese in index_page.captions().values():
            self.assertTrue(english.isascii() and english.endswith("."), english)
            self.assertTrue(chinese.endswith("。"), chinese)

    def test_it_needs_no_network(self):
        text = read(self.page)
        self.assertFalse(re.search(r"(https?:)?//[a-z]", text))


class Split(WithFolder):
    """The split of sentence pairs that `./learn data` cuts, on pairs made here."""

    def cut(self, pairs) -> dict[str, list[list[str]]]:
        source, target = self.folder / "cmn.txt", self.folder / "out"
        source.write_text("".join("\t".join(pair) + "\n" for pair in pairs), encoding="utf-8")
        output_of(splits.cut_pairs, source.parent, target)
        return {part: [line.split("\t") for line in read(target / f"{part}.tsv").splitlines()]
                for part in ("train", "valid", "test")}

    def scattered(self):
        """Chains of six pairs, each sharing a sentence with the next, now left, now right."""
        return [(f"English {chain} {link // 2}.", f"中文 {chain} {(link + 1) // 2}。",
                 f"by #{6 * chain + link}") for chain in range(2000) for link in range(6)]

    def test_no_held_out_sentence_is_in_another_part(self):
        parts = self.cut(self.scattered())
        for side in (0, 1):
            seen = {name: {row[side] for row in rows} for name, rows in parts.items()}
            self.assertFalse(seen["train"] & (seen["valid"] | seen["test"]))
            self.assertFalse(seen["valid"] & seen["test"])

    def test_sizes_are_near_a_thousand_and_nothing_is_lost(self):
        parts = self.cut(self.scattered())
        self.assertEqual(sum(map(len, parts.values())), 12_000)
        for name in ("valid", "test"):
            self.assertTrue(700 < len(parts[name]) < 1300, len(parts[name]))

    def test_the_order_of_the_lines_does_not_matter(self):
        forward, backward = self.cut(self.scattered()), self.cut(self.scattered()[::-1])
        for name in forward:
            self.assertEqual(sorted(forward[name]), sorted(backward[name]))

    def test_a_repeated_pair_is_kept_once_with_its_attribution(self):
        first = self.scattered()[0]
        parts = self.cut([*self.scattered(), (first[0], first[1], "by somebody else")])
        rows = [row for part in parts.values() for row in part if tuple(row[:2]) == first[:2]]
        self.assertEqual([row[2] for row in rows], ["by #0"])

    def test_a_line_without_a_tab_is_named(self):
        with self.assertRaises(terminal.Stop) as stop:
            self.cut([*self.scattered(), ("no tab here",)])
        self.assertIn("cmn.txt:12001:", str(stop.exception))
        self.assertEqual(stop.exception.code, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
