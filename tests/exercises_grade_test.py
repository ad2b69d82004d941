#!/usr/bin/env python3
"""A class with all that happens in one: right work in odd folders, mistakes, and a cheat a kind."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.exercises import manifest, own_parts  # noqa: E402
from tools.exercises.build import SUPPORT, Kit  # noqa: E402
from tools.exercises.outcome import Outcome, judged, outcome_of  # noqa: E402
from tools.exercises.run import Limits, Ran  # noqa: E402
from tools.grading import competition, grade, judge  # noqa: E402
from tools.grading import results as grading_results  # noqa: E402
from tools.grading import sandbox as grading_sandbox  # noqa: E402
from tools.terminal import BIN, Stop, plain  # noqa: E402

EXERCISE = manifest.find("02-01", manifest.manifest())
SOLUTION = EXERCISE.solution.read_text(encoding="utf-8")
SKELETON = EXERCISE.skeleton.read_text(encoding="utf-8")
NO_ROOT = next(mistake for mistake in EXERCISE.mistakes if mistake.name == "no_root")

ODD_NAMES = [
    b"Anna Schmidt", b"-rf", b"Li#Wei 100% $HOME", b"a\\b a\\ b", b"O'Neill \"quoted\"",
    b"tab\there line\nbreak escape\x1b[31m", b"latin-\xe9", "王小明 right\u202eleft".encode(), b"=1+1",
    b"Mustermann_Max_123456_assignsubmission_file_" + b"x" * 100]


def answering(softmax: str, before: str = "") -> str:
    """A hand-in whose softmax is this, and whose attention returns v."""
    return (f'#include "exercise.hpp"\n#include <unistd.h>\n{before}\n'
            "namespace xf::exercise {\nusing M = xt::xtensor<float, 2>;\n"
            f"M softmax_rows(const M& scores) {{ {softmax} return scores; }}\n"
            "M attention(const M&, const M&, const M& v) { return v; }\n}\n")


# One of each kind, and what is said of it.
CHEATS = {
    "includes-the-solution": ('#include "{solution}"\n', "No such file"),
    "reads-the-solution": (answering(
        'if (std::ifstream("{solution}")) _exit(0);', "#include <fstream>"), "6 of 6 tests fail"),
    "forges-the-report": (answering(
        "", 'static int go = (write(std::atoi(std::getenv("XF_REPORT")), "{}\\n", 3), 0);'),
        "tampered"),
    "recites": (answering("", "#include <cstring>\n" "static int go = [] {\n"
                          "  for (const char* line : {LINES})\n"
                          '    if (write(std::atoi(std::getenv("XF_REPORT")), line,'
                          " std::strlen(line)) < 0) break;\n  _exit(0);\n  return 0;\n}();"),
                judge.BY_HEART),
    "ends-early": (answering("_exit(0);"), "before the tests did"),
    "prints": (answering('for (;;) std::printf("%01000d", 0);'), "printed more than 1 MiB"),
    "sleeps": (answering("sleep(100);"), "stopped after 30 s"),
    "leaves-a-child": (answering("if (!fork()) { setsid(); sleep(100); }"), "6 of 6 tests fail"),
    "fills-the-disk": (answering("", 'asm(".fill 1 << 30");'), "does not compile"),
    # A linker that says what is missing would write gigabytes.
    "has-a-long-name": (answering(
        "missing(static_cast<T30*>(nullptr));", "template <class, class> struct P;\n"
        "using T0 = P<int, int>;\n" + "".join(
            f"using T{n} = P<T{n - 1}, T{n - 1}>;\n" for n in range(1, 31))
        + "void missing(T30*);"), "does not compile"),
    "symbol-is-an-option": (answering(
        "", 'extern "C" void ask() asm("\\"-i\\"");\nstatic int go = (ask(), 0);'),
        "does not compile")}
IN_SANDBOX = ("includes-the-solution", "reads-the-solution")  # refused by its file system alone


def recited(expected: Outcome) -> str:
    """What a program would send that passes with the inputs everybody has: C++ strings."""
    lines = []
    for case in expected.names:
        lines.append(json.dumps({"case": case}))
        lines += [json.dumps({"check": check["check"], "actual": check["expected"]})
                  for check in expected.checks if check["case"] == case]
    lines.append(json.dumps({"end": len(expected.names)}))
    return "{" + ", ".join(json.dumps(line + "\n") for line in lines) + "}"


class Class(unittest.TestCase):
    """One exercise, in the best sandbox that there is here."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="xf grade#test-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.addClassCleanup(os.umask, os.umask(0o077))  # what is made is for its owner alone
        cls.folder = cls.place / "class"
        for name in ODD_NAMES:
            cls.hand_in(os.fsdecode(name), SOLUTION)
        mistaken = NO_ROOT.source(EXERCISE.solution)
        windows = "\ufeff" + SOLUTION.replace("\n", "\r\n")
        for name, text in {"right": SOLUTION, "windows": windows, "mistaken": mistaken,
                           "the-same": mistaken, "unchanged": SKELETON, "absent": None,
                           "huge": "/" * (1 << 20) + "/\n", "bytes": None, "pipe": None,
                           "own": None, "linked-my": None,
                           "linked": None, "linked-folder": None, "linked-chapters": None,
                           "folder-for-file": None, "loops": None}.items():
            cls.hand_in(name, text)
        (cls.folder / "bytes" / "02-01.cpp").write_bytes(b"\xff\x00\xfe" + os.urandom(1000))
        os.mkfifo(cls.folder / "pipe" / "02-01.cpp")
        (cls.folder / "folder-for-file" / "02-01.cpp").mkdir()
        (cls.folder / "linked" / "02-01.cpp").symlink_to(EXERCISE.solution)
        (cls.folder / "loops" / "02-01.cpp").symlink_to("02-01.cpp")
        (cls.folder / "loop").symlink_to("loop")
        (cls.folder / "linked-folder" / "02-01").symlink_to(EXERCISE.solution.parent)
        (cls.folder / "linked-chapters" / "chapters").symlink_to(ROOT / "chapters")
        (cls.folder / "own" / EXERCISE.answer.name).write_text(SOLUTION)
        (cls.folder / "linked-my" / "my").symlink_to(cls.folder / "own")
        (cls.folder / "through-link").symlink_to("right")
        before = EXERCISE.path / "exercise.cpp"
        for name, file in (("checkout", EXERCISE.answer), ("older", before)):
            whole = cls.folder / name
            (whole / EXERCISE.folder).mkdir(parents=True)
            (whole / EXERCISE.folder / "test.cpp").write_text("")  # always passes
            (whole / file.relative_to(ROOT)).parent.mkdir(exist_ok=True)
            (whole / file.relative_to(ROOT)).write_text(SKELETON)
        (cls.folder / "checkout" / EXERCISE.folder / "exercise.cpp").write_text(SOLUTION)
        lines = recited(Kit().expected(EXERCISE))
        for name, (text, _said) in CHEATS.items():
            text = text.replace("{solution}", str(EXERCISE.solution)).replace("{LINES}", lines)
            cls.hand_in(f"cheat-{name}", text)
        cls.files = {kind: cls.place / f"report.{kind}" for kind in ("json", "junit", "csv")}
        named = [word for kind, path in cls.files.items() for word in (f"--{kind}", str(path))]
        long_place = cls.place / ("a long TMPDIR " + "x" * 150)
        long_place.mkdir()
        quick = dataclasses.replace(judge.TEST_LIMITS, wall=8)
        brief = dataclasses.replace(judge.COMPILE_LIMITS, cpu=12)
        with mock.patch.dict(os.environ, TMPDIR=str(long_place)), \
                mock.patch.object(judge, "TEST_LIMITS", quick), \
                mock.patch.object(judge, "COMPILE_LIMITS", brief):
            grade.main([str(cls.folder), "02-01", *named])
        cls.report = json.loads(cls.files["json"].read_text(encoding="utf-8"))
        cls.results = {result["student"]: result for result in cls.report["results"]}

    @classmethod
    def hand_in(cls, name: str, text: str | None) -> None:
        (cls.folder / name).mkdir(parents=True)
        if text is not None:
            (cls.folder / name / "02-01.cpp").write_bytes(text.encode())

    def verdict(self, student: str) -> tuple[str, str]:
        return self.results[student]["verdict"], self.results[student]["detail"]

    def test_a_right_answer_gets_its_points_in_every_folder(self):
        for name in (*map(os.fsdecode, ODD_NAMES), "right", "windows", "own"):
            shown = grading_results.shown_name(name)
            self.assertEqual(("pass", ""), self.verdict(shown), shown)
            self.assertEqual(3, self.results[shown]["points"])

    def test_no_cheat_gets_points_and_each_is_told_for_what_it_is(self):
        for name, (_text, said) in CHEATS.items():
            with self.subTest(name):
                if name in IN_SANDBOX and grading_sandbox.chosen("auto", self.place).kind == "none":
                    self.skipTest("bubblewrap does not work here")
                verdict, detail = self.verdict(f"cheat-{name}")
                self.assertNotEqual("pass", verdict)
                self.assertIn(said, detail)

    def test_a_mistake_is_named_and_counted(self):
        self.assertEqual(("fail", "1 of 6 tests fail"), self.verdict("mistaken"))
        bars = [(bar["mistake"], bar["students"]) for bar in self.report["misconceptions"]]
        self.assertEqual([("no_root", 2)], bars)

    def test_only_the_students_file_is_taken(self):
        self.assertEqual(("missing", "not handed in"), self.verdict("absent"))
        self.assertEqual(("fail", "still to be written"), self.verdict("checkout"))
        self.assertEqual(("fail", "still to be written"), self.verdict("older"))
        self.assertEqual(("fail", "still to be written"), self.verdict("unchanged"))

    def test_what_is_no_plain_file_is_not_opened(self):
        for name, part in (("linked", "linked/02-01.cpp is a link"), ("pipe", "is no file"),
                           ("linked-folder", "linked-folder/02-01 is a link"),
                           ("loops", "loops/02-01.cpp is a link"),
                           ("linked-chapters", "linked-chapters/chapters is a link"),
                           ("linked-my", "linked-my/my is a link"),
                           ("through-link", "through-link is a link"),
                           ("folder-for-file", "is a folder"), ("huge", "more than 1 MiB"),
                           ("bytes", "does not compile")):
            verdict, detail = self.verdict(name)
            self.assertEqual("error", verdict, name)
            self.assertIn(part, detail, name)

    def test_the_three_files_say_the_same(self):
        self.assertTrue(self.report["complete"])
        with self.files["csv"].open(encoding="utf-8-sig", newline="") as file:
            table = {row["student"].lstrip("'"): row["verdict"] for row in csv.DictReader(file)}
        self.assertEqual({name: r["verdict"] for name, r in self.results.items()}, table)
        suites = ElementTree.parse(self.files["junit"]).getroot()
        self.assertEqual(sorted(self.results), sorted(suite.get("name") for suite in suites))
        for kind, verdict in (("failures", "fail"), ("errors", "error"), ("skipped", "missing")):
            self.assertEqual(sum(int(suite.get(kind)) for suite in suites),
                             list(table.values()).count(verdict))

    def test_nothing_in_the_files_is_a_control_character(self):
        for path in self.files.values():
            text = path.read_bytes().decode("utf-8-sig")
            self.assertEqual(text.replace("\n", "").replace("\r", ""),
                             plain(text.replace("\n", "").replace("\r", "")))

    def test_nothing_stays_behind(self):
        self.assertEqual([], list((ROOT / "build" / "exercises").glob("*/grade-*")))


# Tries all that would reach something outside, and says what it could do. Its arguments: a file and
# a process that are not its own, and a folder that it may not write to.
TRIES = r"""
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
void could(const char* what, bool it) { if (it) std::puts(what); }
int main(int, char** given) {
  const std::string file = given[1], folder = given[3];
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  for (int i = 0; i < 3; ++i) fchmod(i, 0600);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/tty"})
    could("change a device", chmod(device, 0600) == 0), chown(device, getuid(), getgid());
  could("make a device", mknod("/null", S_IFCHR | 0600, 1 << 8 | 3) == 0);
  could("be root", getuid() == 0 || geteuid() == 0 || setuid(0) == 0 || setgid(0) == 0);
  for (int family = 0; family < 64; ++family)
    for (int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
      could("open a socket", family != AF_UNIX && socket(family, type, 0) >= 0);
  int ends[2], count = 0;
  could("not talk to a child", socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0);
  could("make a ring", syscall(SYS_io_uring_setup, 8, nullptr) >= 0 || errno != EPERM);
  could("have keys", syscall(SYS_add_key, "user", "a", "b", 1, -3) >= 0);
  could("load bpf", syscall(SYS_bpf, 0, nullptr, 0) >= 0 || errno != EPERM);
  could("make a namespace", unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNET) == 0);
  could("clone a namespace", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0);
  could("mount", mount("none", "/usr", "tmpfs", 0, nullptr) == 0);
  could("read", open(file.c_str(), O_RDONLY) >= 0);
  could("see processes", access("/proc/self", F_OK) == 0);
  could("kill", kill(std::atoi(given[2]), SIGKILL) == 0);
  for (std::string at : {file, folder + "/new", std::string("/new"), std::string("/tmp/new"),
                         std::string("/usr/new"), std::string("/dev/shm/new")})
    could("write", open(at.c_str(), O_WRONLY | O_CREAT, 0600) >= 0);
  could("change the folder", chmod(folder.c_str(), 0777) == 0 || rmdir(folder.c_str()) == 0);
  could("take memory", std::malloc(std::size_t(8) << 30) != nullptr);
  for (pid_t child = 1; count < 500 && child > 0; ++count)
    if ((child = fork()) == 0) pause();
  could("seize processes", count > 300);
  std::puts("tried all");
}
"""


class Sandboxed(unittest.TestCase):
    """What only a file system and a network of its own can keep from a hand-in."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xf-grade-test-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.sandbox = grading_sandbox.chosen("auto", self.place)
        if self.sandbox.kind == "none":
            self.skipTest("bubblewrap does not work here")

    def test_nothing_that_is_tried_inside_reaches_anything_outside(self):
        folder, secret = self.place / "folder", self.place / "secret"
        folder.mkdir()
        secret.write_text("of the class")
        (folder / "tries.cpp").write_text(TRIES)
        subprocess.run(["g++", "-std=c++20", "-w", "tries.cpp", "-o", "tries"], cwd=folder,
                       check=True)
        devices = [Path("/dev", name) for name in ("null", "zero", "urandom", "tty")]
        before = [(path.stat().st_mode, path.stat().st_uid) for path in (*devices, folder, secret)]
        with subprocess.Popen(["sleep", "100"]) as other:
            ran = self.sandbox.run(
                [str(folder / "tries"), str(secret), str(other.pid), str(folder)],
                judge.TEST_LIMITS, folder, {"PATH": os.defpath}, reports=True)
            alive = other.poll() is None
            other.kill()
        self.assertEqual("tried all\n", ran.printed.decode())
        self.assertTrue(alive)
        self.assertEqual(before, [(path.stat().st_mode, path.stat().st_uid)
                                  for path in (*devices, folder, secret)])
        self.assertEqual({"tries", "tries.cpp"}, {path.name for path in folder.iterdir()})
        self.assertEqual("of the class", secret.read_text())

    def test_a_sandbox_starts_beside_a_submission_that_took_all_its_processes(self):
        ran = self.sandbox.run(["true"], Limits(wall=20, cpu=10, processes=1), self.place,
                               {"PATH": os.defpath})
        self.assertEqual((0, b""), (ran.status, ran.printed))

    def test_a_compiler_is_limited_as_the_answer_is(self):
        """Here it is given a type that has as many parts as there are numbers of 60 bits."""
        endless = ("template <int n, long m> struct A { A<n - 1, 2 * m> a; A<n - 1, 2 * m + 1> b; "
                   "};\ntemplate <long m> struct A<0, m> {};\nA<60, 0> a;\n")
        bench = judge.Bench(Kit(), self.place, self.sandbox)
        with mock.patch.object(judge, "COMPILE_LIMITS", Limits(wall=60, cpu=1)):
            outcome = bench.run(EXERCISE, endless.encode())
        self.assertEqual("compile", outcome.error)
        self.assertRegex(outcome.log, "CPU time limit|stopped")

    def test_processes_and_hooks_work_inside(self):
        """Those of chapter 12, and the kernels of chapter 11."""
        (self.place / "bench").mkdir()
        bench = judge.Bench(Kit(), self.place / "bench", self.sandbox)
        for name in ("11-09", "12-01"):
            exercise = manifest.find(name, manifest.manifest())
            outcome = bench.run(exercise, exercise.solution.read_bytes())
            self.assertTrue(outcome.passed, (name, outcome.error, outcome.log[-500:]))


class Unsandboxed(unittest.TestCase):
    def test_where_there_is_none_a_line_says_so(self):
        with mock.patch.object(grading_sandbox.setup, "offered", lambda *_: False):
            self.assertEqual("none", grading_sandbox.chosen("auto", Path()).kind)
            with self.assertRaisesRegex(Stop, "--sandbox bwrap does not work here"):
                grading_sandbox.chosen("bwrap", Path())

    def test_the_filter_refuses_as_many_calls_on_either_machine(self):
        self.assertEqual(1, len({len(grading_sandbox.seccomp(each))
                                 for each in grading_sandbox.MACHINES}))

    def test_a_watched_kernel_moves_memory_by_no_call_without_hooks(self):
        for text in ("void f(void* x) { __builtin_apply((void (*)())f, x, 64); }",
                     "__attribute__((no_sanitize(\"thread\"))) void f() {}"):
            ran = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-include",
                                  str(SUPPORT / "hooked.hpp"), "-x", "c++", "-"], input=text,
                                 stderr=subprocess.PIPE, text=True)
            self.assertIn("poisoned", ran.stderr)


class Boxes(unittest.TestCase):
    def test_a_box_is_lit_where_all_its_exercises_pass_as_they_are_published(self):
        def graded(student: str, **verdicts: str) -> list[grading_results.Result]:
            return [grading_results.Result(student, one.replace("_", "-")[1:], verdict, 0, 1)
                    for one, verdict in verdicts.items()]

        results = [*graded("ada", _01_01="pass", _01_03="pass", _03_01="pass", _03_02="fail"),
                   *graded("ben", _01_01="pass", _01_03="error", _01_02="pass"),
                   *graded("chen", _01_01="missing")]
        exercises = manifest.manifest()
        self.assertEqual({"ada": ["embedding"], "ben": ["positions"], "chen": []},
                         grading_results.lit(results, exercises))
        report = json.loads(grading_results.as_json(results, [], {"ada": ["embedding"]}, True))
        self.assertEqual(["embedding"], report["boxes"]["ada"])
        with mock.patch.object(grading_results, "say") as say:
            grading_results.show(results, exercises)
        lines = [call.args[0] for call in say.call_args_list]
        self.assertEqual(["boxes 1", "boxes 1", "boxes 0"], [one[-7:] for one in lines])
        other = [dataclasses.replace(one, variant=mock.Mock()) if one.id == "01-03" else one
                 for one in exercises]
        self.assertEqual([], grading_results.lit(results, other)["ada"])


class Competing(unittest.TestCase):
    """`--compete`, with two parts instead of all."""

    PARTS = ["01-01", "03-01"]

    def said(self, call, *arguments) -> str:
        text = io.StringIO()
        with mock.patch.object(competition, "parts", lambda: self.PARTS), \
                contextlib.redirect_stdout(text):
            call(*arguments)
        return text.getvalue().partition("competition: ")[2]

    def test_the_best_comes_first_and_the_book_last(self):
        scores = {b"ada": (41.5, ""), b"zoe": (97.25, "--d-model 32"), b"eve": (-1, "it stopped")}
        files = dict.fromkeys(self.PARTS, b"")
        with mock.patch.object(competition, "Competition", lambda *_: mock.Mock(
                entry=lambda _, sheet: scores.get(sheet, (99.0, "")))):
            said = self.said(competition.compete, None, 2, {
                "ada": files, "bob": {"01-01": b""}, "eve": files, "zoe": files},
                {name: name.encode() for name in ("ada", "bob", "eve", "zoe")})
        self.assertEqual(["2 minutes of training each, BLEU on 500 unseen sentences",
                          "1. zoe 97.25 --d-model 32", "2. ada 41.50",
                          "bob: 1 of 2 parts, without 03-01", "eve: it stopped", "the book 99.00"],
                         [" ".join(line.split()) for line in said.splitlines()])

    def test_the_sheet_names_sizes_and_rates_alone(self):
        self.assertEqual(["--lr", "0.01", "--norm", "pre"],
                         competition.chosen(b"--lr 0.01\n--norm pre\n"))
        for sheet in (b"--out x", b"--lr", b"--lr --out", b"--lr ../x", b"--tgt 1", b"\xff 1"):
            with self.assertRaisesRegex(ValueError, "cannot be chosen"):
                competition.chosen(sheet)

    def test_a_hand_in_trains_in_the_sandbox(self):
        if own_parts.built().parent != BIN:
            self.skipTest("parts are compiled as the release is")
        place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        solutions = {one: manifest.find(one, manifest.manifest()).published.read_bytes()
                     for one in self.PARTS}
        # Fresh inputs of the tests have at most 68 rows, batches more than 100.
        stops = solutions["03-01"].replace(
            b" out = x;\n",
            b' out = x;\n  if (x.shape(0) > 100) throw std::runtime_error("too long");\n')
        for student, texts in (("ada", solutions), ("eve", {**solutions, "03-01": stops})):
            (place / student).mkdir()
            for part, text in texts.items():
                (place / student / f"{part}.cpp").write_bytes(text)
        (place / "ada" / competition.SHEET).write_text("--d-model 8 --heads 2")
        said = self.said(grade.main, [str(place), "--compete", "0.02"])
        self.assertRegex(said, r" 1\.  ada +\d+\.\d\d  --d-model 8 --heads 2\n")
        self.assertIn("eve: error: your 03-01 stopped: too long", said)
        self.assertRegex(said, r"the book +\d+\.\d\d\n")


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xf-grade-test-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def test_only_the_judges_numbers_give_a_pass(self):
        def line(**event):
            return json.dumps(event)

        def answer(*lines) -> Outcome:
            begin, end = line(case="rows"), line(end=1)
            return outcome_of(Ran(0, report="\n".join([begin, *lines, end, ""]).encode()))

        two = {"shape": [2], "values": [1.0, 2.0]}
        right = answer(line(check="y", kind="tensor", expected=two))
        good = line(check="y", actual=two)
        self.assertTrue(judged(answer(good), right).passed)
        near = {"shape": [2], "values": [1.00001, 2.0]}
        self.assertTrue(judged(answer(line(check="y", actual=near)), right).passed)
        far = {"shape": [2], "values": [1.0002, 2.0]}  # 1e-5 and a ten-thousandth are allowed
        self.assertFalse(judged(answer(line(check="y", actual=far)), right).passed)
        forged = [[], [line(check="z", actual=two)], [good, good], [line(end=1), good], ["{}"],
                  [good, line(fault="no array is written beyond its end")],
                  [line(check="y", actual=two, ok=True)], [line(check="y", ok=True)],
                  [line(check="y", kind="tensor", expected=two)], ["[" * 100000],
                  [line(check="y", actual=None)], [line(case="other"), good],
                  [line(case="rows"), good]]
        for shape, values in (([2], []), ([2], [1.0, float("nan")]), ([2], ["1", "x"]), ("2", two),
                              ([2], [10 ** 400, 2]), ([1, 2], [1.0, 2.0]), ([[2]], [1.0, 2.0]),
                              ([2], None), ([-2, -1], [1.0, 2.0]), ([2], [True, [2]])):
            forged.append([line(check="y", actual={"shape": shape, "values": values})])
        for lines in forged:
            self.assertFalse(judged(answer(*lines), right).passed, lines)

    def test_fresh_inputs_are_another_submissions_and_their_answers_come_after_it(self):
        steps, bench = [], object.__new__(judge.Bench)
        bench.kit = mock.Mock()
        bench.kit.expected = lambda _e, salt="": steps.append(("judge", salt)) or Outcome()
        bench.ask = lambda _p, salt, shuffled=True: steps.append(("answer", salt)) or Outcome()
        for _ in range(2):
            self.assertTrue(bench.judge(EXERCISE, self.place).passed)
        fresh = [step for step in steps if step[1]]
        rounds = 2 * judge.TURNS
        self.assertEqual(["answer", "judge"] * rounds, [who for who, _salt in fresh])
        self.assertEqual([salt for _who, salt in fresh[::2]], [salt for _who, salt in fresh[1::2]])
        self.assertEqual(rounds, len({salt for _who, salt in fresh}))

    def test_what_answers_is_linked_with_nothing_that_is_expected(self):
        """No test.cpp works out what is expected beside a COMPARE, and each keeps to test.hpp."""
        kit = Kit()
        program, complaints = kit.program(EXERCISE, EXERCISE.solution)
        self.assertEqual("", complaints)
        self.assertNotIn(b"send_expected", kit.test(EXERCISE)[0].read_bytes())
        names = subprocess.run(["nm", "-C", str(program)], stdout=subprocess.PIPE, check=True)
        self.assertNotRegex(names.stdout.decode(), r"\bwanted\b")
        for exercise in manifest.manifest():
            text = (exercise.path / "test.cpp").read_text(encoding="utf-8")
            self.assertIn('#include "support/test.hpp"', text, exercise.id)
            self.assertNotRegex(text, r"\b(Tensor|Gradients|float) (wanted|expected|own) =",
                                exercise.id)
            self.assertNotRegex(text, r"\bsend_(expected|actual)|XF_JUDGE|\bCHECK", exercise.id)

    def test_one_exception_is_one_students_error(self):
        bench = mock.Mock()
        bench.run.side_effect = RuntimeError("odd \x1b")
        case = grade.Case(bench, EXERCISE)
        results = grading_results.Results({}, [EXERCISE])
        case.judge_all([("one", b"1"), ("two", b"2")], results)
        self.assertEqual([("one", "error"), ("two", "error")],
                         sorted((r.student, r.verdict) for r in results.all))
        self.assertIn("RuntimeError: odd \\u001b", results.all[0].detail)

    def test_without_the_answer_in_words_no_points_are_given(self):
        bench = mock.Mock()
        bench.run.return_value = Outcome()
        case = grade.Case(bench, manifest.find("05-04", manifest.manifest()))
        for text, verdict, points in ((b"/* Answer: */", "fail", 0), (b"int f();", "fail", 0),
                                      (b"/* Answer: no row changes */", "pass", 3)):
            self.assertEqual((verdict, points), case.judge(text)[1:3], text)
        self.assertEqual("the written answer is missing", case.judge(b"")[5])
        start = time.monotonic()
        self.assertEqual("fail", case.judge(b"/* Answer:" * 100_000)[1])  # none of them ends
        self.assertLess(time.monotonic() - start, 5)

    def test_an_interrupted_run_keeps_what_was_graded(self):
        waits = answering("static std::mutex m; m.lock(); m.lock(); return {};", "#include <mutex>")
        for student, text in (("a-right", SOLUTION), ("b-waits", waits)):
            (self.place / "class" / student).mkdir(parents=True)
            (self.place / "class" / student / "02-01.cpp").write_text(text)
        path = self.place / "report.json"
        process = subprocess.Popen(
            [sys.executable, "learn", "grade", str(self.place / "class"), "02-01", "--json",
             str(path), "--sandbox", "none"], cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        end = time.monotonic() + 120
        while not (path.exists() and "a-right" in path.read_text()) and time.monotonic() < end:
            time.sleep(0.2)
        process.terminate()
        said = process.communicate(timeout=60)[0].decode()
        self.assertEqual(130, process.returncode, said)
        self.assertIn("interrupted: 1 of 2 are judged", said)
        report = json.loads(path.read_text())
        self.assertEqual((False, ["a-right"]),
                         (report["complete"], [r["student"] for r in report["results"]]))

    def test_a_tree_without_solutions_says_where_to_grade(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            exercise = mock.Mock(solution=root / "solution" / "exercise.cpp")
            with mock.patch.object(grade, "ROOT", root):
                for said in ("next      grade in a checkout that has the solutions",
                             "next      git checkout chapters"):
                    with self.assertRaises(Stop) as stop:
                        grade.Case(None, exercise)
                    self.assertIn(said, str(stop.exception))
                    (root / ".git").touch()  # of a worktree it is a file

    def test_what_is_graded_for_nobody_is_named(self):
        (self.place / "..dots").mkdir()
        for name in ("ann_02-01.cpp", ".DS_Store", "report.csv", "a\x1b"):
            (self.place / name).write_text("")
        (self.place / "gone").symlink_to("nowhere")
        wanted = mock.Mock(folder=self.place, files={"--csv": self.place / "report.csv"})
        with mock.patch.object(grade, "say") as say:
            grade.say_what_is_left_out(wanted)
        self.assertEqual("  note      no folder of a student, so left out: ..dots, a\\u001b, "
                         "ann_02-01.cpp and 1 more", say.call_args[0][0])

    def test_a_cell_that_a_spreadsheet_would_compute_is_text(self):
        for sign in "=+-@＝＋－＠":
            result = grading_results.Result(sign + "1", "02-01", "pass", 3, 3)
            table = grading_results.as_csv([result], [], {}, True).decode("utf-8-sig")
            self.assertEqual("'" + sign + "1", table.splitlines()[1].split(",")[0])

    def test_an_exercise_that_is_named_twice_is_graded_once(self):
        graded = grade.asked_for(["02-06", "2-6", "02-01"], manifest.everything())
        self.assertEqual(["02-06", "02-01"], [exercise.id for exercise in graded])

    def test_bad_input_gets_one_clear_message(self):
        (self.place / "loop").symlink_to("loop")
        for arguments, message in (
                ([], "the following arguments are required: FOLDER"),
                (["nowhere"], "is not a folder"),
                ([str(self.place / "loop")], "loop is not a folder"),
                ([""], "the name of the folder is empty"),
                ([str(self.place)], "one per student"),
                ([str(self.place), "--xml", "f"], "unrecognized arguments: --xml"),
                ([str(self.place), "--csv"], "argument --csv: expected one argument"),
                ([str(self.place), "--sandbox"], "argument --sandbox: expected one argument"),
                ([str(self.place), "--sandbox", "jail"], "invalid choice: 'jail' (choose from"),
                ([str(self.place), "--csv", str(self.place / "no" / "f")], "cannot be written"),
                ([str(self.place), "--csv", str(self.place / "f"), "--json",
                  str(self.place / "." / "f")], "--json and --csv name the same file, ")):
            with self.assertRaises(Stop) as stop:
                grade.main(arguments)
            self.assertIn(message, str(stop.exception))
            self.assertIn("\n  ./learn grade --help shows the full usage", str(stop.exception))
            self.assertEqual(2, stop.exception.code)


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.stdout.reconfigure(errors="replace")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
