#!/usr/bin/env python3
"""The op of engine.md, compiled and tested as it stands there; both languages show it. What else
this page and CONTRIBUTING.md send a reader to is there: files, tests, what an exercise consists
of."""

from __future__ import annotations

import fnmatch
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support.checkout import BUILD, ROOT, WithFolder, read
from tools.exercises import verify

PAGES = ("CONTRIBUTING.md", "CONTRIBUTING.zh.md")
OP = {"docs/en/engine.md": "## Write an op", "docs/zh/engine.md": "## 写一个算子"}
NAMED_BY = ("If missing, reported by", "漏掉时由谁指出")
NOT_A_NAME = re.compile(r"NN_|MM_|XX|NAME|FOLDER|LAYER")
MADE = re.compile(r"(?:build|out)/|.*cube")  # by a command, or from this page
NAMES = ("ops/cube/cube.hpp", "ops/cube/kernels.hpp", "ops/cube/cpu.cpp", "ops/cube/cuda.cu",
         "ops/cube/cube.cpp", "cube_test.cpp", "reference.cpp")


def text_of(name: str) -> str:
    """The page, or of the page on the engine the section on an op."""
    text = read(name)
    return text[text.index(OP[name]):] if name in OP else text


def blocks(name: str) -> list[str]:
    return re.findall(r"```cpp\n(.*?)```", text_of(name), re.S)


def column(name: str, width: int, number: int) -> str:
    """Cells of the tables, below each other: of those with so many columns, the one of this number;
    for width 3 of those whose last column says which test reports what is missing."""
    cells = []
    for table in re.findall(r"(?:^\|.*\n)+", text_of(name), re.M):
        rows = [line[1:-1].split(" | ") for line in table.splitlines()]
        if len(rows[0]) == width and (width < 3 or rows[0][2].strip() in NAMED_BY):
            cells += [row[number] for row in rows[2:]]
    return "\n".join(cells)


def link_command() -> list[str]:
    answer = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "bin/test_ops"],
                            stdout=subprocess.PIPE, text=True)
    last = answer.stdout.splitlines()[-1:] or [""]
    return shlex.split(last[0].replace(": && ", "").replace(" && :", ""))


class Contributing(WithFolder):
    def test_both_languages_show_the_same_code(self):
        english, chinese = map(blocks, OP)
        self.assertEqual(english, chinese)
        self.assertEqual(len(english), len(NAMES))

    def test_a_newcomer_reads_it_in_one_sitting(self):
        for name in PAGES:
            self.assertLess(len(text_of(name).splitlines()), 200, name)

    def test_every_file_that_it_names_is_there(self):
        there = [f"/{path.relative_to(ROOT).as_posix()}/"
                 for folder in ROOT.iterdir() if folder.name not in ("build", "out", ".git")
                 for path in (folder, *folder.rglob("*"))]
        for name, least in [*((page, 35) for page in PAGES), *((page, 10) for page in OP)]:
            text = re.sub("```cpp.*?```", "", text_of(name), flags=re.S)
            named = {word for word in re.findall(r"`([\w./*-]+)`", text)
                     if "/" in word or re.fullmatch(r"\w+\.(py|md|toml|js|po|json)", word)}
            named = {re.sub(r"^[./]*/|/$", "", word) for word in named
                     if not NOT_A_NAME.search(word) and not MADE.match(word)}
            self.assertGreater(len(named), least, name)
            self.assertEqual([word for word in sorted(named) if not fnmatch.filter(
                there, f"*/{word}/")], [], name)

    def test_every_test_that_its_tables_name_runs(self):
        lists = "".join(path.read_text() for path in (ROOT / "tests").glob("**/CMakeLists.txt"))
        known = {path.name[:-len("_test.py")] for path in (ROOT / "tests").glob("*_test.py")}
        known |= set(re.findall(r"add_test\(NAME (\w+)", lists))
        known |= set(re.findall(r"(\w+)=\w", lists))  # those of a loop, NAME=SCRIPT
        for name in (*PAGES, *OP):
            named = set(re.findall(r"`([a-z_]+)`", column(name, 3, 2)))
            self.assertGreater(len(named), 3, name)
            self.assertEqual(sorted(named - known), [], name)

    def test_all_files_of_an_exercise_are_in_its_table(self):
        for name in PAGES:
            named = set(re.findall(r"`([\w./]+)`", column(name, 2, 0)))
            self.assertEqual(sorted((verify.FIXED | verify.MODEL_ANSWERS) - named), [], name)

    def test_its_op_compiles_and_passes_its_tests(self):
        if not (BUILD / "bin" / "test_ops").exists():
            self.skipTest(f"{BUILD / 'bin/test_ops'} is not built")
        self.write(self.folder)
        commands = [self.compiling(self.folder, self.folder / source) for source in NAMES
                    if not source.endswith(".hpp")]
        for command in [*commands, self.linking(self.folder), [str(self.folder / "test_cube")]]:
            answer = subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            self.assertEqual(answer.returncode, 0, answer.stdout)
        self.assertIn("4 passed", answer.stdout)

    def write(self, folder: Path) -> None:
        (folder / "ops" / "cube").mkdir(parents=True)
        for name, text in zip(NAMES, blocks("docs/en/engine.md")):
            (folder / name).write_text(text)
        reference = folder / "reference.cpp"
        body = reference.read_text()
        declaration = "namespace xf::xt_reference { Tensor cube(const Tensor& x); }\n"
        test = folder / "cube_test.cpp"
        test.write_text('#include "support/xt_reference.hpp"\n' + declaration + test.read_text())
        reference.write_text('#include "tensor/xt.hpp"\nnamespace xf::xt_reference {\n'
                             "using Matrix = xt::xtensor<float, 2>;\n"
                             "Tensor cube(const Tensor& x);\n" + body + "}\n")

    def compiling(self, folder: Path, source: Path) -> list[str]:
        compiler = next(word for word in link_command() if not word.endswith("ccache"))
        return [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion",
                "-Wno-sign-conversion", "-Werror", "-fopenmp-simd", f"-I{folder}",
                f"-I{ROOT / 'common'}", f"-I{ROOT / 'tests'}", "-DXF_EMULATOR", "-x", "c++",
                "-c", str(source),
                "-o", str(source.with_suffix(".o"))]

    def linking(self, folder: Path) -> list[str]:
        """As test_ops is linked, with the op's objects in place of the tests'."""
        words = [word for word in link_command() if "test_ops.dir" not in word]
        words[words.index("-o") + 1] = str(folder / "test_cube")
        at = words.index("-o")
        objects = [str(folder / Path(name).with_suffix(".o")) for name in NAMES
                   if not name.endswith(".hpp")]
        return words[:at] + objects + words[at:]


if __name__ == "__main__":
    if not shutil.which("ninja"):
        print("skipped: ninja is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
