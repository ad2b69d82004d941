#!/usr/bin/env python3
"""`./learn mine`: the drawings show what is the learner's, each part has its place in them, and the
programs that are made of all solutions are the book's, but for rounding."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.book import whole  # noqa: E402
from tools.book import index_page, live_file  # noqa: E402
from tools.exercises import (boxes, build, history, manifest, own_page,  # noqa: E402
                             own_parts, variants)
from tools.exercises.boxes import BOXES  # noqa: E402
from tools.terminal import BIN, OUT, Stop  # noqa: E402

LEVEL = "-O1"  # compiling and running together take least
MODELS = ROOT / "tests/golden/published"
GGUF = ROOT / "tests/golden/gguf/llama.gguf"


def shown(own: set[str], zh: bool = False) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        boxes.draw(own, zh)
    return text.getvalue()


class Drawing(unittest.TestCase):
    def test_every_part_is_an_exercise_and_stands_in_a_box(self):
        known = {exercise.id for exercise in manifest.manifest()}
        boxed = {exercise for box in BOXES.values() for exercise in box.exercises}
        self.assertEqual(boxed, set(own_parts.assignments()))
        self.assertLessEqual(boxed, known)

    def test_every_box_of_the_page_is_drawn(self):
        for published, chapter in ((False, None), (True, whole.SINCE_2017)):
            drawing = whole.svg(ROOT, chapter)
            for box in boxes.boxes(published):
                for part in box.parts:
                    self.assertIn(f'data-part="{part}"', drawing)
        drawn = [part for box in boxes.boxes(False) for part in box.parts]
        self.assertEqual(len(drawn), len(set(drawn)))
        self.assertEqual({box.name for box in boxes.boxes(True)}, set(boxes.PUBLISHED_ROWS) - {"-"})

    def test_a_box_is_lit_when_all_of_it_is_there(self):
        self.assertNotIn("[x]", shown(set()))
        self.assertNotIn("[~]", shown(set()))
        half, full = shown({"03-01"}), shown({"03-01", "03-02"})
        self.assertEqual((5, 0), (half.count("[~] add & norm"), half.count("[x]")))
        self.assertEqual((0, 5), (full.count("[~]"), full.count("[x] add & norm")))
        self.assertNotIn("[ ]", shown(set(own_parts.assignments())))

    def written(self, *of_each: set[str]) -> list[str]:
        """The page for each of these parts; out/index.html is there, too."""
        with tempfile.TemporaryDirectory() as place, \
                mock.patch.object(own_page, "OUT", Path(place)), \
                mock.patch.object(index_page, "OUT", Path(place)), \
                mock.patch.object(manifest, "PROGRESS", Path(place) / "progress.json"):
            self.index = Path(place) / "index.html"
            self.index.write_text("<!-- mine --><!-- /mine -->", encoding="utf-8")
            pages = [own_page.write(own).read_text(encoding="utf-8") for own in of_each]
            self.linked = self.index.read_text(encoding="utf-8")
        return pages

    def test_the_page_has_the_same_boxes_lit(self):
        lit = 'fill-opacity="0.2"'
        none, norms, half, heads = self.written(set(), {"03-01", "03-02"}, {"09-03"},
                                                {"09-03", "09-05"})
        self.assertEqual([0, 2 * 5], [none.count(lit), norms.count(lit)])  # in two languages
        self.assertEqual([0, 2], [half.count(lit), heads.count(lit)])  # one box there, two here
        self.assertIn("<b>03-02</b>", norms)
        self.assertIn('<span lang="zh-CN">相加与归一化</span>', norms)

    def test_the_page_of_everything_links_to_it_and_says_how_far_it_is(self):
        self.written({"01-01", "01-03"})
        count = len(BOXES)
        self.assertIn('href="mine/index.html"', self.linked)
        self.assertIn(f"1 of {count} boxes are yours", self.linked)
        self.assertIn(f"{count} 个方框中有 1 个是你写的", self.linked)
        self.written(set(), {"01-02", "01-01", "01-03"})  # what it said before is replaced
        self.assertEqual(1, self.linked.count("boxes are yours"))
        self.assertIn(f"2 of {count} boxes", self.linked)

    def test_every_line_is_as_wide_in_both_languages(self):
        for zh in (False, True):
            rows = [line for line in shown(set(), zh).splitlines() if "|" in line or "+-" in line]
            self.assertEqual({2 + boxes.COLUMN, 2 + 2 * boxes.COLUMN},
                             {boxes.columns_of(line) for line in rows})

    def test_what_comes_next_lights_a_box(self):
        own, order = set(), []
        for _ in own_parts.assignments():
            box, missing = boxes.next_box(own) or (None, [])
            if not box:
                break
            own |= set(missing)
            order.append(box)
            self.assertEqual(2, boxes.light_of(box, own))
        self.assertEqual(set(own_parts.assignments()), own)
        self.assertIsNone(boxes.next_box(own))
        self.assertEqual(boxes.boxes(True), order[-len(boxes.boxes(True)):])

    def test_of_two_boxes_the_one_that_is_begun_comes_next(self):
        own = {"01-01", "01-03", "07-01"}  # of `loss`; `positions` lacks as few
        box, missing = boxes.next_box(own)
        self.assertEqual(("loss", ["07-04"]), (box.name, missing))
        published = set().union(*(box.exercises for box in boxes.boxes(True)))
        last = max(published - set().union(*(box.exercises for box in boxes.boxes(False))))
        self.assertIn(boxes.next_box(own, last)[0], boxes.boxes(True))
        self.assertIn(boxes.next_box(own, "07-01")[0], boxes.boxes(False))

    def test_a_part_is_the_learners_while_its_file_passes_as_it_is(self):
        with tempfile.TemporaryDirectory() as place:
            answer = Path(place) / "answer.cpp"
            exercise = manifest.find("03-01", manifest.manifest())
            with mock.patch.object(manifest.Exercise, "answer", answer), \
                    mock.patch.object(manifest, "PROGRESS", Path(place) / "progress.json"), \
                    mock.patch.object(manifest, "OUT", Path(place)):
                self.assertEqual([], own_parts.own_parts([exercise]))
                answer.write_text("// mine\n")
                self.assertEqual([], own_parts.own_parts([exercise]))
                manifest.remember(exercise, passed=exercise.as_it_is)
                self.assertEqual([exercise], own_parts.own_parts([exercise]))
                other = variants.of(exercise, variants.read(exercise.path)[0][0])
                manifest.remember(other, passed=other.as_it_is)
                self.assertEqual([], own_parts.own_parts([other]))
                answer.write_text("// changed\n")
                self.assertEqual([], own_parts.own_parts([exercise]))


class History(unittest.TestCase):
    def test_a_station_is_reached_by_its_exercises_alone(self):
        own: set[str] = set()
        for number, station in enumerate(history.STATIONS):
            self.assertLess(boxes.light_of(station, own), 2, station.command)
            own |= set(station.exercises)
            self.assertEqual("[x]", history.line(own).split("-")[number])
        self.assertEqual("-".join(["[x]"] * len(history.STATIONS)), history.line(own))
        self.assertEqual(set(own_parts.assignments()), own)

    def test_each_has_a_command_and_a_line_of_80_columns(self):
        for zh in (False, True):
            text = io.StringIO()
            with contextlib.redirect_stdout(text), mock.patch.object(
                    history, "passing", lambda _: {"01-01", "01-03", "02-01"}):
                self.assertEqual(0, history.show(zh))
            lines = text.getvalue().splitlines()
            for line, station in zip(lines, history.STATIONS):
                self.assertLessEqual(boxes.columns_of(line), 80)
                self.assertIn(f"{station.year}  ", line)
                self.assertTrue(line.endswith(f"./learn mine {station.command}"), line)
                self.assertIn(station.command, own_parts.COMMANDS)
            self.assertEqual(["[x]", "[~]"], [line.strip()[:3] for line in lines[:2]])
            self.assertIn("./learn task 02-05", lines[-1])


class Arguments(unittest.TestCase):
    def test_the_page_is_that_of_the_learners_model(self):
        with tempfile.TemporaryDirectory() as place, \
                mock.patch.object(own_parts, "MODEL", Path(place)), \
                mock.patch.object(live_file, "main", lambda typed: typed):
            usual = own_parts.main(["page"])
            named = own_parts.main(["page", "--model", "x", "--out", "y.html", "--zh"])
        there = os.path.relpath(place)
        self.assertEqual(["--out", str(own_parts.PAGE), "--model", there, "--en"], usual)
        self.assertEqual(["--model", "x", "--out", "y.html", "--zh"], named)
        with mock.patch.object(own_parts, "MODEL", Path(place)):
            with self.assertRaisesRegex(
                    Stop, "you have not trained a model yet\n.*learn mine train"):
                own_parts.main(["page"])

    def test_a_training_has_the_little_language_unless_it_is_told_otherwise(self):
        flags = own_parts.training_flags(["--updates", "5"])
        self.assertEqual("5", flags[flags.index("--updates") + 1])
        self.assertEqual(1, flags.count("--updates"))
        self.assertIn("--valid-pairs", flags)
        self.assertNotIn("--valid-pairs", own_parts.training_flags(["--pairs=x.tsv"]))
        resumed = own_parts.training_flags(["--resume"])
        self.assertIn("--valid-pairs", resumed)
        self.assertNotIn("--updates", resumed)

    def test_a_sentence_is_what_is_no_flag(self):
        for typed, sentences in ((["a b", "--beam", "2", "c", "--seed=3"], ["a b", "c"]),
                                 (["--beam", "4", "4"], ["4"]), (["--trace", "a"], ["a"]),
                                 (["--trace-page", "x.html", "a", "-h"], ["a"])):
            found, others = own_parts.split_words(typed)
            self.assertEqual(sentences, found)
            self.assertEqual(len(typed), len(found + others))
        self.assertEqual(["--trace-page", "x.html", "-h"], others)

    def test_a_published_model_is_named_or_fetched(self):
        self.assertEqual(["--model", "x"], own_parts.with_model("generate", ["--model", "x"]))
        self.assertEqual(["--help"], own_parts.with_model("generate", ["--help"]))
        with tempfile.TemporaryDirectory() as place, \
                mock.patch.object(own_parts, "PUBLISHED_MODEL", Path(place)):
            self.assertEqual(["--model", os.path.relpath(place), "--greedy"],
                             own_parts.with_model("generate", ["--greedy"]))
        with mock.patch.object(own_parts, "PUBLISHED_MODEL", Path(place)):
            with self.assertRaisesRegex(
                    Stop, "no model, use --model DIR\n.*learn data get smollm2"):
                own_parts.with_model("generate", [])

    def test_whose_the_parts_are_is_said(self):
        own = sorted((e for e in manifest.manifest() if e.id in solutions(False)),
                     key=lambda exercise: exercise.id)
        norm = [manifest.find("09-04", manifest.manifest())]
        for some, published, said in (([], False, "0 of 29 are yours\n"),
                                      (own[:1], False, "1 of 29 are yours: 00-04\n"),
                                      (own[1:], False, "28 of 29 are yours, all but 00-04\n"),
                                      (own, False, "29 of 29 are yours\n"),
                                      (norm, True, "1 of 6 are yours: 09-04\n")):
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                own_parts.say_parts(some, published, False)
            self.assertEqual(f"  parts     {said}", text.getvalue())

    def test_a_command_has_its_own_help(self):
        for command, flag in (("", "history: six stations"), ("page", "--model"),
                              ("translate", "--beam")):
            if command != "translate" or (BIN / "mine").exists():
                answer = subprocess.run([sys.executable, ROOT / "learn", "mine", *command.split(),
                                         "--help"], stdout=subprocess.PIPE, text=True)
                self.assertEqual(0, answer.returncode)
                self.assertIn(flag, answer.stdout)

    def test_another_command_is_refused(self):
        with self.assertRaisesRegex(Stop, "mine: 'fly' is not one of train"):
            own_parts.main(["fly"])


class Models(unittest.TestCase):
    """Where `mine train` leaves the model, and the one before."""

    WEIGHTS, STATE = "model.safetensors", "checkpoint.safetensors"

    def setUp(self):
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        names = ("model", "before", "aside")
        self.enterContext(mock.patch.multiple(
            own_parts, built=lambda: BIN / "mine", own_parts=lambda _: [],
            make_language=lambda _: None, **{name.upper(): self.place / name for name in names}))
        self.enterContext(contextlib.redirect_stderr(io.StringIO()))
        self.model = self.place / "model"

    def there(self) -> dict[str, str]:
        """The folders, and the text of a file in each."""
        return {folder.name: min(folder.iterdir()).read_text()
                for folder in sorted(self.place.iterdir())}

    def train(self, text: str = "", *files: str, words: tuple[str, ...] = ()) -> dict[str, str]:
        """What is there while the program runs, which leaves these files with this text."""
        def program(*_) -> int:
            seen.update(self.there())
            for name in files:
                self.model.mkdir(exist_ok=True)
                (self.model / name).write_text(text)
            return 0

        seen = {}
        with mock.patch.object(own_parts, "run_here", program):
            own_parts.main(["train", *words])
        return seen

    def test_a_trained_model_becomes_the_one_before(self):
        for text in "abc":
            self.train(text, self.WEIGHTS, self.STATE)
        self.assertEqual({"before": "b", "model": "c"}, self.there())

    def test_what_is_refused_changes_nothing(self):
        for text in "ab":
            self.train(text, self.WEIGHTS, self.STATE)
        self.assertEqual({"aside": "b", "before": "a"}, self.train())
        self.train("late", "config.json")
        self.assertEqual({"before": "a", "model": "b"}, self.there())
        self.assertEqual({"before": "a", "model": "b"}, self.train(words=("--resume",)))

    def test_what_was_interrupted_can_go_on_and_never_becomes_the_one_before(self):
        self.train("a", self.WEIGHTS, self.STATE)
        self.train("b", self.STATE)
        self.assertEqual({"before": "a", "model": "b"}, self.train(words=("--resume",)))
        self.train()  # refused
        self.assertEqual({"before": "a", "model": "b"}, self.there())
        self.train("c", self.STATE)
        self.assertEqual({"before": "a", "model": "c"}, self.there())

    def test_a_training_that_runs_is_not_disturbed(self):
        for files, former in ((["lock"], "aside"), (["lock", self.STATE], "before")):
            self.train("a", self.WEIGHTS, self.STATE)
            self.model.replace(self.place / "aside")
            self.model.mkdir()
            for name in files:
                (self.model / name).write_text("b")
            self.assertEqual({former: "a", "model": "b"}, self.train())
            self.assertEqual({former: "a", "model": "b"}, self.there())
            for folder in self.place.iterdir():
                shutil.rmtree(folder)

    def test_the_program_leaves_nothing_where_it_refuses(self):
        if not (BIN / "mine").exists():
            self.skipTest("the program is not built")
        self.train("a", self.WEIGHTS, self.STATE)
        with mock.patch.object(own_parts, "run_here", lambda words, environment, _: subprocess.run(
                words, env=environment, capture_output=True).returncode):
            for wrong in (("--update", "50"), ("--pairs", "none.tsv"), ("--heads", "3")):
                self.assertEqual(2, own_parts.main(["train", *wrong]))
                self.assertEqual({"model": "a"}, self.there())


def solutions(published: bool, but: dict[str, Path] = {}, without: str = "") -> dict[str, Path]:
    """The file of each part of a model: the solution, but for those that are named."""
    ids = {exercise for box in boxes.boxes(published) for exercise in box.exercises}
    return {exercise.id: but.get(exercise.id, exercise.published)
            for exercise in manifest.manifest() if exercise.id in ids - {without}}


def run(files: dict[str, Path], *arguments, given: str = "") -> subprocess.CompletedProcess:
    """The program with these files as parts."""
    with contextlib.redirect_stdout(io.StringIO()):
        parts = own_parts.libraries(files, False, LEVEL)
    return subprocess.run([own_parts.built(), *map(str, arguments)], input=given,
                          env=own_parts.environment(parts, LC_ALL="C.UTF-8"), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def compared(files: dict[str, Path], *arguments) -> subprocess.CompletedProcess:
    """What `mine compare` says of a model with these files as parts."""
    with tempfile.TemporaryDirectory() as place:
        return run(files, "compare", "--out", place, *arguments)


def with_mistake(exercise: manifest.Exercise, mistake, place: str) -> Path:
    path = Path(place) / f"{exercise.id}-{mistake.name}.cpp"
    path.write_text(mistake.source(exercise.published), encoding="utf-8")
    return path


class WithSolutions(unittest.TestCase):
    def setUp(self):
        if own_parts.built().parent != BIN:
            self.skipTest("parts are compiled as the release is")


class Lessons(WithSolutions):
    """Of the stations, those that are a section of a lesson: its findings, by the learner."""

    def found(self, files: dict[str, Path], command: str) -> str:
        with tempfile.TemporaryDirectory() as place:
            answer = run(files, command, "--out", place)
        self.assertEqual(0, answer.returncode, answer.stderr)
        return answer.stdout

    def test_letters_are_counted_by_the_learners_gradient(self):
        some = {one: solutions(False)[one] for one in ("01-01", "01-03")}
        self.assertIn("from 3.40 to 2.16", self.found(some, "letters"))
        exercise = manifest.find("01-03", manifest.manifest())
        with tempfile.TemporaryDirectory() as place:
            wrong = {"01-03": with_mistake(exercise, exercise.mistakes[0], place)}
            with tempfile.TemporaryDirectory() as out:
                self.assertNotEqual(0, run(wrong, "letters", "--out", out).returncode)

    def test_every_one_speaks_chinese(self):
        for command in history.LESSONS:
            with self.subTest(command), tempfile.TemporaryDirectory() as place:
                answer = run({}, command, "--language", "zh", "--out", place)
                self.assertEqual((0, ""), (answer.returncode, answer.stderr))
                self.assertRegex(answer.stdout, "(?m)^=> .*[一-鿿]{2}")

    def test_games_are_told_apart_by_the_learners_encoder(self):
        self.assertIn("alone 游戏 (1.00), with Beijing 比赛 (1.00)",
                      self.found(solutions(False), "games"))


class Model(WithSolutions):
    def test_all_solutions_make_the_books_model_and_a_mistake_is_named(self):
        answer = compared(solutions(False), "--updates", "3")
        self.assertEqual(0, answer.returncode, answer.stdout)
        self.assertIn("all of them agree with the book's, but for rounding", answer.stdout)
        self.assertIn("of the maximum (just rounding)", answer.stdout)
        apart = float(re.search(r"at most (\S+) apart", answer.stdout)[1])
        self.assertLessEqual(apart, 1e-5, answer.stdout)
        with tempfile.TemporaryDirectory() as place:
            wrong = {one: with_mistake(exercise, exercise.mistakes[0], place)
                     for one in ("03-02", "01-02")
                     for exercise in (manifest.find(one, manifest.manifest()),)}
            answer = compared({**wrong, "07-06": solutions(False)["07-06"]}, "--updates", "1")
        self.assertEqual(1, answer.returncode, answer.stdout)
        self.assertIn("not just rounding", answer.stdout)
        self.assertRegex(answer.stdout,
                         r"(?s)each part by itself:\n  03-02  update 1, the gradient of.*\n"
                         r"  01-02  update 1, the loss")
        self.assertNotIn("07-06", answer.stdout)


class Libraries(unittest.TestCase):
    def test_what_was_compiled_before_goes_but_not_what_is_in_use(self):
        with tempfile.TemporaryDirectory() as name:
            for number in range(6):
                made = Path(name) / str(number)
                made.mkdir() if number % 2 else made.write_bytes(b"")
                os.utime(made, (number, number))
            build.forget_all_but(4, Path(name).iterdir())
            self.assertEqual({"2", "3", "4", "5"}, {path.name for path in Path(name).iterdir()})


class Pieces(WithSolutions):
    """07-08 cuts the words of `--tokenizer bpe`."""

    PAIRS = "low\t低 低\nlower\t更低\nthe newest\t最新\nthe widest\t最宽\n" * 3

    def test_a_vocabulary_is_learned_and_read_again(self):
        own = {"07-08": solutions(False)["07-08"]}
        with tempfile.TemporaryDirectory() as name:
            pairs, model = Path(name) / "pairs.tsv", Path(name) / "model"
            pairs.write_text(self.PAIRS, encoding="utf-8")
            flags = own_parts.training_flags(
                ["--pairs", str(pairs), "--out", str(model), "--tokenizer", "bpe", "--vocab", "300",
                 "--updates", "150", "--warmup", "20", "--valid-every", "1000"])
            answer = run(own, "train", *flags)
            self.assertEqual(0, answer.returncode, answer.stderr)
            merges = (model / "source.model").read_bytes().split(b"\n")
            self.assertEqual(b"byte pairs of exercise 07-08", merges[0])
            self.assertIn(b"est </w>", merges)
            self.assertLessEqual(len(merges), 300 - 261 + 2)
            step = solutions(False)["06-03"]  # which keeps the past of a translation
            for files in (own, {**own, "06-03": step}):
                translated = self.translated(files, model)
                self.assertEqual((0, "更低\n最新\n"), (translated.returncode, translated.stdout))
            forgets = Path(name) / "forgets.cpp"
            forgets.write_text(step.read_text("utf-8").replace(
                "  return attention(x, past, {});",
                "  const Tensor y = attention(x, past, {});\n  past = {};\n  return y;"), "utf-8")
            whole = {"07-08": self.without_merges(name)}
            for files, said in (({}, "source.model: these pieces come from your 07-08"),
                                ({**own, "06-03": forgets}, "your 06-03 stopped: its cache has"),
                                (whole, "your 07-08 stopped: 'lower")):
                answer = self.translated(files, model)
                self.assertEqual(2, answer.returncode, answer.stderr)
                self.assertIn(said, answer.stderr)
            other = {"300": "260", str(model): str(model) + "2"}
            answer = run(own, "train", *[other.get(word, word) for word in flags])
        self.assertIn("your 07-08 begins with 261 pieces", answer.stderr)

    def translated(self, files: dict[str, Path], model: Path) -> subprocess.CompletedProcess:
        return run(files, "translate", "--model", model, "--beam", "1", given="lower\nthe newest\n")

    def without_merges(self, folder: str) -> Path:
        """Each word is one piece."""
        path, text = Path(folder) / "whole.cpp", solutions(False)["07-08"].read_text("utf-8")
        head, mark, _ = text.partition("Pieces apply_merges(")
        path.write_text(head + mark + "const std::string& word, const std::vector<Merge>&) {\n"
                        "  return {word.substr(3)};\n}\n}\n", encoding="utf-8")
        return path


class TraceOfParts(WithSolutions):
    def test_it_has_the_lines_of_the_learners_files(self):
        own = {part: solutions(False)[part] for part in ("02-01", "04-02")}
        with tempfile.TemporaryDirectory() as name:
            pairs = Path(name) / "pairs.tsv"
            pairs.write_text("a b\tc d\n", encoding="utf-8")
            flags = own_parts.training_flags(["--pairs", str(pairs), "--out", name + "/model",
                                              "--updates", "1", "--layers", "1", "--trace"])
            answer = run(own, "train", *flags)
        self.assertEqual(0, answer.returncode, answer.stderr)
        found = dict(re.findall(r"^ +\d+  ([a-z ]+).*\n.*\n +(solution/exercise.cpp:\d+  .*)$",
                                answer.stderr, re.M))
        for op, part, code in (("attention of parts", "02-01", " attention("),
                               ("relu", "04-02", "relu(before)")):
            line = int(re.search(r":(\d+) ", found[op])[1])
            there = own[part].read_text(encoding="utf-8").splitlines()[line - 1].strip()
            self.assertIn(code, there)
            self.assertTrue(found[op].endswith(there.partition("  //")[0]), found[op])


class Published(WithSolutions):
    """A published model."""

    def written(self, files: dict[str, Path], model: Path, prompt: str, length: int = 24) -> str:
        answer = run(files, "generate", "--model", model, "--prompt", prompt, "--length", length,
                     "--greedy")
        self.assertEqual(0, answer.returncode, answer.stderr)
        self.assertRegex(answer.stderr, r"a token   takes \S+ s with your parts, \S+ s with the")
        for part in files:
            self.assertIn(part if part != "09-06" else "to cut the prompt", answer.stderr)
        return answer.stdout

    def test_all_solutions_write_what_the_book_writes_and_so_do_all_but_one(self):
        for name in ("llama-plain", "qwen2-plain", "qwen3-plain"):
            wanted = json.loads((MODELS / name / "expected.json").read_text(encoding="utf-8"))
            for part in ("", *solutions(True)) if name == "llama-plain" else ("",):
                with self.subTest(name, without=part):
                    self.assertEqual(wanted["text"] + "\n",
                                     self.written(solutions(True, without=part), MODELS / name,
                                                  wanted["prompt"]))

    def test_the_pieces_of_one_file_and_a_model_that_is_there(self):
        models = [(GGUF, "Two cats sat on 3 mats.")]
        if (OUT / "data/smollm2").is_dir():
            models.append((OUT / "data/smollm2", "The capital of France is"))
        for model, prompt in models:
            book = subprocess.run([BIN / "09_since_2017", "generate", "--model", model, "--prompt",
                                   prompt, "--length", "8", "--greedy"], capture_output=True,
                                  check=True).stdout.decode()
            self.assertEqual(book, self.written(solutions(True), model, prompt, 8))

    def test_a_mistake_is_named_and_where_it_begins(self):
        answer = compared(solutions(True), "--model", MODELS / "llama-plain")
        self.assertEqual(0, answer.returncode, answer.stdout + answer.stderr)
        self.assertIn("greedy search writes the same 20 tokens", answer.stdout)
        self.assertNotIn("not just rounding", answer.stdout)
        exercise = manifest.find("09-04", manifest.manifest())
        with tempfile.TemporaryDirectory() as place:
            wrong = {"09-04": with_mistake(exercise, exercise.mistakes[0], place)}
            answer = compared(solutions(True, wrong), "--model", MODELS / "llama-plain")
        self.assertEqual(1, answer.returncode, answer.stdout)
        self.assertRegex(answer.stdout, r"  09-04  layers\.0\.attention_norm, off by \S+ of "
                         r"the maximum \(not just rounding\)")
        self.assertEqual(1, answer.stdout.count("not just rounding"))

    def test_what_is_wrong_in_a_part_is_one_line(self):
        with tempfile.TemporaryDirectory() as place:
            forgets = Path(place) / "forgets.cpp"
            text = solutions(True)["09-05"].read_text(encoding="utf-8")
            forgets.write_text(text.replace("  return y;\n", "  cache = Cache();\n  return y;\n"),
                               encoding="utf-8")
            answer = run({"09-05": forgets}, "generate", "--model", MODELS / "llama-plain",
                         "--prompt", "a b", "--greedy")
        self.assertEqual(2, answer.returncode, answer.stderr)
        self.assertIn("your 09-05 stopped: its cache has a different number of positions",
                      answer.stderr.splitlines()[-1])


def every_part_and_mistake() -> int:
    """Every part left out once, and every known mistake as a part: for `./learn test --long`."""
    failed = missed = named = 0
    for part in solutions(False):
        answer = compared(solutions(False, without=part), "--updates", "2", "--together")
        print(f"without {part}: exit code {answer.returncode}, "
              f"{''.join(re.findall('at most .* apart', answer.stdout))}", flush=True)
        failed += answer.returncode != 0 or "at most" not in answer.stdout
    for published in (False, True):
        flags = ("--model", MODELS / "llama-plain") if published else ("--updates", "1")
        for exercise in manifest.manifest():
            for mistake in exercise.mistakes if exercise.id in solutions(published) else ():
                with tempfile.TemporaryDirectory() as place:
                    answer = compared({exercise.id: with_mistake(exercise, mistake, place)}, *flags)
                lines = answer.stdout.partition("each part by itself:\n")[2].splitlines() or \
                    (answer.stdout + answer.stderr).splitlines()[-1:]
                named += answer.returncode != 0
                missed += answer.returncode == 0
                print(f"{exercise.id} {mistake.name}: {lines[0].strip() if lines else ''}",
                      flush=True)
    print(f"{named} mistakes are named, {missed} make no difference in the model; "
          f"{failed} models with a part left out do not run")
    return 1 if failed or named < 20 else 0


if __name__ == "__main__":
    if "--whole" in sys.argv:
        sys.exit(every_part_and_mistake())
    unittest.main()
