"""docs/results/gpu.md and gpu.zh.md, written from the record of tools/gpu_check.py.

Each page has two parts that a record fills, between `<!-- gpu: NAME -->` and `<!-- /gpu -->`: what
the page is about, and the figures. All else is left as it is.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

PAGES = {"en": "gpu.md", "zh": "gpu.zh.md"}

WORDS = {
    "en": {
        "summary": "What was measured of the [kernels for a GPU](../en/10_gpu.md), and what was "
                   "not. The figures below [On a GPU](#on-a-gpu) are from one {gpu}, {date}; the "
                   "others from a processor, where the emulator ran the kernels.",
        "machine": "{gpu}, {memory}, driver {driver}; {system}, {cores} cores; {date}. Written by "
                   "`tools/gpu_check.py` from [its record](logs/gpu.json); what each step printed "
                   "is in [the log](logs/gpu.txt).",
        "tests": "`test_cuda` on the device: {cases} test cases, {assertions} assertions, all "
                 "passed.",
        "nearest": "Nearest to its bound came “{case}”: {gap:.2g} of {bound:.2g} of the largest "
                   "number.",
        "tests_failed": "**`test_cuda` failed on the device.**",
        "no_tests": "`test_cuda` was not run.",
        "sanitizers": "compute-sanitizer: {tools}.",
        "no_sanitizers": "compute-sanitizer was not run.",
        "clean": "no finding", "found": "**findings, or it failed**",
        "no_cublas": "**Built without cuBLAS:** the matrix products are this project's own, and "
                     "slow.",
        "failed": "**Failed:** {names}.", "left_out": "Left out: {names}.",
        "cut": "**Cut off by a phase's end:** {names}.",
        "lessons": "The lessons of all chapters on the device: {count} of {all} hold all that they "
                   "claim; sections that train little print the processor's numbers, but for "
                   "rounding.",
        "kernels": "Kernels, with their share of what the device delivers at best: of the "
                   "bandwidth of a copy, or of the library's product at the same precision.",
        "kernel_head": "| Kernel | µs | GB/s | GFLOP/s | Share |",
        "speed": "Whole steps, in tokens a second, beside PyTorch {torch} (CUDA {cuda}) on the "
                 "same GPU. A ratio above 1 is ours ahead.",
        "speed_alone": "Whole steps, in tokens a second. PyTorch with CUDA was not there to "
                       "compare with.",
        "speed_head": "| What | Precision | ours | ms a step | PyTorch | ratio | torch.compile | "
                      "ratio |",
        "train": "training, `base`, 4,096 tokens a batch",
        "large": "training, `base`, 25,088 tokens a batch",
        "multi30k": "training, `multi30k`, 2,048 tokens a batch",
        "medium": "training, Transformer-XL, 6 layers, d 256, segment and memory 150, 60 streams",
        "xl": "training, Transformer-XL, 12 layers, d 512, segment and memory 512, 8 streams",
        "decode": "greedy decoding, `base`, 64 sentences",
        "and": ", ", "then": " ",
    },
    "zh": {
        "summary": "[GPU kernel](../zh/10_gpu.md) 有哪些经过测量，哪些没有。"
                   "[在 GPU 上](#在-gpu-上)一节的数字来自一块 {gpu}，{date}；其余来自 CPU，"
                   "kernel 由模拟器运行。",
        "machine": "{gpu}，{memory}，驱动 {driver}；{system}，{cores} 核；{date}。"
                   "由 `tools/gpu_check.py` 根据[记录](logs/gpu.json)写成；"
                   "每一步打印了什么，见[日志](logs/gpu.txt)。",
        "tests": "`test_cuda` 在设备上：{cases} 个测试、{assertions} 个断言，全部通过。",
        "nearest": "离界限最近的是“{case}”：最大数的 {gap:.2g}，界限 {bound:.2g}。",
        "tests_failed": "**`test_cuda` 在设备上没有通过。**",
        "no_tests": "没有运行 `test_cuda`。",
        "sanitizers": "compute-sanitizer：{tools}。",
        "no_sanitizers": "没有运行 compute-sanitizer。",
        "clean": "没有发现问题", "found": "**发现问题，或没有跑完**",
        "no_cublas": "**编译时没有 cuBLAS：** 矩阵乘积用的是本项目自己的 kernel，很慢。",
        "failed": "**没有通过：** {names}。", "left_out": "没有做：{names}。",
        "cut": "**到了该阶段的时限而中断：** {names}。",
        "lessons": "各章的程序在设备上：{all} 章中有 {count} 章的断言全部成立；训练较少的各节，"
                   "除舍入外，打印的数字与 CPU 上相同。",
        "kernels": "各 kernel，以及它占设备最好成绩的比例：复制的带宽，或同样精度下库函数的乘积。",
        "kernel_head": "| Kernel | µs | GB/s | GFLOP/s | 比例 |",
        "speed": "整步，每秒词元数；旁边是同一块 GPU 上的 PyTorch {torch}（CUDA {cuda}）。"
                 "比值大于 1 表示本项目更快。",
        "speed_alone": "整步，每秒词元数。没有带 CUDA 的 PyTorch 可比。",
        "speed_head": "| 项目 | 精度 | 本项目 | 每步毫秒 | PyTorch | 比值 | torch.compile | 比值 |",
        "train": "训练，`base`，每批 4,096 个词元",
        "large": "训练，`base`，每批 25,088 个词元",
        "multi30k": "训练，`multi30k`，每批 2,048 个词元",
        "medium": "训练，Transformer-XL，6 层，d 256，段与记忆各 150，60 路",
        "xl": "训练，Transformer-XL，12 层，d 512，段与记忆各 512，8 路",
        "decode": "贪心解码，`base`，64 句",
        "and": "、", "then": "",
    },
}


class Problem(Exception):
    """Something is wrong with what was asked for; one line says what."""


def page(text: str, record: dict, language: str) -> str:
    """The page with this record in its two parts."""
    words = WORDS[language]
    for name, content in (("summary", words["summary"].format(**fields(record))),
                          ("figures", figures(record, words))):
        place = re.compile(rf"(<!-- gpu: {name} -->\n).*?(<!-- /gpu -->\n)", re.S)
        if not place.search(text):
            raise Problem(f"{PAGES[language]}: there is no place <!-- gpu: {name} --> to fill")
        text = place.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text, count=1)
    return text


def fields(record: dict) -> dict:
    return {**record["machine"], "date": record["date"]}


def figures(record: dict, words: dict) -> str:
    names = words["and"].join
    parts = [words["machine"].format(**fields(record)), checked(record, words)]
    if not record.get("cublas", True):
        parts.append(words["no_cublas"])
    for how in ("failed", "cut", "left_out"):
        if found := steps(record, how):
            parts.append(words[how].format(names=names(found)))
    if record.get("kernels"):
        parts += [words["kernels"], kernel_table(record["kernels"], words)]
    if any(row["ours"] for row in record.get("speed", [])):
        parts += speed(record["speed"], words)
    return "\n\n".join(parts)


def steps(record: dict, how: str) -> list[str]:
    """Those of all phases that failed, were cut off, or were left out."""
    return [name for phase in record["phases"].values() for name in phase[how]]


def checked(record: dict, words: dict) -> str:
    tests, sanitizers = record.get("tests"), record.get("sanitizers")
    said = words["tests"].format(cases=count(tests["cases"]),
                                 assertions=count(tests["assertions"])) if tests \
        else words["tests_failed"] if "tests" in record["phases"] else words["no_tests"]
    if tests and tests.get("nearest"):
        said += words["then"] + words["nearest"].format(**tests["nearest"][0])
    if lessons := record.get("lessons"):
        said += words["then"] + words["lessons"].format(**lessons)
    if not sanitizers:
        return said + words["then"] + words["no_sanitizers"]
    tools = words["and"].join(f"{tool} {words['clean' if clean else 'found']}"
                              for tool, clean in sanitizers.items())
    return said + words["then"] + words["sanitizers"].format(tools=tools)


def kernel_table(rows: list[dict], words: dict) -> str:
    lines = [words["kernel_head"], "|---|--:|--:|--:|--:|"]
    lines += [f"| {row['name']} | {row['microseconds']:,.1f} | {row['gb_per_s']:,.0f} | "
              f"{row['gflop_per_s']:,.0f} | {100 * row['share']:.0f} % |" for row in rows]
    return "\n".join(lines)


def speed(rows: list[dict], words: dict) -> list[str]:
    theirs = next((row[side] for row in rows for side in ("eager", "compile") if row[side]), None)
    said = words["speed"].format(**theirs) if theirs else words["speed_alone"]
    lines = [words["speed_head"], "|---|---|--:|--:|--:|--:|--:|--:|"]
    for row in rows:
        cells = [words[row["what"]], row["precision"]]
        ours = row["ours"]
        cells += [count(ours["tokens_per_s"]), f"{ours['ms_per_step']:.2f}"] if ours else ["-", "-"]
        for side in ("eager", "compile"):
            cells += against(ours, row[side])
        lines.append("| " + " | ".join(cells) + " |")
    return [said, "\n".join(lines)]


def against(ours: dict | None, theirs: dict | None) -> list[str]:
    """The other's tokens a second, and ours over them."""
    if not theirs:
        return ["-", "-"]
    ratio = f"{ours['tokens_per_s'] / theirs['tokens_per_s']:.2f}" if ours else "-"
    return [count(theirs["tokens_per_s"]), ratio]


def count(number: float | None) -> str:
    return "?" if number is None else f"{number:,.0f}"


def write(folder: Path, record: dict) -> None:
    """Pages, record and log into `folder`, or, when a page cannot be written, none of them."""
    pages = {folder / name: page((folder / name).read_text(encoding="utf-8"), record, language)
             for language, name in PAGES.items()}
    log = [line for phase in record["phases"].values() for line in phase["log"]]
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "logs/gpu.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / "logs/gpu.txt").write_text("\n".join(log) + "\n", encoding="utf-8")
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


def read(path: Path) -> dict:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        steps(record, "failed")
        return record
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: no record of tools/gpu_check.py ({error})") from None


def take(folder: Path, path: Path) -> None:
    """The pages from a record that was made elsewhere."""
    record = read(path)
    try:
        write(folder, record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: no record of tools/gpu_check.py ({error})") from None
    print(f"written: {', '.join(str(folder / name) for name in PAGES.values())}")
