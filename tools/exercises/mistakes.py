"""The known mistakes of an exercise, one after another in its mistakes.md.

    ## no_root
    - en: divided by d_k: the square root is missing
    - zh: 除以了 d_k：漏了开平方
    ```diff
    -  const float scale = 1 / std::sqrt(d_k);
    +  const float scale = 1 / d_k;
    ```

A block is one change of solution/exercise.cpp. The lines of a diff that begin with `-` or a space
occur there exactly once, as a sequence; those with `+` or a space replace them. A ```cpp block is a
function that replaces the one with the same first lines. Two blocks are two changes.

variants.md (variants.py) has the same format; there a block ```diff test.cpp changes another file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tools.terminal import shown

FENCE = "```"
KINDS = (f"{FENCE}diff", f"{FENCE}cpp")
OPENING = re.compile(rf"{FENCE}(diff|cpp)(?: (\S+))?")


class Fault(Exception):
    """An error in the definition of a mistake: the line of the list, and the reason."""


@dataclass(frozen=True)
class Block:
    line: int  # number of the first line in the list; its ``` is on the line before
    kind: str
    code: tuple[str, ...]
    file: str = ""  # next to the list; if empty, the solution

    @property
    def old(self) -> list[str]:
        """The lines to look for in the solution; for a function, its first lines."""
        if self.kind == "diff":
            return [line[1:] for line in self.code if line[:1] != "+"]
        head = [number for number, line in enumerate(self.code, 1) if line.endswith("{")]
        return list(self.code[:head[0]]) if head else []

    @property
    def new(self) -> list[tuple[int, str]]:
        """The lines that replace them, with their line numbers in the list."""
        lines = enumerate(self.code, self.line)
        if self.kind == "cpp":
            return list(lines)
        return [(number, line[1:]) for number, line in lines if line[:1] != "-"]

    def check(self) -> None:
        if self.kind == "diff":
            for number, line in enumerate(self.code, self.line):
                if line[:1] not in ("", "-", "+", " "):
                    raise Fault(number, f"a line of a diff begins with -, + or a blank: {line}")
            if not self.old:
                raise Fault(self.line, "what is replaced? Begin with a line of the solution")
            if self.old == [line for _, line in self.new]:
                raise Fault(self.line, "this block changes nothing")
        elif not self.old or self.code[-1] != "}":
            raise Fault(self.line, "expected a function, from its first line to its }")

    def place(self, code: list[str]) -> tuple[int, int]:
        """The range of the solution's lines that is replaced, with an exclusive end."""
        old = self.old
        found = [at for at in range(len(code)) if code[at:at + len(old)] == old]
        if not found:
            lost = next((line for line in old if line not in code), "not in this order")
            raise Fault(self.line, f"what it replaces is not in the solution: {lost.strip()}")
        if len(found) > 1:
            raise Fault(self.line, f"what it replaces is in the solution {len(found)} times, at "
                        f"lines {', '.join(str(at + 1) for at in found)}: add a line around it")
        if self.kind == "diff":
            return found[0], found[0] + len(old)
        end = code.index("}", found[0]) + 1
        if code[found[0]:end] == list(self.code):
            raise Fault(self.line, "this block changes nothing")
        return found[0], end


@dataclass(frozen=True)
class Mistake:
    name: str
    en: str
    zh: str
    file: str
    line: int  # of its heading in the file
    blocks: tuple[Block, ...]

    def said(self, zh: bool) -> str:
        return self.zh if zh else self.en

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}: {self.name}"

    def told(self, fault: Fault) -> str:
        return f"{self.file}:{fault.args[0]}: {self.name}: {fault.args[1]}"

    def lines(self, solution: Path, file: str = "") -> list[tuple[int, str]]:
        """The lines of the solution with this mistake, each with its line number in the list, or 0
        if it is not from there. With `file`, only the blocks that change this file."""
        code = solution.read_text(encoding="utf-8").splitlines()
        found, at = [], 0
        blocks = [block for block in self.blocks if block.file == file]
        for block in sorted(blocks, key=lambda block: block.place(code)):
            begin, end = block.place(code)
            if begin < at:
                raise Fault(block.line, "two blocks change the same line")
            found += [(0, line) for line in code[at:begin]] + block.new
            at = end
        return found + [(0, line) for line in code[at:]]

    def source(self, solution: Path, file: str = "") -> str:
        return "".join(f"{line}\n" for _, line in self.lines(solution, file))

    def in_the_list(self, complaints: str, path: Path, solution: Path) -> str:
        """Maps the compiler's errors in the generated source to lines of the list."""
        numbers = [0, *(number for number, _ in self.lines(solution))]

        def place(found) -> str:
            number = dict(enumerate(numbers)).get(int(found[1]))
            return f"{self.file}:{number}:" if number else found[0]

        return re.sub(rf"{re.escape(str(path))}:(\d+):", place, complaints)


def read(path: Path, others: tuple[str, ...] = ()) -> tuple[list[Mistake], list[str]]:
    """The mistakes of the list, if there is one, and a message for each error; a block may change
    these other files, too."""
    mistakes: dict[str, Mistake] = {}
    faults = []
    data = path.read_bytes() if path.exists() else b""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[:error.start].count(b"\n") + 1
        return [], [f"{shown(path)}:{line}: not UTF-8: {error.reason}"]
    for number, name, lines in sections(text):
        try:
            if not re.fullmatch(r"[a-z]\w*", name):
                raise Fault(number, "a name is small letters, digits and _")
            if name in mistakes:
                raise Fault(number, f"this name stands at line {mistakes[name].line} already")
            mistakes[name] = Mistake(name, *parsed(number, lines, shown(path), others))
        except Fault as fault:
            faults.append(f"{shown(path)}:{fault.args[0]}: {name}: {fault.args[1]}")
    return list(mistakes.values()), faults


def sections(text: str) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """(line number, name, numbered lines) of each heading `## name`."""
    found, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## ") and not fenced:
            found.append((number, line[3:].strip(), []))
        elif found:
            fenced ^= line.startswith(FENCE)
            found[-1][2].append((number, line))
    return found


def parsed(heading: int, lines: list[tuple[int, str]], file: str, others: tuple) -> tuple:
    """The fields of a mistake, except for its name."""
    texts: dict[str, str] = {}
    blocks, last, rest = [], "", iter(lines)
    for number, line in rest:
        text = re.match(r"- (en|zh): *(.*)", line)
        if text and text[1] in texts:
            raise Fault(number, f"a second line `- {text[1]}:`")
        if text:
            last, texts[text[1]] = text[1], text[2]
        elif last and line.startswith("  "):
            texts[last] += " " + line
        elif (opening := OPENING.fullmatch(line.rstrip())) and (opening[2] or "") in ("", *others):
            last = ""
            blocks.append(block(number + 1, opening[1], opening[2] or "", rest))
        elif line.strip():
            raise Fault(number, f"neither `- en:` nor `- zh:` nor {' nor '.join(KINDS)}: {line}")
    said = [" ".join(texts.get(language, "").replace("`", "").split()) for language in ("en", "zh")]
    if not all(said):
        raise Fault(heading, f"`- {'zh' if said[0] else 'en'}:` has to say what is wrong")
    if not blocks:
        raise Fault(heading, f"a block {' or '.join(KINDS)} is missing")
    return (*said, file, heading, tuple(blocks))


def block(first: int, kind: str, file: str, rest) -> Block:
    """The lines up to the next ```, which is consumed too."""
    found = []
    for _number, line in rest:
        if line.startswith(FENCE):
            made = Block(first, kind, tuple(found), file)
            made.check()
            return made
        found.append(line)
    raise Fault(first - 1, "this block has no end")
