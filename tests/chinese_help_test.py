#!/usr/bin/env python3
"""Under a Chinese locale no line of any --help, no error and no table of bench is English, under
another one none is Chinese; and common/program.zh.po, common/errors.zh.po and bench/zh.po hold
nothing that no program says."""

from __future__ import annotations

import ast
import errno
import os
import re
import subprocess
import tempfile
import unittest

from support.checkout import BIN, GOLDEN, ROOT, WithFolder, learn, read
from support.texts import text_of
from tools.catalogue import entries
from tools.grading import grade
from tools.language import in_chinese
from tools.terminal import columns_of

PROGRAMS = [*sorted(path.parent.name for path in ROOT.glob("chapters/*/main.cpp")), "bench"]
CATALOGUE = entries(ROOT / "common" / "program.zh.po")
MESSAGES = entries(ROOT / "common" / "errors.zh.po")
HAN = re.compile("[\u4e00-\u9fff]")
SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")  # two words of English, one after the other
SAID = re.compile(SENTENCE.pattern + r"|\{\}.*[a-z]{3}|[a-z]{3}.*\{\}")  # or one, and what varies

# What the sources say in errors: the literals in these calls.
CALL = re.compile(r"(?:\b(?:UserError|ConfigError|InvalidArgument|NotFinite|SpokenError<[^>]*>|"
                  r"words|Phrase|noted|fail_?|refuse|refuse_others|must_agree|listed|first_three|"
                  r"say_error|check_memory|stop_at)|->check)\s*\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FROM_THE_SYSTEM = {os.strerror(code) for code in errno.errorcode}
# live/translation.cpp says this.
OF_THE_LIVE_PAGE = {"the model's output is not finite for this sentence"}
A_NAME = {"--tokenizer bpe"}  # of what a program without SentencePiece lacks


def is_english(line: str) -> bool:
    """Beside the names of commands and flags, with their values."""
    return not line.startswith("用法") and bool(
        SENTENCE.search(re.sub(r"`[^`]*`|--[a-z-]+ \w+", "", line)))


# What is typed after the program, a blank between two arguments.
ERRORS = (
    "--sead 1", "--seed", "--seed x", "--seed -1", "--seed ", "--seed 1 --seed 2", "--seed --out",
    "--seed 99999999999999999999", "--threads 0", "--threads 300", "--device tpu", "--zzzzzzzzzzzz",
    "--arithmetic exact", "--language de", "nonsense", "--section 0", "--section 99",
    "--section 1 --trace-page /proc/no/such", "--out /proc/self/none --section 1",
)
ERRORS_OF = {
    "01_embedding": ("--layout none", "--d-model 3"),
    "02_attention": ERRORS,
    "03_layer_norm": ("--layers 1",),
    "07_transformer": (
        *ERRORS, "translate", "train --section 1", "train --updates 1", "train --updates 1.5",
        "train --updates -1", "train --tokenizer x",
        "train --out m --src no.en --tgt no.zh --updates 1",
        "train --out m --src no.en --updates 1", "train --out m --src a --pairs b --updates 1",
        "train --out m --pairs b --updates 1", "train --out m",
        "train --out m --resume --updates 1", "train --out m --heads 3 --updates 1",
        "train --out m --precision bf16 --updates 1", "evaluate --model nowhere --src no --tgt no"),
    "08_transformer_xl": (
        *ERRORS, "train --text no --out m --updates 1", "generate",
        "train --out m --equal-parameters --updates 1",
        "train --out m --kind lstm --memory 8 --updates 1",
        "train --out m --same-length --memory 0 --updates 1",
        "train --out m --cutoffs 9,3 --updates 1", "ablation --out m --text no",
        "speed --lengths x"),
    "09_since_2017": (
        "generate", "generate --model nowhere", "tokens --model x --text y",
        "generate --model x --length 0", "generate --model x --top-p 2", "ablation --text no",
        "ablation --text no --valid no", "ablation --text no --valid no --heads 3",
        "ablation --text no --valid no --key-value-heads 3"),
    "12_many_machines": ("measure", "measure --runs 0"),
    "bench": (
        "", "train --preset huge", "xl --preset huge", "xl --dropout 1",
        "decode --no-cache --beam 2", "xl --count", "steps", "roofline --runs 0",
        "products --rows x"),
}


TINY = ("--d-model", "16", "--d-ff", "32", "--heads", "2", "--layers", "1", "--peak-size", "16")
BENCHES = (("train", "--preset", "toy", *TINY, "--steps", "2"),
    ("decode", "--preset", "toy", *TINY, "--runs", "1"),
    ("decode", "--preset", "toy", *TINY, "--runs", "1", "--no-cache"),
    ("ops", "--preset", "toy", *TINY, "--steps", "1"),
    ("xl", *TINY, "--steps", "1", "--batch", "2", "--ops"),
    ("train", "--preset", "toy", *TINY, "--device", "cuda-emulated", "--count"),
    ("steps", "--device", "cuda-emulated"),
    ("scaling", "--preset", "toy", *TINY[:-2], "--steps", "1", "--batches", "2", "--layer-counts",
     "1", "--lengths", "5", "--threads", "2"),
    ("roofline", "--runs", "1", "--rows", "64", "--mib", "1"),
    ("products", "--rows", "1,64", "--rounds", "1", "--quick", "--all"),
    ("products", "--rows", "1", "--rounds", "1", "--quick", "--arithmetic", "same"),
    ("translate", "--model", str(GOLDEN / "model_word"), "--src",
     str(GOLDEN / "model_word/source.txt"), "--runs", "1", "--length", "2"), )
RARE = {"few rows",  # where OpenBLAS takes them all
        "warning: cached and plain decoding differ (near-ties?)",
        "{1} rows x {2}x512"}  # half of --rows, which then has but 32


def arguments(text: str, opening: int) -> str:
    """What stands between the bracket at `opening` and the one that closes it."""
    depth, at = 0, opening
    while at < len(text):
        literal = LITERAL.match(text, at)
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening:at]
        at = literal.end() if literal else at + 1
    raise AssertionError("a bracket that nothing closes")


def said_in_errors() -> dict[str, str]:
    """Each literal of a message in the sources: where it stands."""
    said = {}
    for folder in ("common", "chapters", "bench"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if {"exercises", "gpu", "cuda", "plot", "seeing"} & set(path.relative_to(ROOT).parts):
                continue
            text = re.sub(r"^ *//.*$|  // .*$", "", read(path), flags=re.M)
            text = re.sub(r'"\s*\n\s*"', "", text)
            parts = [arguments(text, call.end() - 1) for call in CALL.finditer(text)
                     if call[0] != "words(" or path.parent.name != "experiments"]  # of a chart
            if path.name == "json_object.hpp":
                parts = [text]
            for literal in LITERAL.findall("\n".join(parts)):
                said[re.sub(r"\\(.)", r"\1", literal)] = str(path.relative_to(ROOT))
    return said


class Programs(WithFolder):
    def run_program(self, name: str, *words: str, locale: str = "zh_CN.UTF-8", keys: str = "",
                    **variables: str):
        usual = {name: text for name, text in os.environ.items() if "OPENBLAS_" not in name}
        environment = {**usual, "LC_ALL": locale, "XF_KEYS": keys, **variables}
        return subprocess.run([BIN / name, *words], cwd=self.folder, env=environment,
                              capture_output=True, timeout=120, encoding="utf-8")

    def commands(self, name: str) -> list[tuple[str, ...]]:
        """Nothing, and each subcommand."""
        english = self.run_program(name, "--help", locale="C.UTF-8").stdout
        self.assertNotRegex(english, HAN)
        found = re.findall(r"^  (\w+) ", english.partition("Subcommands:")[2], re.M)
        return [(), *((command,) for command in found)]

    def test_no_line_of_help_is_english_and_every_entry_is_asked_for(self):
        asked: set[str] = set()
        for name in PROGRAMS:
            for command in self.commands(name):
                with self.subTest(name=name, command=command), \
                        tempfile.NamedTemporaryFile("r", encoding="utf-8") as keys:
                    answer = self.run_program(name, *command, "--help", keys=keys.name)
                    asked.update(keys.read().split("\n"))
                    self.assertEqual((0, ""), (answer.returncode, answer.stderr))
                    self.assertEqual([], [line for line in answer.stdout.splitlines()
                                          if is_english(line)])
                    means = re.findall(r"^  -\S.*?(?:  +|\n {20,})(\S.*)$", answer.stdout, re.M)
                    self.assertGreater(len(means), 0)
                    self.assertEqual([], [line for line in means if not HAN.search(line)])
        said = read("common/plot/explorer.cpp")  # of a long text
        mine = {key for key in CATALOGUE if f'"{key.split("{")[0]}' not in said} - {"error: "}
        self.assertEqual([], sorted(mine - asked), "common/program.zh.po: no program says this")

    def test_what_bench_prints_is_chinese_and_every_entry_is_asked_for(self):
        asked: set[str] = set()
        for words in BENCHES:
            with self.subTest(words), tempfile.NamedTemporaryFile("r", encoding="utf-8") as keys:
                answer = self.run_program("bench", *words, keys=keys.name,
                                          OPENBLAS_L2_SIZE="1000000")
                asked.update(keys.read().split("\n"))
                self.assertEqual(0, answer.returncode, answer.stderr)
                if not {"--count", "steps"} & set(words):  # which take no times
                    self.assertRegex(answer.stderr,
                                     "^警告：OPENBLAS_L2_SIZE=1000000 [^a-z]*OpenBLAS")
                lines = [line for line in answer.stdout.splitlines() if not line.startswith("{")]
                self.assertEqual([], [line for line in lines if SENTENCE.search(line)])
                self.assertTrue(any(HAN.search(line) for line in lines), answer.stdout)
                english = self.run_program("bench", *words, locale="C.UTF-8")
                self.assertNotRegex(english.stdout + english.stderr, HAN)
        entries_of_bench = set(entries(ROOT / "bench" / "zh.po"))
        self.assertEqual([], sorted(entries_of_bench - asked - RARE),
                         "bench/zh.po: bench does not say this")

    def test_the_columns_of_bench_stand_below_their_headings(self):
        words = BENCHES[4]
        for locale in ("zh_CN.UTF-8", "C.UTF-8"):
            lines = self.run_program("bench", *words, locale=locale).stdout.splitlines()
            wide = set(map(columns_of, lines[:3]))
            self.assertEqual({66}, wide, lines)

    def test_the_meanings_of_flags_stand_in_one_column(self):
        for line in self.run_program("02_attention", "--help").stdout.splitlines():
            flag = re.match(r"  -\S.*?  +(?=\S)", line)
            if flag:
                self.assertEqual(30, columns_of(flag[0]), line)

    def test_no_error_is_english(self):
        for name, commands in ERRORS_OF.items():
            for typed in commands:
                with self.subTest(name=name, typed=typed):
                    words = typed.split(" ") if typed else []
                    answer = self.run_program(name, *words)
                    self.assertEqual(2, answer.returncode)
                    self.assertTrue(answer.stderr.startswith("错误："), answer.stderr)
                    self.assertEqual(1, answer.stderr.count("\n"))
                    self.assertFalse(is_english(answer.stderr), answer.stderr)
                    self.assertRegex(answer.stderr[3:], HAN)
                    english = self.run_program(name, *words, locale="C.UTF-8")
                    self.assertTrue(english.stderr.startswith("error: "), english.stderr)
                    self.assertNotRegex(english.stderr, HAN)

    def test_a_flag_goes_before_the_locale(self):
        for locale, flag, chinese in (("C.UTF-8", "zh", True), ("zh_CN.UTF-8", "en", False)):
            answer = self.run_program("02_attention", "--language", flag, "--help", locale=locale)
            self.assertEqual(chinese, bool(HAN.search(answer.stdout)))
            answer = self.run_program("02_attention", f"--language={flag}", "--sead", locale=locale)
            self.assertEqual(chinese, bool(HAN.search(answer.stderr)))


class Messages(unittest.TestCase):
    maxDiff = None

    def test_what_the_sources_say_in_errors_has_an_entry(self):
        known = {**MESSAGES, **CATALOGUE}
        for po in [ROOT / "common/zh.po", ROOT / "bench/zh.po", *ROOT.glob("chapters/*/zh.po")]:
            known.update(entries(po))
        missing = {key: path for key, path in said_in_errors().items()
                   if SAID.search(key) and key not in known and key not in A_NAME}
        self.assertEqual([], [f"{path}: {key}" for key, path in missing.items()],
                         "common/errors.zh.po lacks these")

    def test_every_entry_is_something_that_the_sources_say(self):
        self.assertEqual(set(), set(MESSAGES) - set(said_in_errors()) - FROM_THE_SYSTEM
                         - OF_THE_LIVE_PAGE,
                         "common/errors.zh.po: nothing says these")


COMMAND_LINE = re.compile(r" *(\./learn |sudo |apt-get |python3 |out/|pip |cmake "
                          r"|xcode-select|brew )")


class Learn(unittest.TestCase):
    """What `./learn` itself says. Records of other machines, which `matrix`, `digits` and the
    checks of a GPU keep, are English, and so are the authors' complaints about pages."""

    TOOLS = ("book/live", "book/live_file", "book/recorded", "book/site", "book/site_book",
             "book/site_sphinx", "checks/claims", "checks/digits", "checks/matrix", "checks/long",
             "checks/run_tests", "corpora/catalogue", "corpora/commands", "corpora/download",
             "corpora/splits", "corpora/unpack", "doctor", "lessons", "setup", "speed/bench",
             "speed/bench_report", "speed/bench_torch", "terminal")
    REFUSING = ("learn", "exercises/commands", "exercises/build", "exercises/manifest",
                "grading/grade", "grading/results", "grading/sandbox")  # of these only what stops
    SAYING = {"say", "say_seconds", "row", "Stop", "said", "column", "offered", "timed", "Doing"}
    RECORDS = {("checks/matrix", "say"), ("checks/digits", "say"), ("checks/digits", "timed")}

    def said_by(self, tool: str) -> set[str]:
        found: set[str] = set()
        tree = ast.parse(read(f"tools/{tool}.py" if tool != "learn" else tool))
        saying = {"Stop"} if tool in self.REFUSING else self.SAYING
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in saying and (tool, name) not in self.RECORDS:
                for argument in call.args:
                    found.update(text_of(argument, lambda node: str(getattr(
                        grade, getattr(node, "id", ""), "7"))).split("\n"))
        return {line for line in found if SENTENCE.search(line)}

    def test_every_line_that_it_says_has_an_entry(self):
        for tool in (*self.TOOLS, *self.REFUSING):
            with self.subTest(tool):
                lines = [line for line in sorted(self.said_by(tool)) if in_chinese(line) == line]
                self.assertEqual([], [line for line in lines if not COMMAND_LINE.match(line)])

    def test_a_refusal_is_a_line_in_the_language_of_the_terminal(self):
        for typed in ("bench --nonsense", "bench --threads", "bench --threads x", "bench --pairs 0",
                      "bench --quick=1", "docs --record none", "site --nonsense", "test --nonsense",
                      "test --preset no", "test --long no", "docs --nonsense",
                      "docs --translated no", "docs --check --record digits", "live", "grade",
                      "grade --sandbox no", "try --no", "doctor x", "data x", "nonsense",
                      "try 99-99", "try 04", "try 9", "try 1-1 1-2", "reset", "solution 99-99",
                      "list foo", "tets", "chapter", "chapter 13"):
            with self.subTest(typed):
                answers = [learn(*typed.split(" "), env={**os.environ, "LC_ALL": locale})
                           for locale in ("zh_CN.UTF-8", "C.UTF-8")]
                for answer in answers:
                    self.assertEqual((2, ""), (answer.returncode, answer.stdout))
                chinese, english = (answer.stderr for answer in answers)
                self.assertRegex(chinese.splitlines()[0], HAN)
                chinese = chinese.replace("learn: ", "").replace("./learn ", "./")
                self.assertNotRegex(chinese, SENTENCE)
                self.assertRegex(english, "^learn: ")
                self.assertNotRegex(english, HAN)

    def test_doctor_and_data_speak_chinese(self):
        for command in ("doctor", "data"):
            answer = learn(command, env={**os.environ, "LC_ALL": "zh_CN.UTF-8"})
            self.assertEqual("", answer.stderr)
            ours = [line for line in answer.stdout.splitlines() if not re.search(
                r"https?://|\d\.\d|pip download|apt-get|cmake --preset|OpenBLAS|data", line)]
            self.assertEqual([], [line for line in ours if is_english(line)])
            self.assertGreater(sum(bool(HAN.search(line)) for line in ours), 4)


if __name__ == "__main__":
    unittest.main()
