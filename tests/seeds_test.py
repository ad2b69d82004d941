#!/usr/bin/env python3
"""Does each paragraph of the documents behind the tutorial have its place, and does it exist?

docs/*/seeds.md names pages, files, commands, sections of lessons, tests and exercises. Links are
checked by the house test and by `pages`; here it is the commands and the rows: every command is run
as it is printed, and what a row names has to show what the row promises: the texts of SHOWS, and
the comparisons of HOLDS where it promises that something is more, less, higher or lower.
The programs are those in $XF_BIN, or those of the release build.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import terminal  # noqa: E402
from tools.book import pages, recorded  # noqa: E402
from tools.exercises import manifest  # noqa: E402

ROW = re.compile(r"^\| ([A-E]\d+!?) \| (.*) \|$", re.M)
SECTIONS = re.compile(r"(?<![\w./-])(\d)\.(\d+)(?:–(\d+))?(?![\w.])")
LESSON = re.compile(r"`\./learn chapter (\d)((?: --\S+(?: -?[\w-]+)?)+) --section (\d+)`")
COMMAND = re.compile(r"`\./learn chapter (\d) ([a-z]+)((?: [^`]+)?)`")
NAMED = re.compile(r"^- \*(\w+)\*(?:: |：)(`[^`]+`)$", re.M)
EXERCISE = re.compile(r"(?:exercise|练习) (\d\d-\d\d)")
TEST = re.compile(r"\[\w+_test\.\w+\]\(\.\./\.\./(tests/\S+)\) “([^”]+)”")
LINK = re.compile(r"\]\((\.\./\.\./[^)]+)\)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
REFUSED = ("--d-model 33",)  # what a row says to type in order to see it refused

# What the sections and commands of a row print, at least; one or several texts. Rows of tests and
# exercises alone are not among them.
SHOWS = {
    "A1": "of 1000 held-out sentences", "A2": "Decoding begins with the start symbol",
    "A3": "6 + 6 layers", "A4": "z = norm_2(y + FFN(y))",
    "A5": "z = norm_2(y + CrossAttention(y, encoded))",
    "A6": ("x = sqrt(D) *", "xt::sin(angle)", "Learned positions are parameters",
           "vocabularies of"),
    "A7": ("halves, divisor D-2", "--layout=halves-d-minus-2"),
    "A8": ("y = norm_1(x + SelfAttention(x))", "the attention weights"),
    "A9": ("scores = ", "head_h = attend("),
    "A10": "The queries come from the target", "A11": "(T, D) (D, 3 D) -> (T, 3 D)",
    "A12": ("scaled = scores / std::sqrt(d_k)", "head_h = attend("),
    "A13": "xt::concatenate", "A14": "add the mask, then scale",
    "A15": "y = gamma * n + beta", "A16": ("FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2",
                                           "dropout acts on the hidden values"),
    "A17": "A causal mask in its self-attention, and a second attention",
    "A18": ("Decoding word by word", "At <eos>"), "A19": "one row of probabilities",
    "A20": "y = norm_1(x + SelfAttention(x))", "A21": "The repaired run",
    "A14!": ("deviation of scores", "head_h = attend("),
    "A15!": "output, (B, T, D): as long as the target",
    "A1!": "does so depends on k only", "A2!": ("even columns", "odd columns"),
    "A3!": ("halves, divisor D-2", "no encoding of size 2", "no encoding of size 7"),
    "A4!": ("with the two swapped, the weights differ", "k, q, v"),
    "A5!": "a mask of -20 added before it leaks",
    "A6!": ("the attention weights, (B, H, S, S)", "SelfAttention(x) (1, 3, 8)"),
    "A7!": ("shifted to mean 0 and scaled to variance 1", "keeps the mean, at the price"),
    "A8!": ("sqrt(var + 1e-5)", "nan"), "A9!": "did not write <eos> within 60 steps",
    "A10!": ("times sqrt(D)", "shifted right", "combine(causal, padding)"),
    "A11!": ("x = scores + -1e9", "x = scores + -inf", "Our op gives no answer: its output is 0"),
    "A12!": "cross attention weights, (B, H, T, S)", "A13!": "i = 0 ... D/2 - 1",
    "B1": ("What does attention cost?", "Attention reaches every word in one step"),
    "B2": "Attention = softmax(q k^T / sqrt(d_k)) v",
    "B3": ("In one head, Games gives", "The sentences are the same in the three rows"),
    "B4": ("h_t = tanh(U h_{t-1} + y_{t-1})", "starts from the last state of the first"),
    "B5": ("one vector", "One vector has to hold the whole sentence"),
    "B6": ("attention", "every letter that is written has a context of its own"),
    "B7": ("fresh trained", "Training: lower"), "B8": "Each word has a query",
    "B9": ("recurrent 1 thread, ms", "attention 1 thread, ms"),
    "B10": ("show every layer and head", "all above 0.10", "weight on clues"),
    "B11": ("self-attention, then the feed-forward network", "layer after layer"),
    "B12": "CrossAttention(y, encoded)", "B13": "sentence pairs to learn from",
    "B14": "6 + 6 layers", "B15": ("z = norm_2(y + FFN(y))", "out = norm_3(z + FFN(z))"),
    "B16": ("Several heads look for different things", "they stay copies",
            "show every layer and head"),
    "B17": ("To embed a sentence is to look up its rows", "positions 0 ... T-1"),
    "B18": ("x = sqrt(D) embedding + positions", "Each layer maps (B, S, D) to (B, S, D)"),
    "B19": "Which words does a word look at?", "B20": "dot(x, W_q[h]^T), dot(x, W_k[h]^T)",
    "B21": ("query . key", "e = xt::exp(scaled)", "a mixture of the values"),
    "B22": "Each word has a query", "B23": "output = xt::linalg::dot(weights, v)",
    "B24": "output = ", "B25": "concatenated, never averaged",
    "B26": "the keys and values from the source", "B27": ("Decoding word by word", "At <eos>"),
    "B28": "Decoding begins", "B29": "d = 512, feed-forward 2048, 8 heads",
    "B30": "EncoderLayer, and these steps", "B31": "angle = xt::view(pos",
    "B32": "padding_mask(ids, pad = 0)", "B33": "EncoderLayer and equation",
    "B34": ("-1e9", "adding -1e9 gives uniform weights"), "B35": "two 1x1 convolutions",
    "B36": "causal_mask(4, 4)", "B37": "DecoderLayer and equation",
    "B38": "attention_cross.svg", "B39": ("20 updates on this one pair", "The repaired run"),
    "B40": ("even given the correct prefix", "true prefix"),
    "B41": "In the cross attention, the rows",
    "B1!": ("no word sees them", "masked for everybody", "invisible to all others"),
    "B2!": ("two words that share an id are the same word to the model", "share the id 4"),
    "B3!": ("numbered 1 2 3 4 5 6 0", "the last source word is at 0"),
    "B4!": "By itself, attention sees a set of words",
    "B5!": ("the heads are not averaged", "they stay copies"),
    "B6!": "dot(x, W_q[h]^T)", "B7!": "Feed-forward = 1x1 convolution",
    "B8!": "I like the 2022 Beijing Winter Games -> ",
    "B10!": ("picture: out/07_transformer/pair_failed.svg", "its own two lists of words"),
    "B12!": ("reports the column 'true prefix'", "the model is tested in training mode"),
    "B13!": ("Its first steps are too large", "Post-norm needs warm-up"),
    "B14!": ("three projections of the same x", "query (what it looks for)",
             "The queries come from the target"),
    "B16!": ("output = ", "boolean (this project)"),
    "B15!": ("Learned positions are parameters", "does so depends on k only", "W_kR R_d"),
    "C1": "Can it recall what lies beyond the segment?",
    "C2": ("name, at every position, the word at the mirrored position",
           "which one came 4 before the end?"),
    "C3": "translated exactly", "C4": "Decoding begins",
    "C5": "cross(x, encoded)", "C6": "max(0, that): the hidden layer",
    "C7": ("dropout(x, 0.5)", "no activation", "the held-out loss turns early",
           "it learns by heart"),
    "C8": "Batch norm instead takes the mean and variance down each column",
    "C9": ("largest / smallest", "no norm", "the changes of all layers below add up"),
    "C10": "batch norm: change",
    "C11": ("Small batches", "Statistics position by position", "none: never seen",
            "numbers stored"),
    "C12": ("for each word separately", "Layer norm sees one word and nothing else"),
    "C13": ("the layer and the equation", "smaller by a factor of sqrt((D - 1) / D)",
            "sqrt(var) + 1e-6"),
    "C14": ("adds it to its input", "no residual"), "C15": "pre-norm: EncoderLayer and equation",
    "C16": ("EncoderLayer, and these steps", "silent sub-layers"),
    "C17": "so needs its final norm", "C18": ("causal_mask", "CrossAttention(y, encoded)"),
    "C19": "DecoderLayer, and these steps", "C20": "Two layers, D = 16",
    "C21": "The repaired run: the same model",
    "C1!": ("pre keeps x", "A common mistake is to overwrite x"),
    "C2!": ("(unbiased)", "eps inside the root"),
    "C3!": "not matrices, since they work element by element", "C4!": "n does not become Gaussian",
    "C5!": ("The order matters", "Post-norm needs warm-up"),
    "C6!": ("The encoder needs no CAUSAL mask", "the source's padding mask"),
    "C7!": "Position t sees itself", "C8!": "No word sees another either",
    "C9!": "FFN(2x) = 2 FFN(x)",
    "C11!": ("Each row, the vector of one word", "Batch norm instead takes"),
    "C12!": "FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2", "C13!": "output.weight",
    "C14!": "right, word for word", "C15!": "z = norm_2(y + CrossAttention(y, encoded))",
    "D1": ("What does attention cost?", "Attention reaches every word in one step"),
    "D2": ("T^2 part, ms", "attention 1 thread, ms"),
    "D3": "H separate attentions", "D4": "EncoderLayer, and these steps",
    "D5": ("learned numbers", "PE gives them an order"), "D6": "xt::pow(10000.0, -2 * i / D)",
    "D7": "Unscaled, the position drowns the word",
    "D8": ("PE(pos + k) = R_k PE(pos)", "depends on the distance k only"),
    "D9": "a key (what it offers) and a value (what it says)",
    "D10": ("query . key", "standard deviation sqrt(d_k)"), "D11": "weights (3, 3)",
    "D12": ("Without it the two linear maps are one", "no activation"),
    "D13": ("Dff no activation", "Where are the parameters?"),
    "D14": ("How does the gradient reach the lower layers?", "no residual"),
    "D15": ("variance 1", "no norm"), "D16": ("causal_mask", "Change the future"),
    "D17": "Cross attention: T queries, S keys",
    "D18": ("Decoding begins", "Decoding word by word"),
    "D1!": "make the gradient vanish", "D2!": "depends on the distance k, not on pos",
    "D3!": "xt::sqrt(variance + eps)",
    "D4!": ("Three layouts are in circulation", "eps inside the root", "In post-norm, every norm"),
    "D5!": "found again", "D6!": ("must predict", "Position t sees itself"),
    "E1": "vanilla, the segment alone", "E2": ("with the memory", "paper"),
    "E3": ("After 200 recurrent steps a gradient is", "update 10"),
    "E4": ("softmax(q k^T / sqrt(d_k))", "PE is absolute"), "E5": ("update 10", "vanilla ms"),
    "E6": "The second segment alone does not show", "E7": "relative",
    "E8": "vanilla ms", "E9": "a vocabulary of", "E10": "The memory is read",
    "E11": "SG(memory)", "E12": ("memory 0", "memory 256"), "E13": "memory ms", "E14": "absolute",
    "E15": "(a) content", "E16": "W_kR R_d", "E17": "u . k_j", "E18": "v . W_kR R_d",
    "E19": "(a)+(b)+(c)+(d) by definition",
    "E20": "The definition computes W_kR R_d for every pair",
    "E21": ("To move row i left by T-1-i", "only once for every distance"),
    "E22": "(d): the same along every diagonal", "E24": ("qkv_net", "by the shift"),
    "E25": "(q + u) k + shift((q + v) R)", "E26": "Above the diagonal j = M + i there is garbage",
    "E27": "[SG(memory) ; x]", "E28": "How many keys does each query see?",
    "E29": ("update 200", "perplexity"), "E30": "relative", "E31": ("363", "1874"),
    "E32": ("the memory", "a vocabulary of"), "E33": ("parameters", "tokens/s", "left"),
    "E1!": "bits per character",
    "E2!": ("vanilla, the segment alone", "off relative", "vanilla ms"),
    "E4!": ("--d-model", "no encoding of size 7"),
    "E5!": "The shift leaves garbage in the future's cells", "E6!": "softmax over axis 0",
    "E7!": "parameters", "E9!": "its gradient is exactly 0", "E11!": "Query i sees M + i + 1 keys",
    "E12!": ("paper", "vanilla ms"), "E13!": "products, definition",
    "E14!": "(1, 1, T, S) (1, 1, 3, 5)",
}


class Printed:
    """What the sections and commands of a row print, to be asked for numbers."""

    def __init__(self, text: str):
        self.lines = [" ".join(line.split()) for line in text.splitlines()]

    def at(self, label: str, column: int) -> float:
        """The number in that column of the first row that begins so, counted after its label."""
        row = next((line for line in self.lines if line.startswith(label + " ")), label)
        return float(NUMBER.findall(row[len(label):])[column])

    def under(self, title: str, lines: int) -> list[float]:
        """Every number in so many lines below the one that begins with the title."""
        first = next(i for i, line in enumerate(self.lines) if line.startswith(title)) + 1
        below = "\n".join(self.lines[first:first + lines])
        return [float(found) for found in NUMBER.findall(below)]

    def all(self, before: str, after: str = "") -> list[float]:
        """Every number between these two words."""
        return [float(found) for found in re.findall(
            rf"{re.escape(before)}({NUMBER.pattern}){re.escape(after)}", "\n".join(self.lines))]


def after_120(out: Printed, stack: int) -> float:
    """The loss of one stack: post, pre, no residual, no norm."""
    return out.at("=> Loss after 120 updates: post", stack)


def even_scores(out: Printed) -> bool:
    """Heads of 64: unscaled, the scores deviate by 8, scaled by 1."""
    return abs(out.at("64", 0) - 8) < 0.5 and abs(out.at("64", 1) - 1) < 0.1


def games_in_three_steps(out: Printed) -> bool:
    return all(out.all(f"{word} (")[-1] > 0.9 for word in ("游戏", "比赛", "冬奥会"))


def heads_differ_by_their_start(out: Printed) -> bool:
    return out.at("alike", 1) == 0 and out.at("with numbers of their own", 1) > 0.02


def dropout_against_overfitting(out: Printed) -> bool:
    """At the end, the held-out loss is far above its lowest without dropout, and hardly with."""
    return out.at("0.0", 3) > out.at("0.0", 1) + 0.3 and out.at("0.8", 3) < out.at("0.0", 1) + 0.2


def drowned_unless_scaled(out: Printed) -> bool:
    return out.at("512", -2) < 10 and out.at("512", -1) > 99


def only_by_distance(out: Printed) -> bool:
    """The cosine and sine that turn by 3, at three positions: equal, of a learned table not."""
    return out.at("7", 0) == out.at("100", 0) == out.at("1000", 0) and \
        out.at("7", 2) != out.at("1000", 2)


def gradient_vanishes(out: Printed) -> bool:
    """d_k = 1024: the mean gradient, unscaled and scaled."""
    return out.at("1024", 6) < out.at("1024", 7) / 5


def window_grows(out: Printed) -> bool:
    """M = 16: the keys of query 0 and 3, and of both with --same-length."""
    return [out.at("16 16", i) for i in (0, 3, 4, 7)] == [17, 20, 16, 16]


def four_claims(out: Printed) -> bool:
    return all(out.at(claim, 0) > 0 for claim in (
        "recurrence lowers the loss (relative positions)",
        "relative positions lower the loss (no recurrence)",
        "relative positions lower the loss (recurrence)",
        "both together have the lowest loss of the four"))


def slower_than_memory(out: Printed) -> bool:
    """Ms a token: those of vanilla and of the memory; the ratio grows with the length."""
    return all(out.at(length, 0) > 50 * out.at(length, 1) for length in ("800", "3800")) \
        and out.at("3800", 4) > out.at("800", 4)


def waits_less_and_is_slower(out: Printed) -> bool:
    """2048 words: stages, and ms on one thread, of attention and of the recurrent network."""
    return out.at("2048 2048", 2) == 4 and out.at("2048 2048", 3) > out.at("2048 2048", 0)


def fragmented(out: Printed) -> bool:
    """The loss without recurrence is higher where the text is cut than where windows overlap."""
    return out.at("off relative", 0) > out.at("off relative", 1)


def recalls(out: Printed) -> bool:
    return out.at("vanilla, the segment alone", 0) < 20 and \
        out.at("Transformer-XL, with the memory", 0) > 90


def learns_letters(out: Printed) -> bool:
    """A model does better than guessing among all symbols."""
    return out.all("perplexity ")[-1] < out.all("a vocabulary of ")[0] / 2


# What a row promises of numbers.
HOLDS = {
    "A1": lambda out: out.all("", " of 1000 held-out sentences are right")[0] > 900,
    "A2!": lambda out: (out.at("pos 1", 0), out.at("pos 1", 1)) == (0.8415, 0.5403),
    "A5!": lambda out: out.all("leaks a weight of ")[0] > 0.01,
    "A9!": lambda out: out.all("", " of 200 did not write <eos>")[0] > 20,
    "A11!": lambda out: set(out.under("x = scores + -1e9", 1)) == {0.25},
    "A14!": even_scores,
    "B3": games_in_three_steps, "B10": games_in_three_steps,
    "B16": heads_differ_by_their_start, "B5!": heads_differ_by_their_start,
    "B4!": lambda out: out.all("with positions added: max |difference| ")[0] > 0.1,
    "B12!": lambda out: out.all("", " % of the words were right with teacher forcing")[0]
    > out.all("teacher forcing, ", " % in decoding")[0],
    "B13!": lambda out: out.at("rate: 0.001, after a warm-up of 20", 2) < 0.1
    < 1 < out.all("The published run ends at a loss of ")[0],
    "B16!": lambda out: min(out.under("weights (3, 3)", 4)) > 0
    and out.at("boolean (this project)", 0) == 0,
    "C7": dropout_against_overfitting,
    "C9": lambda out: out.at("no norm 8", -1) > 2 > out.at("pre 8", -1),
    "C17": lambda out: out.at("24", 1) > 3 * out.at("24", 0),
    "D1!": gradient_vanishes, "D10": even_scores,
    "D7": drowned_unless_scaled, "D5!": drowned_unless_scaled, "D2!": only_by_distance,
    "E28": window_grows, "E11!": window_grows,
    "E9!": lambda out: out.at("[SG(memory) ; x]", 1) == 0 < out.at("[memory ; x], no SG", 1),
    "E13!": lambda out: out.at("64 128", 0) > 40 * out.at("64 128", 1),
    "E33": lambda out: out.all("", " tokens/s")[0] > 0,
    "B5": lambda out: out.at("one vector", -1) < out.at("one vector", 0) / 2,
    "B6": lambda out: out.at("attention", -1) > 2 * out.at("one vector", -1),
    "B7": lambda out: out.at("right words in 200 new sentences", 1)
    > 2 * out.at("right words in 200 new sentences", 0),
    "B9": waits_less_and_is_slower, "D2": waits_less_and_is_slower,
    "C1": recalls, "C3": lambda out: out.all("", " of 1000 held-out sentences are right")[0] > 900,
    "C14": lambda out: after_120(out, 2) > 10 * after_120(out, 1),
    "D12": lambda out: out.at("256 1.000", 0) < 0.1,
    "D13": lambda out: out.at("256 1.000", 0) < out.at("64 1.000", 0) < out.at("4 1.000", 0) / 10,
    "D14": lambda out: after_120(out, 2) > 10 * after_120(out, 1),
    "D15": lambda out: after_120(out, 3) > 10 * after_120(out, 0),
    "E1": recalls, "E2": lambda out: recalls(out) and slower_than_memory(out),
    "E3": lambda out: out.at("clipped", -1) < out.at("as it is", -1)
    and out.all("valid loss ")[-1] < out.all("epoch 1 loss ")[0],
    "E5": slower_than_memory, "E6": recalls, "E7": fragmented, "E8": slower_than_memory,
    "E9": lambda out: out.all("a vocabulary of ")[1] > 2 * out.all("a vocabulary of ")[0],
    "E10": recalls,
    "E12": lambda out: out.all("nats per token ")[0] > out.all("nats per token ")[1],
    "E13": slower_than_memory,
    "E14": lambda out: out.at("on absolute", 2) > out.at("off absolute", 0),
    "E29": learns_letters, "E30": four_claims, "E31": slower_than_memory,
    "E32": lambda out: recalls(out) and out.all("loss ")[-1] < out.all("epoch 1 loss ")[0],
    "E1!": learns_letters,
    "E2!": lambda out: recalls(out) and fragmented(out) and slower_than_memory(out),
    "E7!": lambda out: out.all("; ", " parameters")[1] > out.all("; ", " parameters")[0],
    "E12!": slower_than_memory,
}


# What is said on the page that a row names as the place where it is taught.
TAUGHT = {
    "B1": "Vision Transformer", "B16": "stay copies", "B22": "The names come from databases",
    "C7": "the later the held-out loss starts to rise",
}


def page(language: str) -> str:
    return (ROOT / f"docs/{language}/seeds.md").read_text(encoding="utf-8")


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each row after its name; the last with its commands written out."""
    named = dict(NAMED.findall(text))
    found = {}
    for name, cells in ROW.findall(text):
        *others, last = [cell.strip() for cell in cells.split(" | ")]
        found[name] = [*others, re.sub(r"\*(\w+)\*", lambda word: named[word[1]], last)]
    return found


def lessons(cell: str) -> list[tuple[int, str, int, int]]:
    """(chapter, flags, first section, last section) of all that the cell says to run."""
    return [(int(chapter), flags.strip(), int(section), int(section))
            for chapter, flags, section in LESSON.findall(cell)] + [
            (int(chapter), "", int(first), int(last or first))
            for chapter, first, last in SECTIONS.findall(re.sub(r"`[^`]*`", "", cell))]


@lru_cache(maxsize=None)
def run(command: tuple[str, ...], refused: bool) -> str:
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL, text=True, timeout=600)
    assert answer.returncode == (2 if refused else 0), f"{' '.join(command)}\n{answer.stdout}"
    out = Path(command[command.index("--out") + 1]) if "--out" in command else None
    written = sorted(out.glob("*.html")) if out and out.is_dir() else []
    return "\n".join([answer.stdout, *(path.read_text(encoding="utf-8") for path in written)])


class Seeds(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        pages.forget_runs()

    def none(self, breaches) -> None:
        found = list(breaches)
        self.assertEqual(found, [], "\n  " + "\n  ".join(map(str, found)))

    def program(self, chapter: int) -> Path:
        folder = Path(os.environ.get("XF_BIN") or terminal.BIN)
        found = sorted(folder.glob(f"0{chapter}_*"))
        if not found:
            self.skipTest(f"no program of chapter {chapter} in {folder}")
        return found[0]

    def test_no_paragraph_is_left_out_and_no_cell_is_empty(self):
        for language in ("en", "zh"):
            found = rows(page(language))
            self.assertGreater(len(found), 150)
            self.none(f"{language}: {name}: an empty cell" for name, cells in found.items()
                      if not all(cells) or len(cells) != (3 if name.endswith("!") else 4))
            for letter in "ABCDE":
                for mark in ("", "!"):
                    numbers = [int(name[1:].rstrip("!")) for name in found
                               if name[0] == letter and name.endswith("!") == bool(mark)]
                    self.assertEqual(numbers, list(range(1, len(numbers) + 1)), letter + mark)
                    self.assertTrue(numbers, letter + mark)

    def test_both_languages_name_the_same_files_and_commands(self):
        en, zh = rows(page("en")), rows(page("zh"))
        self.assertEqual(list(en), list(zh))
        def named(cells):
            text, last = " | ".join(cells), cells[-1]
            return (LINK.findall(text), EXERCISE.findall(last), COMMAND.findall(last),
                    lessons(last), TEST.findall(last))
        self.none(name for name in en if named(en[name]) != named(zh[name]))

    def test_every_row_says_how_to_see_it(self):
        self.none(f"{name}: {cells[-1]}" for name, cells in rows(page("en")).items()
                  if not lessons(cells[-1]) and not COMMAND.findall(cells[-1])
                  and not TEST.findall(cells[-1]) and not EXERCISE.findall(cells[-1]))

    def lesson(self, chapter: int, flags: str = "") -> str:
        """What the lesson prints: its record where there is one, as on the pages."""
        name = self.program(chapter).name
        text = None if flags else recorded.text_of(name, ROOT)
        return pages.run(f"{name} {flags}".strip())[0] if text is None else text

    def section(self, chapter: int, flags: str, number: int) -> str:
        found = re.search(rf"^{number}\. .*\n-+\n(?:(?!\d+\. .*\n---).*\n?)*",
                          self.lesson(chapter, flags), re.M)
        return found[0] if found else ""

    def test_what_is_taught_is_on_one_of_the_pages_named(self):
        found = rows(page("en"))
        for name, text in TAUGHT.items():
            pages_named = re.findall(r"\]\((\w+\.md)", found[name][1])
            said = " ".join(" ".join((ROOT / "docs/en" / each).read_text(encoding="utf-8").split())
                            for each in pages_named)
            self.assertIn(text, said, f"{name}: {pages_named}")

    def test_a_method_inside_the_constructor_is_none(self):
        nested = "class Layer:\n    def __init__(self):\n        def forward(self): pass\n"
        there: dict = {}
        exec(nested, there)
        self.assertFalse(hasattr(there["Layer"](), "forward"))
        with self.assertRaises(TabError):
            compile(nested.replace("        def", "\t\tself.n = 1\n        def"), "seed", "exec")

    def test_every_author_is_spelled_as_in_the_paper(self):
        written = {path: path.read_text(encoding="utf-8") for folder in ("docs", "chapters")
                   for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".hpp", ".po")}
        self.none(path for path, text in written.items()
                  if "AI-Rfou" in text and path.name != "seeds.md")
        for name in ("docs/en/08_transformer_xl.md", "docs/zh/08_transformer_xl.md",
                     "chapters/08_transformer_xl/baselines/vanilla.hpp"):
            self.assertIn("Al-Rfou", written[ROOT / name])

    def test_every_section_is_printed(self):
        wanted = [one for cells in rows(page("en")).values() for one in lessons(cells[-1])]
        self.assertGreater(len(wanted), 100)
        self.none(f"chapter {chapter} {flags} has no section {section}"
                  for chapter, flags, first, last in wanted for section in range(first, last + 1)
                  if not self.section(chapter, flags, section))

    def printed_by(self, chapter: str, word: str, flags: str) -> str:
        """What the command prints and the pages that it writes."""
        command = f"{word} {flags}"
        command = command.replace(" out/", f" {self.folder()}/")
        if "--out" not in flags:
            command += f" --out {self.folder()}/{chapter}_{word}"
        return run((str(self.program(int(chapter))), *shlex.split(command)),
                   any(part in flags for part in REFUSED))

    @classmethod
    @lru_cache(maxsize=None)
    def folder(cls) -> Path:
        made = Path(tempfile.mkdtemp(prefix="xf-seeds-"))
        cls.addClassCleanup(shutil.rmtree, made)
        return made

    def test_every_row_shows_what_it_promises(self):
        found = rows(page("en"))
        commands = [command for cells in found.values() for command in COMMAND.findall(cells[-1])]
        self.assertGreater(len(set(commands)), 10)
        for command in sorted(set(commands), key=lambda command: command[1] == "evaluate"):
            self.printed_by(*command)  # what is evaluated has to be trained before
        wrong = []
        for name, cells in found.items():
            text = "\n".join([self.section(chapter, flags, number)
                              for chapter, flags, first, last in lessons(cells[-1])
                              for number in range(first, last + 1)] +
                             [self.printed_by(*command) for command in COMMAND.findall(cells[-1])])
            if bool(text) != (name in SHOWS):
                wrong.append(f"{name}: SHOWS has {'no' if text else 'an'} entry")
            promised = SHOWS.get(name, ())
            plain = " ".join(text.split())
            wrong += [f"{name}: not shown: {part}" for part in
                      ([promised] if isinstance(promised, str) else promised) if part not in plain]
            if name in HOLDS and not HOLDS[name](Printed(text)):
                wrong.append(f"{name}: the numbers do not hold")
        self.none(wrong + [f"{name}: no row" for name in {**SHOWS, **HOLDS} if name not in found])

    def test_every_exercise_is_one(self):
        known = {exercise.id for exercise in manifest.manifest()}
        self.none(name for name in EXERCISE.findall(page("en")) if name not in known)

    def test_every_test_is_one(self):
        self.none(f"{path}: {claim}" for path, claim in TEST.findall(page("en"))
                  for text in [(ROOT / path).read_text(encoding="utf-8")]
                  if f'TEST_CASE("{claim}")' not in text
                  and f"def test_{claim.replace(' ', '_')}(" not in text)


if __name__ == "__main__":
    unittest.main()
