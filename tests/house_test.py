#!/usr/bin/env python3
"""The rules of the house, each a test of its own. A failure names file:line and the rule."""

from __future__ import annotations

import ast
import builtins
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP = {".hpp", ".cpp", ".cu"}
BUILT = {".git", "build", "out", "my", "__pycache__"}

# Each room of common/ may include itself and the rooms named beside it.
ENGINE = ("language", "tensor", "autograd", "ops", "nn")
MAY_INCLUDE = {
    "cuda": ("cuda",),  # what a kernel finds around it
    "language": ENGINE[:1],
    "tensor": ENGINE[:2] + ("cuda",),
    "autograd": ENGINE[:3],
    "ops": ENGINE[:4] + ("cuda",),
    "nn": ENGINE,
    "io": ENGINE + ("io",),
    "distributed": ENGINE[:2] + ("cuda", "distributed"),
    "speech": ENGINE + ("io", "speech"),
    "page": ("io", "page"),
    "trace": ENGINE + ("io", "speech", "page", "trace"),
    "text": ENGINE + ("distributed", "io", "text"),
    "plot": ENGINE + ("io", "speech", "page", "plot"),
    "seeing": ENGINE + ("io", "page", "plot", "seeing"),
    "program": ENGINE + ("distributed", "io", "speech", "trace", "program"),
    "train": ENGINE + ("io", "speech", "text", "plot", "program", "train", "distributed", "cuda"),
}
# What only some files include: its name, those files, and where everybody else turns.
ONLY_FOR = (
    ("(xtensor|xtl|xsimd)/", r"common/tensor/xt\.hpp", "include tensor/xt.hpp"),
    # In two files, which cannot be one: for the formulas of lessons and tests, and for the engine.
    (r"(cblas|openblas|lapacke|xtensor-blas)\b", r"common/tensor/(xt_linalg\.hpp|openblas\.cpp)",
     "include tensor/xt_linalg.hpp, or in the engine use ops/matmul"),
    (r"tensor/xt_linalg\.hpp", "(?!common/)", "use ops/matmul in the engine"),
    ("CLI/", r"common/program/|(?!common/|chapters/)|.*/(main|command_\w+)\.cpp$",
     "flags belong to common/program, main.cpp and command_*.cpp"),
    (r"chapters/|\d\d_", "(?!common/)", "common knows no chapter"),
    (r"(.*/)?\.\./", "(?!)", "no include climbs out of its folder"),
)

MAX_COLUMNS = 100
MAX_LINES = 400
CLANG_FORMAT = 14  # other versions lay out some lines differently

# One Chinese term for one thing: what is no longer written, and what is (docs/zh/conventions.md).
RETIRED = {
    r"课程|每一课|整课": "本章程序, 各章程序: a lesson; 一门课: a course",
    r"使用(模型)?时|训练[和与]使用|\*\*使用\*\*": "推理: inference",
    r"评估": "评测: evaluation",
    r"(命令行|训练)参数(?!量)|(或哪个|列出全部|文本或)参数": "选项: a flag; 参数 is what a model learns",
    r"旧式|普通的?（?(vanilla|模型|分段)": "vanilla 模型",
    r"(?<!代码)片段|循环机制|循环记忆": "段: a segment; 段级循环: its recurrence",
    r"(?<!照)抄|打包的句子": "打包: packing weights; 首尾相接: sentences in one row; 复制: a copy",
    r"内核": "kernel",
    r"生僻": "罕见词: a rare word",
    r"前馈层": "前馈网络: the feed-forward layer",
    r"散列": "哈希: a hash",
    r"去[要取]": "预取: to prefetch",
    r"时钟": "主频: the clock rate",
    r"动量": "一阶矩, 二阶矩: the two moments of Adam",
    r"对谁都": "与查询无关; 全局偏置: a global bias",
    r"(?<!施)加掩码": "施加掩码: to mask",
    r"未来": "后文: what a causal mask hides",
    r"纳特": "nats",
    r"堆叠": "网络, 编码器, 各层: a stack; 叠: to stack",
    r"邻居": "相邻的词, 前后的词: a neighbour",
    r"[前后]置?归一化": "pre-norm, post-norm",
    r"掩蔽": "遮住: to mask a key",
    r"计算带|磁带": "梯度带: the tape",
    r"拐点": "折点: a kink",
    r"屋脊": "脊点: the ridge of a roofline",
    r"词元化器": "分词器: a tokenizer",
    r"先停一下": "what is to be done, at once",
    r"(梯度|向量|编码)的长度|裁剪到长度": "范数: the norm of a vector",
    r"第 [0-9{][0-9}]* 层": "第一层: the first layer; 层 0: the layer of that index",
    r"[\u4e00-\u9fff] (warp|tensor core|lane)|\b(warp|tensor core|lane) [\u4e00-\u9fff]":
        "线程束, 张量核心, 通道",
    r"短的数|短的因子": "低精度的数: a number of few bits",
    r"(?<![打复影水])印(?![象证])": "打印, 输出, 给出: to print",
    r"(?i)memory[_ ]mask|编码器的?记忆|memory 的(键|梯度)|(读取|查询|看|对照) memory|KV 记忆|键值记忆":
        "编码器的输出: encoded; 缓存: keys and values; 记忆: what Transformer-XL remembers",
}

# The same of English: home-made words, and the verb before its subject. A blank stands for any
# white space, also at the end of a line of a comment.
RETIRED_ENGLISH = {
    r"[.:;!?|] (Compared|Drawn|Counted|Plotted|Listed|Wanted) (are|is)\b": "the subject first",
    r"[Ii]n brackets stands?|[Tt]o the device goes|\bBack come\b": "the subject first",
    r"\bas one reads\b": "as is often said",
    r"\bshort (numbers|factors)\b": "low precision: fewer bits",
    r"\bat place [A-Z]|\b(stands? at|at each|at every) place\b": "at position: in a sequence",
    r"\bplace by place\b|\bone place (to|later)\b|\bby one place\.": "position: in a sequence",
    r"\bpadded places?\b|\btheir places become\b": "position: in a sequence",
    r"\bthe place in the text\b|\bkey and place\b": "offset: in a text; index: of an element",
    r"\bturned in registers\b|\bturned? the (matrix|tile)\b": "to transpose a matrix",
    r"\b(unfinished|every|several|all) beginnings?\b": "prefix: what a search continues",
    r"\bthe right past\b": "the correct prefix",
    r"\bask(s|ed)? ahead\b|\bask(s|ed)? for [^.]{0,30} ahead\b": "to prefetch",
    r"\bderivative by \$|\bgradient by (its|the)\b": "with respect to",
    r"\bas stern as\b|\bstern (machine|emulator)\b": "strict: which allows no mistake",
    r"\bknows no locks\b|\bshall the model be\b": "without locks; the directory to write to",
    r"\bis no (command|number|whole number): ": "is not a ...",
    r"\bside of the (square )?matri|\bso many (updates|passes|minutes|columns|validations)\b":
        "size; this many",
    r"\bmemory[_ ]mask\b|\bencoder's memory\b|\bmemory of the encoder\b|\bmemory cache\b":
        "the encoder's output, encoded; cache: keys and values; memory: Transformer-XL's states",
    r"\b(a sentence|a pair|a token) a line\b|\bnot (together|beside) (with|them)\b":
        "one sentence per line; cannot be combined with",
}

# Between Chinese and the rest: a space beside a letter or digit, punctuation of full width, and no
# line that ends between two characters, where a browser shows a space.
HAN = "\u4e00-\u9fff"
CROWDED = re.compile(rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9%][{HAN}]")
HALF_WIDTH = re.compile(rf"[{HAN}] ?[,;:?!](?!\w)|[{HAN}] [，。；：！？、）]|[，。；：！？、（] [{HAN}]")
SPLIT = re.compile(rf"[{HAN}](?:[*]*|\]·)\n *[*\[]*[{HAN}]")
CODE_OR_COMMENT = re.compile(r"^(\s*)(```+).*?^\1\2\s*?$|<!--.*?-->|(`+)(?!`).*?(?<!`)\3(?!`)",
                             re.M | re.S)
ELEMENT = re.compile(r"</?([A-Za-z]\w*)[^<>\n]*>")
ELEMENTS = {"details", "summary", "a"}  # that the pages use
NOT_PROSE = re.compile(r"(?ms)^ *```.*?^ *```|<!--.*?-->|`[^`]*`|\]\([^)]*\)|^#.*?$")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


# ---- reading the tree ----------------------------------------------------------------------------


def tree() -> list[Path]:
    """The files of the repository, tracked or about to be; without git, all but what is built."""
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files", "-co",
               "--exclude-standard", "-z"]
    try:
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        names = answer.stdout.decode().split("\0")
    except OSError:
        names = []
    found = {ROOT / name for name in names if name} or set(ROOT.rglob("*"))
    return sorted(path for path in found if path.is_file()
                  and not BUILT & set(path.relative_to(ROOT).parts))


FILES = tree()


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def files(*rooms: str, kinds: set[str] = CPP) -> list[Path]:
    """The files of these kinds below these rooms; below all of them when none is named."""
    return [path for path in FILES if path.suffix in kinds
            and (not rooms or name_of(path).split("/")[0] in rooms)]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def numbered(paths: list[Path]):
    """(path, where it is, line) of each line."""
    for path in paths:
        for number, line in enumerate(lines(path), 1):
            yield path, f"{name_of(path)}:{number}", line


def found_in(texts, pattern: re.Pattern):
    """(where it is, match) in each of these (path, text)."""
    for path, text in texts:
        for found in pattern.finditer(text):
            yield f"{name_of(path)}:{text.count(chr(10), 0, found.start()) + 1}", found


def of_ops(name: str = "") -> list[Path]:
    return [path for path in files("common") if re.match(rf"common/ops/\w+/{name}", name_of(path))]


def text_files() -> list[Path]:
    return [path for path in FILES if b"\0" not in path.read_bytes()[:8000]]


def imported(node: ast.AST) -> list[str]:
    """The modules, or what may be one, that a statement imports."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
    return []


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = [*graph[start]]
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += graph.get(name, ())
    return found


def includes(path: Path):
    """(line number, included name) of each #include."""
    for number, line in enumerate(lines(path), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1)


def code_of(line: str) -> str:
    """The line without the contents of strings and without its comment."""
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def without_code(path: Path) -> str:
    """A page's prose: whatever else it holds is one `·` and the ends of its lines."""
    return NOT_PROSE.sub(lambda found: "·" + "\n" * found[0].count("\n"),
                         path.read_text(encoding="utf-8"))


def on_one_line(text: str) -> str:
    """Blanks for the ends of lines, the marks of comments and what `./learn docs` fills in."""
    def blanks(found):
        return " " * len(found[0])
    filled = r"(?s)<!-- (?:snippet|output|picture|findings|exercises)\b.*?<!-- /"
    return re.sub(r"\n[ \t]*(?://)?", blanks, re.sub(filled, blanks, text))


def retired_english(text: str):
    """(match, what to write instead) of each retired word or order of words."""
    text = on_one_line(text)
    for retired, term in RETIRED_ENGLISH.items():
        for found in re.finditer(retired.replace(" ", " +"), text):
            yield found, term


OF_THE_LIBRARY = re.compile(r"(?<![\w:])(?:std::)?"
                            r"(?:exp2?|expm1|log|log1p|log2|pow|sin|cos|tanh|erf)f?\(")


def ops_with_backward(source: str) -> list[str]:
    """The names of each Op{name, what forward computes, what backward computes}."""
    text = r'(?:"[^"]*"\s*)+'
    return re.findall(rf'\{{\s*"(\w+)",\s*{text},\s*{text}\}}', source)


def in_exercises(path: Path) -> bool:
    return "exercises" in path.relative_to(ROOT).parts


def unknown_names(script: str) -> list[tuple[int, str]]:
    """(line, name) of what is read in a script that nowhere imports, defines or assigns it."""
    nodes = list(ast.walk(ast.parse(script)))
    known = {*dir(builtins), "__file__"}
    for node in nodes:
        if isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    return [(node.lineno, node.id) for node in nodes
            if isinstance(node, ast.Name) and node.id not in known]


class House(unittest.TestCase):
    def none(self, breaches) -> None:
        found = list(breaches)
        if found:
            self.fail("\n  " + "\n  ".join(found))

    # ---- who may include whom --------------------------------------------------------------------

    def test_there_is_something_to_check(self):
        self.assertGreater(len(files("common")), 10, f"no sources found below {ROOT}")

    def test_a_room_of_common_includes_only_rooms_before_it(self):
        self.none(f"{name_of(path)}:{number}: {room}/ must not include {name}"
                  for path in files("common") for room in [name_of(path).split("/")[1]]
                  for number, name in includes(path)
                  if name.split("/")[0] in MAY_INCLUDE
                  and name.split("/")[0] not in MAY_INCLUDE.get(room, ()))

    def test_nothing_leads_in_a_circle(self):
        """Neither the folders of ops, by their includes, nor the modules of the scripts."""
        graph: dict[str, set[str]] = {}
        for path in files("common"):
            if op := re.match(r"common/(ops/\w+)/", name_of(path)):
                graph.setdefault(op[1], set()).update(
                    str(Path(name).parent) for _, name in includes(path)
                    if name.startswith("ops/") and str(Path(name).parent) != op[1])
        modules = {name_of(path)[:-3].replace("/", "."): path
                   for path in files("tools", kinds={".py"})}
        for module, path in modules.items():
            graph[module] = {name for node in ast.walk(ast.parse(path.read_bytes()))
                             for name in imported(node) if name in modules}
        for start in graph:
            self.assertNotIn(start, reached(graph, start), "it is included by what it includes")

    def test_every_room_of_common_has_a_place_in_the_order(self):
        self.none(f"{name_of(path)}:1: the room is not in MAY_INCLUDE"
                  for path in files("common") if name_of(path).split("/")[1] not in MAY_INCLUDE)

    def test_a_chapter_includes_only_itself_and_earlier_chapters(self):
        self.none(f"{name_of(path)}:{number}: a later chapter, {name}"
                  for path in files("chapters")
                  for own in [re.match(r"chapters/(\d\d)_", name_of(path))] if own
                  for number, name in includes(path)
                  for other in [re.match(r"(\d\d)_", name)]
                  if other and int(other[1]) > int(own[1]))

    def test_a_chapters_rooms_stand_in_order(self):
        """The model at the top, then baselines/, program/, experiments/; main.cpp has them all."""
        order = ["", "baselines", "program", "experiments"]

        def room(name: str) -> str:
            return name.split("/")[1] if name.count("/") > 1 else ""

        own = {path: name_of(path)[len("chapters/"):] for path in files("chapters")
               if not in_exercises(path) and path.name != "main.cpp"}
        self.none(f"{name_of(path)}:1: a chapter's rooms are baselines/, program/ and experiments/"
                  for path, name in own.items() if room(name) not in order)
        self.none(f"{name_of(path)}:{number}: a room built on this one, {other}"
                  for path, name in own.items() if room(name) in order
                  for number, other in includes(path)
                  if re.match(r"\d\d_", other) and room(other) in order
                  and order.index(room(other)) > order.index(room(name)))

    def test_the_file_system_is_asked_without_throwing(self):
        """What it throws names no flag; with an error_code, the caller says what is wrong."""
        call = re.compile(r"(?:std::filesystem|\bfs)::(?!path\b|directory_iterator\(\))"
                          r"\w+(?: \w+)?\(")
        self.none(f"{place}: pass a std::error_code"
                  for path, place, line in numbered(files("common", "chapters"))
                  if call.search(code_of(line)) and "error)" not in line and not in_exercises(path))

    def test_what_only_some_files_include(self):
        self.none(f"{name_of(path)}:{number}: {name}: {instead}"
                  for path in files() for number, name in includes(path)
                  for included, these, instead in ONLY_FOR
                  if re.match(included, name) and not re.match(these, name_of(path)))

    def test_only_kernels_reach_into_a_tensors_memory(self):
        """It may lie on any device: the host reads values() and item(), writes copy_into()."""
        places = {"on": r"common/(tensor|ops|train)/",  # where an op calls its kernel
                  "Cpu{}": r"(tests|bench|exercises)/|chapters/.*/exercises/|"
                          r"common/tensor/|.*cpu\.cpp$|common/ops/matmul/panel_order\.",
                  "Cuda{}": r"(tests|bench)/|common/tensor/|.*\.cu$"}
        self.none(f"{place}: data({where}) is for kernels"
                  for path, place, line in numbered(files())
                  for where in re.findall(r"(?:\.|->)data\((on|Cpu\{\}|Cuda\{\})\)", code_of(line))
                  if not re.match(places[where], name_of(path)))

    def test_a_kernel_is_started_in_one_place_and_on_the_programs_stream(self):
        self.assertEqual([(name_of(path), found) for path in files() for line in lines(path)
                          for found in re.findall(r"<<<(.*)>>>\(", code_of(line))],
                         [("common/cuda/launch.hpp",
                           "how.grid, how.block, how.shared_bytes, stream()")])

    def test_a_kernel_of_the_host_has_no_exp_of_the_standard_library(self):
        """It has other last bits from version to version: vector_math.hpp, portable_math.hpp."""
        self.assertTrue(OF_THE_LIBRARY.search("y[i] = std::log1p(std::exp(x[i]));"))
        self.assertTrue(OF_THE_LIBRARY.search("y[i] = tanhf(x[i]) + log(x[i]);"))
        self.assertFalse(OF_THE_LIBRARY.search("portable::log(x) + fast_exp(x) + std::sqrt(x)"))
        self.none(f"{place}: {found[0]} of the standard library; the same bits on every machine "
                  "have fast_exp() and fast_erf() of tensor/vector_math.hpp, exp() and log() of "
                  "tensor/portable_math.hpp"
                  for _, place, line in numbered(of_ops(r"(\w+_)?cpu[.]cpp$"))
                  for found in [OF_THE_LIBRARY.search(code_of(line))] if found)

    # ---- sizes -----------------------------------------------------------------------------------

    def test_no_source_is_longer_than_one_room(self):
        self.none(f"{name_of(path)}:{count}: {count} lines, at most {MAX_LINES}"
                  for path in files("common", "chapters") for count in [len(lines(path))]
                  if count > MAX_LINES)

    def test_no_line_is_too_wide(self):
        scripts = [path for path in FILES if path.suffix in {".py", ".sh", ".cmake"}
                   or name_of(path) in ("learn", ".ci/run") or path.name == "CMakeLists.txt"]
        self.none(f"{place}: {len(line)} columns, at most {MAX_COLUMNS}"
                  for _, place, line in numbered(files() + scripts) if len(line) > MAX_COLUMNS)

    def test_no_two_versions_stand_side_by_side(self):
        """As git leaves them where it could not choose."""
        self.none(f"{place}: {line[:20]}" for _, place, line in numbered(text_files())
                  if re.match("<{7} |>{7} ", line))

    def test_every_name_in_a_script_is_somebodys(self):
        """Moving a function leaves its callers behind, and Python says so when a line runs."""
        scripts = [path for path in FILES if path.suffix == ".py" or name_of(path) == "learn"]
        self.assertGreater(len(scripts), 100)
        self.none(f"{name_of(path)}:{line}: nothing is called {name}"
                  for path in scripts for line, name in unknown_names(path.read_text("utf-8")))
        self.assertEqual([(2, "visible")],
                         unknown_names("from tools import shown\nshown(visible(1))\n"))

    def test_no_passage_stands_twice(self):
        """Ten lines of code that stand in two places want one place of their own."""
        places: dict[tuple[str, ...], list[str]] = {}
        for path in (path for path in files("common", "chapters") if not in_exercises(path)):
            code = [(number, " ".join(line.split("//")[0].split()))
                    for number, line in enumerate(lines(path), 1)]
            code = [(number, line) for number, line in code if line and line[0] != "#"]
            for at in range(len(code) - 9):
                passage = tuple(line for _, line in code[at:at + 10])
                places.setdefault(passage, []).append(f"{name_of(path)}:{code[at][0]}")
        self.none(f"{found[0]}: the next ten lines of code stand at {found[1]} too"
                  for found in places.values() if len(found) > 1)

    # ---- words -----------------------------------------------------------------------------------

    def test_no_path_of_one_machine(self):
        pattern = re.compile(r"(?:^|[^A-Za-z0-9_.~$}])/(?:work|farm|root|home|Users)/[A-Za-z0-9_.]")
        self.none(f"{place}: {found[0].strip()}" for _, place, line in numbered(text_files())
                  for found in [pattern.search(line)] if found)

    def test_the_chinese_pages_have_one_term_for_one_thing(self):
        written = [path for path in FILES if path.suffix in {".md", ".toml", ".po"}
                   or in_exercises(path)]
        self.none(f"{name_of(path)}:{number}: {found[0]}: write {term}"
                  for path in written for number, line in enumerate(own_words(path), 1)
                  for retired, term in RETIRED.items()
                  for found in [re.search(retired, line)] if found)

    def test_english_has_the_words_of_the_field(self):
        """In pages, in what lessons print (the msgids) and in the code's comments and strings."""
        pages = [path for path in files(kinds={".md"}) if not path.name.endswith(".zh.md")
                 and not name_of(path).startswith("docs/zh/") and path.name != "CHANGELOG.md"]
        texts = [(path, path.read_text(encoding="utf-8"))
                 for path in pages + files("common", "chapters", "bench", "live")
                 + files("tools", kinds={".py", ".txt"}) + files(kinds={".po"})]
        texts = [(path, re.sub(r"(?m)^msgstr .*$", "", text) if path.suffix == ".po" else text)
                 for path, text in texts]
        self.none(f"{name_of(path)}:{text.count(chr(10), 0, found.start()) + 1}: "
                  f"{found[0]!r}: {term}"
                  for path, text in texts for found, term in retired_english(text))

    def test_the_glossary_finds_what_it_retired(self):
        for said in ("D = 16. Compared are the outputs", "symbols. In brackets\nstands the page",
                     "read at\n// every place", "the derivative by $`x`$", "as\n  stern as a GPU",
                     "one place to the right", "several\nbeginnings at once"):
            self.assertTrue(list(retired_english(said)), said)
        for said in ("no place for the weights", "the beginning of the text", "in place of x",
                     "a turn of the clock hand"):
            self.assertFalse(list(retired_english(said)), said)

    def test_before_chapter_8_nothing_is_called_the_memory(self):
        """The encoder's output is `encoded`, keys and values are kept in a cache."""
        called = re.compile(r"\b[Tt]he memory\b|\bTensor& memory\b|记忆|memory 的")
        place = re.compile(r"(chapters|docs/en|docs/zh)/0[1-7]_")
        self.none(f"{where}: {found[0]}"
                  for path, where, line in numbered(files(kinds={".md", ".po", ".hpp", ".cpp"}))
                  for found in [called.search(line)] if found and place.match(name_of(path)))

    def test_chinese_is_set_as_chinese(self):
        """Headings and inline code are left out, and keep their lines."""
        written = [path for path in files(kinds={".md"})
                   if path.name.endswith(".zh.md") or name_of(path).startswith("docs/zh/")]
        texts = [(path, without_code(path)) for path in written]
        self.none(f"{place}: {found[0]!r}: {rule}"
                  for pattern, rule in ((CROWDED, "a space"), (HALF_WIDTH, "full width, no space"),
                                        (SPLIT, "break the line at a punctuation mark"))
                  for place, found in found_in(texts, pattern))

    # ---- pages -----------------------------------------------------------------------------------

    def test_a_token_such_as_eos_stands_in_code(self):
        """GitHub takes a bare one for an element, and leaves it out."""
        texts = [(path, CODE_OR_COMMENT.sub(lambda code: "\n" * code[0].count("\n"),
                                            path.read_text(encoding="utf-8")))
                 for path in files(kinds={".md"})]
        self.none(f"{place}: {found[0]}: a token stands between ` and `"
                  for place, found in found_in(texts, ELEMENT)
                  if found[1].lower() not in ELEMENTS)

    def test_every_link_leads_somewhere(self):
        self.none(f"{name_of(path)}:{number}: {target}"
                  for path in files(kinds={".md"}) for number, target in links(path)
                  if not (path.parent / target).exists())

    def test_every_chapter_is_in_both_readmes(self):
        chapters = sorted({"/".join(name_of(path).split("/")[:2]) for path in files("chapters")
                           if re.match(r"chapters/\d\d_", name_of(path))
                           and not in_exercises(path)})
        self.none(f"{readme}:1: no row of a table names {chapter}"
                  for readme in ("README.md", "README.zh.md")
                  for rows in ["\n".join(row for row in lines(ROOT / readme) if row[:1] == "|")]
                  for chapter in chapters if chapter not in rows)

    # ---- what belongs to an op and to a layer ----------------------------------------------------

    def test_every_op_stands_on_the_page_of_the_engine(self):
        pages = [ROOT / f"docs/{language}/engine.md" for language in ("en", "zh")]
        self.none(f"{place}: {op} is not in the table of {name_of(page)}"
                  for path, place, line in numbered(of_ops(r".*\.hpp$"))
                  for op in re.findall(r"^Tensor (\w+)\(", line)
                  for page in pages if f"`{op}`" not in page.read_text(encoding="utf-8"))

    def test_every_backward_is_checked_by_finite_differences(self):
        tests = "".join(path.read_text() for path in files("tests"))
        known = {path: ops_with_backward(path.read_text()) for path in of_ops(r".*\.cpp$")}
        self.none(f"{name_of(path)}: calls record(), and no Op in it says what backward computes"
                  for path, ops in known.items()
                  if not ops and re.search(r"\brecord\(", path.read_text()))
        self.none(f'{name_of(path)}: no test in tests/ops calls check_gradients("{op}", …'
                  for path, ops in known.items() for op in ops
                  if not re.search(rf'\bcheck_gradients\(\s*"{op}\b', tests))

    def test_an_op_with_a_backward_is_seen(self):
        op, no_backward = 'Op op{"cube", "x^3"\n   " each", "dx = 3"};', 'Op op{"top_k", "the k"};'
        self.assertEqual(ops_with_backward(op + no_backward), ["cube"])
        self.assertEqual(ops_with_backward('activation({"tanh", "tanh x", "dx"}, k, x)'), ["tanh"])

    def test_every_op_has_pytorchs_numbers(self):
        """Dropout draws its own numbers; what works in place is compared with what does not."""
        stored = (ROOT / "tests/golden/ops.safetensors").read_bytes()
        header = json.loads(stored[8:8 + int.from_bytes(stored[:8], "little")])
        known = {word for name in header for word in re.split("[./]", name)} | {"dropout"}
        self.none(f"{name_of(path)}: {op} has no case in tests/golden/ops.safetensors, which "
                  "tests/golden/reference.py writes"
                  for path in of_ops(r".*\.hpp$")
                  for op in sorted(set(re.findall(r"^Tensor (\w+)\(", path.read_text(), re.M)))
                  if op.removesuffix("_in_place") not in known)

    def test_every_layer_has_a_test(self):
        tests = "".join(path.read_text() for path in files("tests"))
        layer = re.compile(r"^(?:struct|class) (\w+)[^;{]*\{(.*?)^\};", re.M | re.S)
        self.none(f"{name_of(path)}: no test below tests/ uses the layer {name}"
                  for path in files("chapters") if path.suffix == ".hpp"
                  and not path.name.startswith("lesson") and not in_exercises(path)
                  for name, body in layer.findall(path.read_text())
                  if "visit(" in body and "operator()" in body
                  and not re.search(rf"\b{name}\b", tests))

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_a_checkout_that_would_have_crlf_has_lf_and_the_same_bytes(self):
        """As git for Windows has it by default; WSL then runs the scripts."""
        samples = [name for name in ("learn", ".ci/run", "CMakePresets.json", "tools/zh.po",
                                     "tests/golden/model_bpe/source.model")
                   if (ROOT / name).is_file()]
        with tempfile.TemporaryDirectory() as name:
            git = ["git", "-C", name, "-c", "core.autocrlf=true", "-c", "user.name=x", "-c",
                   "user.email=x@x"]
            for sample in [".gitattributes", *samples]:
                (Path(name) / sample).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / sample, Path(name) / sample)
            for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
                subprocess.run([*git, *command], check=True, stderr=subprocess.DEVNULL)
            for sample in samples:
                (Path(name) / sample).unlink()
            subprocess.run([*git, "checkout", "-q", "."], check=True)
            for sample in samples:
                self.assertEqual((ROOT / sample).read_bytes(), (Path(name) / sample).read_bytes())

    # ---- layout ----------------------------------------------------------------------------------

    def test_clang_format_would_change_nothing(self):
        program = shutil.which("clang-format")
        if not program:
            self.skipTest("clang-format is not installed")
        version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True).stdout
        number = re.search(r"version (\d+)", version)
        if not number or int(number[1]) != CLANG_FORMAT:
            self.skipTest(f"clang-format {CLANG_FORMAT} is wanted, this is: {version.strip()}")
        answer = subprocess.run([program, "--dry-run", "-Werror", *map(str, files())], cwd=ROOT,
                                stderr=subprocess.PIPE, text=True)
        first = (line for line in answer.stderr.splitlines() if "error:" in line)
        self.none(line.replace(f"{ROOT}/", "").replace("code should be clang-formatted", "layout")
                  for line in first)
        self.assertEqual(answer.returncode, 0, answer.stderr)


def own_words(path: Path) -> list[str]:
    """The lines of a file, those left empty that a page takes from programs and files: their words
    are the catalogues'."""
    blocks = re.compile(r"(?s)(<!-- (output|snippet|findings)\b.*?-->)(.*?)(?=<!-- /\2)")
    return blocks.sub(lambda found: found[1] + "\n" * found[3].count("\n"),
                      path.read_text(encoding="utf-8")).splitlines()


def links(path: Path):
    """(line number, target) of each relative link and picture outside code blocks."""
    fenced = False
    for number, line in enumerate(lines(path), 1):
        fenced ^= line.lstrip().startswith("```")
        if fenced:
            continue
        plain = re.sub(r"`[^`]*`", "", line)
        for target in re.findall(r"\]\(<?([^)\s>]+)|(?:src|href)=\"([^\"]+)\"", plain):
            target = (target[0] or target[1]).split("#")[0]
            if target and not re.match(r"[a-z]+:", target):
                yield number, target


if __name__ == "__main__":
    unittest.main(verbosity=2)
