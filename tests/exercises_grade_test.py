#!/usr/bin/env python3
"""A class with all that happens in one: right work in odd folders, mistakes, and cheats."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import shutil
import socket
import struct
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

from exercises_cheats import CHEATS, EXERCISE, MASKS_BY_HEART  # noqa: E402
from exercises_cheats import OTHERS, OWN_INLINE, RUNS_THE_JUDGE, SOLUTION  # noqa: E402
from exercises_cheats import STEADY, forged_lines, recited, with_body  # noqa: E402
from exercises_cheats_in_memory import IN_MEMORY  # noqa: E402
from exercises_cheats_in_process import IN_PROCESS  # noqa: E402
from exercises_cheats_past import PAST  # noqa: E402
from tools.checks.share import share  # noqa: E402
from tools.exercises import manifest  # noqa: E402
from tools.exercises.build import Kit  # noqa: E402
from tools.exercises.outcome import Outcome, judged, outcome_of  # noqa: E402
from tools.exercises.run import Limits, Ran  # noqa: E402
from tools.grading import grade, hooks, judge, results as grading_results  # noqa: E402
from tools.grading import sandbox as grading_sandbox, symbols  # noqa: E402
from tools.terminal import Stop, plain  # noqa: E402

SKELETON = EXERCISE.skeleton.read_text(encoding="utf-8")
NO_ROOT = next(mistake for mistake in EXERCISE.mistakes if mistake.name == "no_root")

ODD_NAMES = share([  # each costs a compilation
    b"Anna Schmidt", b"Li#Wei", b"a\\b", b"a\\ b", b"$HOME", b"100%", b"-rf", b"O'Neill",
    b'"quoted"', b"tab\there", b"line\nbreak", b"escape\x1b[31m", b"latin-\xe9",
    "王小明".encode(), "right\u202eleft".encode(), b"=1+1",
    b"Mustermann_Max_123456_assignsubmission_file_" + b"x" * 100], 3)
# Half of the cheats, and that through whose folder another one goes.
CHOSEN = [*share(CHEATS, 2), "through-link"]
TRIED = {name: text for name, text in CHEATS.items() if name in CHOSEN}

# What is not the function's own is handed over: by a pointer, a static, a global one whose name
# looks like a register, part of one, an element of one; then what is its own.
COPIES = """
struct Some { float x[4]; };
static Some row_2, rows[4];
struct { Some in; int n; } within;
void fill(Some* some);
[[gnu::noinline, gnu::noclone]] float sum(Some some) { return some.x[0] + some.x[3]; }
float behind(const Some* p, int i) { return sum(p[i]); }
float shared(int i) { static Some of_all; of_all.x[i] = 1; return sum(of_all); }
float looks_like_one() { Some row; fill(&row); fill(&row_2); return sum(row_2) + sum(row); }
float part() { fill(&within.in); return sum(within.in); }
float element(int i) { fill(&rows[i]); return sum(rows[i]); }
float named(Some some, const char* what);
float with_text(const Some* p, int i) { return named(p[i], "; ("); }
float of_an_array(Some (*p)[4], int i) { return sum((*p)[i]); }
float own(int i) { Some mine[4]; fill(&mine[0]); fill(&mine[1]); return sum(mine[i]); }
float given(Some some) { return sum(some) + sum(some); }
"""


class Class(unittest.TestCase):
    """One exercise without a sandbox: the grader's own defences."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="xf grade#test-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.folder = cls.place / "class"
        for name in ODD_NAMES:
            cls.hand_in(os.fsdecode(name), SOLUTION)
        mistaken = NO_ROOT.source(EXERCISE.solution)
        windows = "\ufeff" + SOLUTION.replace("\n", "\r\n")
        for name, text in {"right": SOLUTION, "windows": windows, "mistaken": mistaken,
                           "the-same": mistaken, "unchanged": SKELETON, "absent": None,
                           "huge": "/" * (1 << 20) + "/\n", "bytes": None, "pipe": None,
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
        whole = cls.folder / "checkout" / EXERCISE.folder  # with a test that always passes
        whole.mkdir(parents=True)
        (whole / "exercise.cpp").write_text(SKELETON)
        (whole / "test.cpp").write_text("")
        kit = Kit()
        facts = {"{solution}": EXERCISE.solution, "{class}": cls.folder, "{place}": cls.place,
                 "{folder}": EXERCISE.path, "{LINES}": forged_lines(),
                 "{mutant}": kit.expanded(EXERCISE, NO_ROOT)}
        for name, text in TRIED.items():
            for field, value in facts.items():
                text = text.replace(field, str(value))
            cls.hand_in(f"cheat-{name}", text)
        expected = kit.expected(EXERCISE)
        for name, more in STEADY.items():
            cls.hand_in(f"cheat-{name}", recited(expected, more))
        (cls.folder / "cheat-through-link" / "way").symlink_to(EXERCISE.solution.parent)
        (cls.folder / "through-link").symlink_to("cheat-through-link")
        cls.files = {kind: cls.place / f"report.{kind}" for kind in ("json", "junit", "csv")}
        named = [word for kind, path in cls.files.items() for word in (f"--{kind}", str(path))]
        long_place = cls.place / ("a long TMPDIR " + "x" * 150)
        long_place.mkdir()
        quick = dataclasses.replace(judge.TEST_LIMITS, wall=8)
        # Most want something of the system, and what it says for that is tested below: here is what
        # stands behind it.
        with mock.patch.dict(os.environ, TMPDIR=str(long_place)), \
                mock.patch.object(judge, "unneeded", lambda *_: ""), \
                mock.patch.object(judge, "TEST_LIMITS", quick):
            grade.main([str(cls.folder), "02-01", *named, "--sandbox", "none"])
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
        for name in (*map(os.fsdecode, ODD_NAMES), "right", "windows"):
            shown = grading_results.shown_name(name)
            self.assertEqual(("pass", ""), self.verdict(shown), shown)
            self.assertEqual(3, self.results[shown]["points"])

    def test_no_cheat_gets_points(self):
        got = {name: self.verdict(f"cheat-{name}") for name in (*TRIED, *STEADY)}
        self.assertEqual({}, {name: said for name, said in got.items() if said[0] == "pass"})

    def test_a_cheat_is_told_for_what_it_is(self):
        for name, part in (("only-checked", "solution/exercise.cpp, which is not the student's"),
                           ("line-marker", "solution/exercise.cpp, which is not"),
                           ("through-link", "which is not"), ("other-hand-in", "which is not"),
                           ("assembled", "which is not"), ("static-report", "tampered"),
                           ("early-constructor", "tampered"), ("two-ends", "tampered"),
                           ("test-failure", "tampered"), ("recited", "of the tests only"),
                           ("recited-unsalted", "of the tests only"),
                           ("patched-got", "6 of 6"), ("pipe-over-the-report", "6 of 6"),
                           ("guard-header", "6 of 6"), ("fake-lto", "defines write, which is not"),
                           ("own-write", "defines write, which is not"),
                           ("exits", "before the tests did"), ("prints", "printed more than 1 MiB"),
                           ("sleeps", "stopped after 30 s"), ("floods-report", "more than 4 MiB")):
            if name in TRIED or name in STEADY:
                with self.subTest(name):
                    self.assertIn(part, self.verdict(f"cheat-{name}")[1])

    def test_children_do_not_outlive_the_grading(self):
        time.sleep(max(0.0, 7.5 - self.results["right"]["seconds"]))
        self.assertFalse((self.place / "outlived").exists())

    def test_a_mistake_is_named_and_counted(self):
        self.assertEqual(("fail", "1 of 6 tests fail"), self.verdict("mistaken"))
        bars = [(bar["mistake"], bar["students"]) for bar in self.report["misconceptions"]]
        self.assertEqual([("no_root", 2)], bars)

    def test_only_the_students_exercise_cpp_is_taken(self):
        self.assertEqual(("fail", "still to be written"), self.verdict("checkout"))
        self.assertEqual(("fail", "still to be written"), self.verdict("unchanged"))

    def test_what_was_not_handed_in_is_missing(self):
        self.assertEqual(("missing", "not handed in"), self.verdict("absent"))

    def test_what_is_no_plain_file_is_not_opened(self):
        for name, part in (("linked", "linked/02-01.cpp is a link"), ("pipe", "is no file"),
                           ("linked-folder", "linked-folder/02-01 is a link"),
                           ("loops", "loops/02-01.cpp is a link"),
                           ("linked-chapters", "linked-chapters/chapters is a link"),
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


class Sandboxed(unittest.TestCase):
    """What only a file system and a network of its own can keep from a hand-in."""

    def test_a_sandbox_hides_the_checkout_the_class_and_the_network(self):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            sandbox = grading_sandbox.chosen("auto", place)
            if sandbox.kind == "none":
                self.skipTest("neither bwrap nor unshare works here")
            folder = place / "class"
            for student, softmax in {
                    "right": None, "reads": f'return std::ifstream("{EXERCISE.solution}") ? '
                    "scores : throw std::runtime_error(\"no solution\");",
                    "writes": f'return std::ofstream("{place}/left") ? scores : throw '
                    "std::runtime_error(\"no class\");"}.items():
                (folder / student).mkdir(parents=True)
                (folder / student / "02-01.cpp").write_text(
                    SOLUTION if softmax is None else with_body("#include <fstream>", softmax))
            for student in ("includes", "judge"):
                (folder / student).mkdir()
            (folder / "judge" / "02-01.cpp").write_text(
                RUNS_THE_JUDGE.replace("{build}", str(Kit().place)))
            (folder / "includes" / "02-01.cpp").write_text(f'#include "{EXERCISE.solution}"\n')
            report = place / "report.json"
            with mock.patch.object(judge, "unneeded", lambda *_: ""):
                grade.main([str(folder), "02-01", "--json", str(report)])
            results = {r["student"]: r for r in json.loads(report.read_text())["results"]}
            self.assertEqual("pass", results["right"]["verdict"], results)
            self.assertIn("No such file", results["includes"]["detail"])
            for student in ("reads", "judge"):
                self.assertEqual("6 of 6 tests fail", results[student]["detail"])
            self.assertFalse((place / "left").exists())


    def test_a_sandbox_starts_beside_a_submission_that_took_all_its_processes(self):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            sandbox = grading_sandbox.chosen("auto", place)
            ran = sandbox.run(["true"], Limits(wall=20, cpu=10, processes=1), place,
                              {"PATH": "/usr/bin:/bin"}, [])
        self.assertEqual((0, b""), (ran.status, ran.printed))


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xf-grade-test-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def test_the_names_of_a_rule_are_what_the_compiler_opened(self):
        names = ["a b.hpp", "c#d.hpp", "e$f.hpp", "g\\h.hpp", "i\\ j.hpp", "k\\\\ l.hpp", "m:n.hpp"]
        for name in names:
            (self.place / name).write_text("")
        (self.place / "x.cpp").write_text("".join(f'#include "{name}"\n' for name in names))
        subprocess.run(["g++", "-MD", "-MF", "x.d", "-c", "x.cpp"], cwd=self.place, check=True)
        opened = judge.dependencies((self.place / "x.d").read_bytes())
        self.assertEqual({"x.cpp", *names}, {Path(name).name for name in opened
                                             if "stdc-predef" not in name})

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

    def test_a_link_to_itself_stops_nobody(self):
        (self.place / "loop").symlink_to("loop")
        with mock.patch.object(grade, "say") as say:
            grade.say_what_is_left_out(grade.Wanted(self.place, []))
        self.assertIn("loop", say.call_args[0][0])
        self.assertFalse(grade.is_student(self.place / "loop"))
        with self.assertRaises(Stop) as stop:
            grade.main([str(self.place / "loop")])
        self.assertIn("loop is no folder", str(stop.exception))

    def test_fresh_inputs_are_another_submissions_and_their_answers_come_after_it(self):
        steps, bench = [], object.__new__(judge.Bench)
        bench.kit = mock.Mock()

        def step(who):
            return lambda salt, secret: steps.append((who, salt and (salt, secret))) or Outcome()

        bench.kit.expected = lambda _e, salt="", secret="": step("judge")(salt, secret)
        bench.ask = lambda _e, _place, salt, secret="", shuffled=True: step("answer")(salt, secret)
        for name in "ab":
            (self.place / name).mkdir()
            (self.place / name / "program").touch()
            self.assertTrue(bench.judge(EXERCISE, self.place / name).passed)
        fresh = [step for step in steps if step[1]]
        rounds = 2 * judge.TURNS
        self.assertEqual(["answer", "judge"] * rounds, [who for who, _salt in fresh])
        self.assertEqual([salt for _who, salt in fresh[::2]], [salt for _who, salt in fresh[1::2]])
        self.assertEqual(2 * rounds, len({one for _who, drawn in fresh for one in drawn}))

    def test_only_the_keeper_has_the_secret(self):
        exercise, bench = manifest.find("02-07", manifest.manifest()), object.__new__(judge.Bench)
        bench.kit, bench.environment, bench.place = Kit(), {}, self.place
        bench.sandbox = mock.Mock(wraps=grading_sandbox.Sandbox("none", self.place))
        bench.sandbox.run.side_effect = None
        bench.sandbox.run.return_value = Ran(0)
        bench.ask(exercise, self.place, "1f", "2e")
        words, asked = bench.sandbox.run.call_args
        self.assertEqual("2e", asked["keeper"].environment["XF_SECRET"])
        self.assertEqual("1f", asked["keeper"].environment["XF_SALT"])
        self.assertNotIn("2e", str(words))
        self.assertIsNone(bench.keeper(EXERCISE, "1f", "2e"))

    def test_a_keeper_takes_nothing_for_granted(self):
        """Whoever asks may say anything: it is refused, or the keeper goes."""
        keeper = Kit().keeper(manifest.find("02-07", manifest.manifest()), "")

        def answer(*words, name=b"") -> tuple[int, bytes]:
            ours, theirs = socket.socketpair()
            with ours, theirs:
                process = subprocess.Popen(
                    keeper.command, env={**keeper.environment, "XF_KEEPS": str(theirs.fileno())},
                    pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL)
                theirs.close()
                ours.sendall(struct.pack("<2I", *words[:2]) + name
                             + struct.pack(f"<{len(words[2:])}I", *words[2:]))
                ours.shutdown(socket.SHUT_WR)
                status = process.wait(20)
                try:
                    return status, ours.recv(4)
                except ConnectionResetError:  # it went, and did not read on
                    return status, b""

        refused = struct.pack("<I", 3)
        for words in ((0, 4, 0), (0, 4, 1, 1, 0), (0, 4, 2, 0, 0x7fc00000, 0, 0)):
            self.assertEqual((0, refused), answer(*words, name=b"maps"), words)
        self.assertEqual((0, refused), answer(0, 4, 0, name=b"mapz"))
        for words in ((9, 9), (0, 1 << 31), (0, 0, 1 << 31), (0, 0, 1, 2, 1 << 20, 1 << 20)):
            self.assertEqual((0, b""), answer(*words), words)

    def test_what_answers_is_linked_with_nothing_that_is_expected(self):
        """No test.cpp works out what is expected beside a COMPARE, and each keeps to test.hpp."""
        exercises, kit = manifest.manifest(), Kit()
        for name in ("02-01", "03-03", "07-03"):
            exercise = manifest.find(name, exercises)
            program, complaints = kit.program(exercise, exercise.solution)
            self.assertEqual("", complaints)
            self.assertNotIn(b"send_expected", kit.test(exercise)[0].read_bytes())
            names = subprocess.run(["nm", "-C", str(program)], stdout=subprocess.PIPE, check=True)
            self.assertNotRegex(names.stdout.decode(), r"\bwanted\b", exercise.id)
        for exercise in exercises:
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

    def test_an_inline_function_of_the_header_is_not_the_students(self):
        exercise, kit = manifest.find("02-02", manifest.manifest()), Kit()
        place = self.place / "bench"
        place.mkdir()
        bench = judge.Bench(kit, place, grading_sandbox.chosen("none", place))
        self.assertTrue(bench.run(exercise, exercise.solution.read_bytes()).passed)
        self.assertEqual("defines xf::exercise::my_softmax(xf::Tensor const&, float), which is not "
                         "the student's", bench.run(exercise, OWN_INLINE.encode()).error)

    def test_what_is_copied_without_a_hook_is_named(self):
        (self.place / "copies.cpp").write_text(COPIES)
        subprocess.run(["g++", "-std=c++20", "-O2", "-fsanitize=thread", *hooks.dumped(), "-c",
                        "copies.cpp"], cwd=self.place, check=True)
        found = [each for name in hooks.DUMPS if (self.place / name).exists()
                 for each in hooks.unseen((self.place / name).read_text(), COPIES)]
        plain = [re.sub(r"_\d+(?=\(D\)|$)", "", each) for each in found]
        self.assertEqual(["*", "of_all", "row", "within.in", "rows[i(D)]", "*", "(*p(D))[i(D)]"],
                         plain, found)

    def test_an_answer_asks_nothing_of_the_system(self):
        def asks(text: str, watched: bool = False) -> str:
            (self.place / "asks.cpp").write_text(text)
            subprocess.run(["g++", "-std=c++20", "-c", "asks.cpp"], cwd=self.place, check=True)
            return symbols.unneeded(self.place / "asks.o", watched)

        for header, use in (("unistd.h", "fork()"), ("sys/mman.h", "mmap(0, 1, 3, 33, -1, 0)"),
                            ("cstdlib", 'std::getenv("XF_SALT")'), ("cstdlib", "std::exit(0)"),
                            ("unistd.h", "syscall(39)"), ("dlfcn.h", 'dlsym(nullptr, "write")'),
                            ("sys/socket.h", "recv(3, nullptr, 0, 0)"),
                            ("cstdio", 'std::fopen("/proc/self/environ", "r")')):
            name = use.partition("(")[0].removeprefix("std::")
            self.assertEqual(name, asks(f"#include <{header}>\nvoid f() {{ {use}; }}"))
        self.assertEqual("stdout", asks("#include <cstdio>\nFILE* f() { return stdout; }"))
        self.assertIn("std::cin", asks("#include <iostream>\nvoid* f() { return &std::cin; }"))
        self.assertEqual("environ", asks("extern char** environ;\nvoid* f() { return environ; }"))
        self.assertIn("fstream", asks('#include <fstream>\nstd::ifstream f("/proc/self/maps");'))
        if os.uname().machine in ("x86_64", "aarch64"):
            call = "syscall" if os.uname().machine == "x86_64" else "svc #0"
            self.assertEqual("the instruction of a system call",
                             asks(f'void f() {{ asm volatile("{call}"); }}'))
            for hidden in (f'#define J(a, b) a##b\nvoid f() {{ J(a, sm) volatile("{call}"); }}',
                           f'void f() {{ a\\ \nsm volatile("{call}"); }}'):
                self.assertEqual("the instruction of a system call", asks(hidden))
            self.assertEqual("", asks("unsigned f() { return 0x1122050f; }"))  # its bytes
        right = """
            #include <algorithm>
            #include <chrono>
            #include <cmath>
            #include <complex>
            #include <cstdio>
            #include <cstring>
            #include <iostream>
            #include <map>
            #include <random>
            #include <sstream>
            #include <thread>
            #include <unordered_map>
            float f(std::map<int, std::string>& m, float x, char* to, const char* from) {
              std::memcpy(to, from, m.size());
              std::cout << std::chrono::steady_clock::now().time_since_epoch().count() << m[1];
              std::printf("%f %s", std::erf(x) + std::tanh(x) + std::lround(x), from);
              std::thread([] {}).join();
              const auto turned = std::exp(std::polar(x, 2 * x)) * std::complex<float>(x, x);
              std::cout << std::abs(turned / turned) << float((__int128(m.size()) << 70) / 3);
              std::istringstream in(m[0]);
              std::unordered_map<std::string, int> n{{m[2], std::stoi(m[1])}};
              return std::mt19937(n.size())() + std::fmod(std::pow(x, 2.5f), std::log1p(x));
            }"""
        self.assertEqual("", asks(right))
        self.assertRegex(asks(right, watched=True), "^mem")  # has hooks under another name

    def test_without_the_answer_in_words_no_points_are_given(self):
        bench = mock.Mock()
        bench.run.return_value = Outcome()
        case = grade.Case(bench, manifest.find("05-04", manifest.manifest()))
        for text, verdict, points in ((b"/* Answer: */", "fail", 0), (b"int f();", "fail", 0),
                                      (b"/* Answer: no row changes */", "pass", 3)):
            self.assertEqual((verdict, points), case.judge(text)[1:3], text)
        self.assertEqual("the answer in words is missing", case.judge(b"")[5])

    def test_results_are_written_as_they_come(self):
        path = self.place / "report.json"
        results = grading_results.Results({"--json": path}, [EXERCISE])
        results.add(grading_results.Result("one", "02-01", "pass", 3, 3))
        report = json.loads(path.read_text())
        self.assertFalse(report["complete"])
        self.assertEqual("one", report["results"][0]["student"])
        self.assertEqual([path], list(self.place.iterdir()))

    def test_an_interrupted_run_keeps_what_was_graded(self):
        waits = with_body("#include <mutex>", "static std::mutex m; m.lock(); m.lock(); return {};")
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
        wanted = grade.Wanted(self.place, [], {"--csv": self.place / "report.csv"})
        with mock.patch.object(grade, "say") as say:
            grade.say_what_is_left_out(wanted)
        self.assertEqual("  note      no folder of a student, so left out: ..dots, a\\u001b, "
                         "ann_02-01.cpp and 1 more", say.call_args[0][0])

    def test_a_cell_that_a_spreadsheet_would_compute_is_text(self):
        for sign in "=+-@＝＋－＠":
            result = grading_results.Result(sign + "1", "02-01", "pass", 3, 3)
            table = grading_results.as_csv([result], [], True).decode("utf-8-sig")
            self.assertEqual("'" + sign + "1", table.splitlines()[1].split(",")[0])

    def test_an_exercise_that_is_named_twice_is_graded_once(self):
        graded = grade.asked_for(["02-06", "2-6", "02-01"], manifest.everything())
        self.assertEqual(["02-06", "02-01"], [exercise.id for exercise in graded])

    def test_bad_input_gets_one_clear_message(self):
        for arguments, message in (
                ([], "the following arguments are required: FOLDER"), (["nowhere"], "is no folder"),
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
            self.assertIn("\n  ./learn grade --help lists what there is", str(stop.exception))
            self.assertEqual(2, stop.exception.code)


class Everything(unittest.TestCase):
    def test_solutions_get_full_marks(self):
        """A share of them; `verify` runs them all."""
        exercises = sorted(share(manifest.manifest(), 24), key=lambda exercise: exercise.id)
        with tempfile.TemporaryDirectory(prefix="xf-grade-test-") as name:
            student = Path(name) / "class" / "Anna #1 \\ Schmidt"
            student.mkdir(parents=True)
            for exercise in exercises:
                shutil.copy(exercise.solution, student / f"{exercise.id}.cpp")
            by_heart = student.with_name("masks by heart")
            by_heart.mkdir()
            (by_heart / "02-03.cpp").write_text(MASKS_BY_HEART)
            others = [(identity, cheat, text) for cheats in (OTHERS, IN_PROCESS, IN_MEMORY, PAST)
                      for identity, of in cheats.items() for cheat, text in of.items()]
            tried = {(identity, cheat): text for identity, cheat, text in share(others, 9)}
            for (identity, cheat), text in tried.items():
                folder = student.with_name(f"cheat {cheat}")
                folder.mkdir(exist_ok=True)
                (folder / f"{identity}.cpp").write_text(text)
            report = Path(name) / "report.json"
            grade.main([str(student.parent), "--json", str(report)])
            results = sorted((result for result in json.loads(report.read_text())["results"]
                              if result["verdict"] != "missing"), key=lambda r: r["exercise"])
        cheats = {(r["exercise"], r["student"][len("cheat "):]): r for r in results
                  if r["student"].startswith("cheat ")}
        self.assertEqual(set(tried), set(cheats))
        self.assertEqual([], [key for key, result in cheats.items() if result["points"]])
        parts = ((("00-05", "replays-by-the-test"), "which is the tests' own"),
                 (("00-05", "replays"), judge.BY_HEART),
                 (("00-07", "counts-calls"), "tests fail"),
                 (("02-07", "replays"), judge.BY_HEART),
                 (("03-03", "counts-calls"), "tests fail"),
                 (("02-06", "looks-at-its-caller"), "tests fail"),
                 (("05-01", "stops-after-8"), judge.BY_HEART),
                 (("09-02", "own-mallinfo"), "defines mallinfo2"),
                 (("09-02", "room-from-the-start"), "of 7 tests fail"),
                 (("10-02", "in-the-hosts-memory"), "tests fail"),
                 (("10-03", "one-thread-sums"), "tests fail"),
                 (("10-05", "the-tests-template"), "tests fail"),
                 (("10-06", "one-thread-counts"), "tests fail"),
                 (("10-07", "own-number-printer"), "which is not the student's"),
                 (("10-08", "blas-in-a-kernel"), "cblas_sgemm"),
                 (("10-09", "asm-loads"), "asm"),
                 (("10-09", "asm-behind-quotes"), "asm"),
                 (("10-03", "one-order"), "set_schedule"),
                 (("10-04", "one-thread-a-block"), "1 of 5 tests fail"),
                 (("10-04", "begins-again"), "getenv, which no answer needs"),
                 (("10-05", "not-sanitized"), "poisoned"),
                 (("10-05", "switches-off"), "in_kernel, which is the tests' own"),
                 (("10-09", "counts-itself"), "Counting"),
                 (("10-09", "on-the-host"), "InsideKernel"),
                 (("10-09", "two-faced"), "tests fail"),
                 (("11-01", "reads-beyond-its-row"), "tests fail"),
                 (("11-01", "maps-memory"), ", which no answer needs"),
                 (("11-01", "maps-memory-itself"), "instruction of a system call"))
        self.assertEqual([], [(key, cheats[key]["detail"]) for key, part in parts
                              if key in tried and part not in cheats[key]["detail"]])
        results = [result for result in results if result not in cheats.values()]
        cheat, = [result for result in results if result["student"] == by_heart.name]
        self.assertEqual(("error", judge.BY_HEART), (cheat["verdict"], cheat["detail"]))
        results.remove(cheat)
        self.assertEqual([(e.id, "pass", e.points) for e in exercises],
                         [(r["exercise"], r["verdict"], r["points"]) for r in results])


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.stdout.reconfigure(errors="replace")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
