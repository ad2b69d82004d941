#!/usr/bin/env python3
"""The code in tasks and hints, which learners type as it stands there, is code that compiles."""

from __future__ import annotations

import os
import re
import subprocess
import unittest

from support.checkout import ROOT, read
from tools.exercises import build, manifest
from tools.teaching import lab

HEADERS = ("01_embedding/positional_encoding.hpp", "05_encoder/encoder.hpp",
           "06_decoder/decoder.hpp", "support/kit.hpp")
TEXTS = ("README.md", "README.zh.md", "hints.en.md", "hints.zh.md")
NAMED = re.compile(r"^(?:(?:struct|class|enum(?: class)?) (\w+)|using (\w+) ="
                   r"|(?:[\w:<>,*&]+ )+(\w+)(?: = |\[|\{|;))", re.M)
DECLARED = re.compile(r"(\w+) (?:(\w+)::)?(operator\W+|\w+)\((.*)\)( const)?;")


def statements(code: str) -> list[str]:
    """One a line, without comments; a line whose bracket is open goes on in the next."""
    found = [""]
    for line in code.splitlines():
        found[-1] += " " + line.partition("//")[0].strip()
        if found[-1].count("(") == found[-1].count(")"):
            found.append("")
    return [statement.strip() for statement in found if statement.strip()]


def calling(declared: re.Match, name: str) -> str:
    """A function that calls what is declared, with parameters of the types that it says."""
    result, owner, called, parameters, _const = declared.groups()
    arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
    if owner:
        called = f"self.{called}"
        parameters = ", ".join(filter(None, (f"const {owner}& self", parameters)))
    return f"{result} {name}({parameters}) {{ return {called}({arguments}); }}"


def compilable(code: str, name: str) -> list[str]:
    """The code of a task, each statement in a function of its own."""
    b = "xt::xtensor<float, 1> b" if "dot(" in code else "int b"
    known = ("Tensor x, Tensor y, Tensor dy, Ids ids, Ids may, Matrix a, Matrix m, Matrix w, "
             f"int rows, int columns, int n, int i, int s, int t, {b}")
    lines = []
    for number, statement in enumerate(statements(code)):
        declared, function = DECLARED.fullmatch(statement), f"{name}_{number}"
        if declared:
            lines.append(calling(declared, function))
        elif statement.startswith("return"):
            lines.append(f"Mask {function}({known}) {{ {statement} }}")
        else:
            lines.append(f"void {function}({known}) {{ (void)({statement}); }}")
    return lines


def all_tasks() -> str:
    lines = [f'#include "{header}"' for header in HEADERS]
    lines += ["namespace xf::exercise {", "using Matrix = xt::xtensor<float, 2>;"]
    for exercise in manifest.manifest():
        for zh in (False, True):
            task = read(exercise.task(zh))
            for number, code in enumerate(re.findall(r"```cpp\n(.*?)```", task, re.S)):
                name = f"task_{exercise.id.replace('-', '_')}_{'zh' if zh else 'en'}_{number}"
                lines += compilable(code, name)
    return "\n".join([*lines, "}", ""])


class Code(unittest.TestCase):
    def syntax(self, source: str) -> str:
        command = [build.COMPILER, *build.FLAGS, *build.CHECKED, "-include",
                   str(build.Kit().header), "-w", "-fsyntax-only", "-x", "c++", "-"]
        answer = subprocess.run(command, input=source, text=True, cwd=ROOT,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**os.environ, "LC_ALL": "C"})
        return answer.stdout if answer.returncode else ""

    def test_the_code_of_every_task_compiles(self):
        source = all_tasks()
        self.assertGreater(source.count("task_"), 60)
        self.assertEqual("", self.syntax(source)[:2000])

    def test_no_test_names_a_thing_as_the_engine_does(self):
        """It would be ambiguous after `using namespace xf`, but not in a joined source, where each
        exercise has a namespace of its own (tools/exercises/together.py)."""
        texts = {exercise.id: read(exercise.test) for exercise in manifest.everything()}
        own = {name: {word for found in NAMED.findall(text) for word in found if word}
               for name, text in texts.items()}
        self.assertEqual({"Tensor"}, self.known("", {"Tensor", "no_such_thing"}))
        maybe = self.known("\n".join(texts.values()), set.union(*own.values()))
        for name, text in texts.items():
            if suspects := own[name] & maybe:
                self.assertEqual(set(), self.known(text, suspects), name)

    def known(self, test: str, names: set[str]) -> set[str]:
        """Which of the names are the engine's, in a file with the headers of this test?"""
        headers = set(re.findall(r'^#include "(?!exercise|support).*$', test, re.M))
        source = [*sorted(headers), *(f"using ::xf::{name};" for name in names - {"namespace"}), ""]
        return names - set(re.findall(r"'(\w+)' has not been declared in 'xf'",
                                      self.syntax("\n".join(source))))

    def test_a_call_that_the_engine_lacks_does_not(self):
        stale = "\n".join(compilable("y.data()  // float*\n", "task"))
        source = all_tasks().replace("\n}\n", f"\n{stale}\n}}\n")
        self.assertIn("data()", self.syntax(source))

    def test_a_member_called_without_arguments_takes_none(self):
        known = {"begin", "end", "size", "front", "back"}  # of std::vector
        for name in ("tensor", "shape"):
            header = read(f"common/tensor/{name}.hpp")
            for body in re.findall(r"^class (?:Tensor|Ids|Shape)\b[^;]*?{\n(.*?)^};", header,
                                   re.S | re.M):
                known |= set(re.findall(r"\b(\w+)\(\)(?: const)? ?[{;]", body))
        self.assertIn("count", known)
        self.assertNotIn("data", known)
        buffer = {"data", "values"}  # of cuda::Buffer, in kernels' exercises
        for exercise in manifest.manifest():
            header = read(exercise.path / "exercise.hpp")
            for name in TEXTS:
                text = read(exercise.path / name)
                called = set(re.findall(r"\w\.(\w+)\(\)", text))
                self.assertLessEqual(called - buffer if "kernels.hpp" in header else called, known,
                                     f"{exercise.id} {name}")

    def test_the_answer_of_question_6g_is_what_its_exercise_prints(self):
        exercise = manifest.find("06-05", manifest.manifest())
        printed = build.Kit().run(exercise, exercise.solution).prints
        shares = re.findall(r"(\d+)%", next(text for _case, text in printed if "wrong" in text))
        none, _one, _two, _three, _five, eight, alone = shares
        for zh in (False, True):
            answer = lab.questions(7, zh)["6g"].partition("[")[2]
            self.assertEqual([none, eight, alone], re.findall(r"\d\d(?=,| %)", answer), answer)

    def test_ids_are_written_through_begin_or_an_index(self):
        for exercise in manifest.manifest():
            for name in TEXTS:
                text = read(exercise.path / name)
                self.assertNotRegex(text, r"\b(may|ids|in|out)\.data\(", exercise.id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
