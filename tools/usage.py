"""What `./learn --help` says, and `--help` behind each command."""

from __future__ import annotations

from tools.terminal import say, width, wrapped

HELP = """Transformer by Hand: a Transformer in C++, from an embedding to a translator.

  ./learn                       set up what is missing, run every lesson, draw the pictures
  ./learn chapter N [ARG...]    one chapter's program: ./learn chapter 7 train --help
  ./learn list                  the exercises, and which of yours pass
  ./learn task [ID]             what is to be done in one of them
  ./learn try [ID]              judge one: ./learn try 02-01
  ./learn watch [ID]            judge again whenever you save
  ./learn hint [ID]             one more of three hints
  ./learn reset ID              the skeleton again; your version is kept
  ./learn solution [ID]         after you passed, or with --spoiler
  ./learn status                what passed, with how many tries and hints
  ./learn quiz [CHAPTER]        eight questions of a chapter; --print: to hand out
  ./learn teach exam            an exam drawn by --seed S, with --answers
  ./learn verify [ID...]        are the exercises themselves sound?
  ./learn grade FOLDER [ID...]  a class: a folder per student; --json, --junit, --csv FILE
  ./learn test [--filter NAME]  build everything and run the tests; --matrix: with each compiler
  ./learn data                  which corpora are here; cuts the splits that are missing
  ./learn bench [ARG...]        how fast this machine trains and translates
  ./learn docs [--check]        code, output and pictures in the pages of docs/: rewrite, compare
  ./learn site [--pdf]          the book: the pages as a site in out/site, and the live page
  ./learn doctor                is everything in place? what to type if not
  ./learn --help                this text; ./learn try --help says more of one command

An ID may be typed 02-01 or 2-1. Without one, it is the exercise you worked on last, or the next
that is open. The exercises speak Chinese where the terminal does, or with --zh; --en keeps them
English. Everything is written below build/ and out/; corpora are read from $XF_DATA or
../shared/data.
"""

# More on one command; the line of the list above comes first. `bench`, `docs` and `test` have
# flags of their own and say so themselves.
MORE = {
    "chapter": "N is the number or the name: 2, attention, 02_attention. Chapters 7 and 8 train, "
               "translate\nand generate: ./learn chapter 7 --help. One section of a lesson: "
               "./learn chapter 2 --section 7\nAre its "
               "claims true for other random numbers, too? ./learn chapter 2 --seeds 100 runs it "
               "for the\nseeds 1 to 100 and counts for how many each one fails; exit code 0 if "
               "each holds for 99\nof 100",
    "list": "[x] passes as the file is now; [~] was tried and does not pass, or not any more.\n"
            "./learn list 02: of a chapter; ./learn list softmax: with this word in the title\n"
            "--zh or --en: the language",
    "task": "The task as plain text; on the web it is the README.md beside the file.\n"
            "--zh or --en: the language",
    "try": "Compiles your exercise.cpp, runs its tests, shows the first difference and what your "
           "code\nprints, and names the mistake if it is a known one. Exit code: 0 passed, 1 not "
           "yet,\n2 a wrong command. --all: every file that you changed, a line each. --zh or "
           "--en: the\nlanguage",
    "watch": "As ./learn try, at every save. Keys: h the next hint, t the task, s the solution "
             "after a pass,\nn the next exercise, l the list, q or Ctrl-C ends it. Without a "
             "terminal it goes on to the\nnext exercise after a pass. --zh or --en: the language",
    "hint": "The idea, then the tools, then almost the answer. Hints cost nothing.\n"
            "--zh or --en: the language",
    "reset": "Your version is kept in out/exercises/, with the time in its name.\n"
             "--zh or --en: the language",
    "solution": "--spoiler: also before you passed. --zh or --en: the language",
    "status": "--zh or --en: the language",
    "quiz": "CHAPTER is a number, 0 to 10; without it, the list. Type a letter; q stops.\n"
            "--seed S: questions and options in another order; 0: as they stand\n--print: the "
            "questions alone, to hand out; --key: with the letters of the right answers\n--zh or "
            "--en: the language",
    "teach": "exam prints an exam of 90 marks and minutes: questions and numbers are drawn by the "
             "seed.\n--seed S: another exam; --answers: the model answers as well\n--marks N: "
             "shorter or longer; --chapters A-B: of these chapters, 0-8 without it\n--zh or --en: "
             "the language; both have the same numbers",
    "verify": "Skeletons must fail, solutions pass, and each known mistake be named.\n"
              "--record: write what the known mistakes give to mutants.json, from which they are "
              "named\n--sample: run every fourth, and believe that record of the others",
    "grade": "FOLDER holds a folder per student, and in it a copy of the checkout or files named "
             "02-01.cpp.\n--json FILE, --junit FILE, --csv FILE: the results, to be read by "
             "programs\n--sandbox auto|bwrap|unshare|none: where hand-ins are compiled and run; "
             "docs/en/teaching.md says more",
    "data": "It takes no flags.",
    "doctor": "It takes no flags.",
}


HELP_ZH = """手写 Transformer：用 C++ 写的 Transformer，从词嵌入到翻译器。

  ./learn                       补齐环境，依次运行各章的程序，画出全部插图
  ./learn chapter N [ARG...]    运行一章的程序，例如 ./learn chapter 7 train --help
  ./learn list                  列出练习，以及你通过了哪些
  ./learn task [ID]             看一道题的题目
  ./learn try [ID]              评判一道题，例如 ./learn try 02-01
  ./learn watch [ID]            每次保存都重新评判
  ./learn hint [ID]             再看一条提示，每题三条
  ./learn reset ID              恢复成骨架，你写的另存一份
  ./learn solution [ID]         看答案：先要通过，或者加上 --spoiler
  ./learn status                通过了哪些，试过几次，看过几条提示
  ./learn quiz [CHAPTER]        一章的八道选择题；--print：打印成卷子
  ./learn teach exam            按 --seed S 抽一份试卷；--answers：连同答案
  ./learn verify [ID...]        检查练习本身是否完好
  ./learn grade FOLDER [ID...]  批改一个班，每个学生一个文件夹；--json、--junit、--csv FILE
  ./learn test [--filter NAME]  编译全部代码并运行测试；--matrix：换用各种编译器
  ./learn data                  列出已有的语料，切出缺少的部分
  ./learn bench [ARG...]        测量这台机器训练和翻译的速度
  ./learn docs [--check]        重写 docs/ 各页的代码、输出和插图；--check：只作比较
  ./learn site [--pdf]          把全书做成网站，放在 out/site，连同现场运行的网页
  ./learn doctor                检查环境；缺什么，就说该输入什么
  ./learn --help                显示本帮助；./learn try --help 详细说明一条命令

ID 可以写成 02-01 或 2-1；不写就是你上次做的那道题，或者下一道没做的题。练习说哪种语言随终端而定，
加上 --zh 用中文，加上 --en 用英文。所有文件都写在 build/ 和 out/ 之下；语料从 $XF_DATA 或 ../shared/data 读取。
"""

MORE_ZH = {
    "chapter": "N 是编号或名字：2、attention、02_attention。第 7、8 章的程序能训练、翻译和续写：\n"
               "./learn chapter 7 --help。只运行一节：./learn chapter 2 --section 7\n"
               "换了随机数，断言还成立吗？./learn chapter 2 --seeds 100 用种子 1 到 100 各运行一次，\n"
               "数出每条断言对几个种子不成立；每条都在 100 个中的 99 个上成立，退出码就是 0",
    "list": "[x]：文件现在的内容通过；[~]：试过，但没有通过，或者现在不再通过。\n"
            "./learn list 02：一章的练习；./learn list softmax：标题里有这个词的练习\n"
            "--zh 或 --en：用哪种语言",
    "task": "题目的纯文字；在网页上看，就是文件旁边的 README.zh.md。\n--zh 或 --en：用哪种语言",
    "try": "编译你的 exercise.cpp，运行它的测试，显示第一处差异和你的代码打印的内容；\n"
           "已知的错误会指出名字。退出码：0 通过，1 还没有，2 命令有误。\n"
           "--all：改过的每个文件都评判，各一行。--zh 或 --en：用哪种语言",
    "watch": "同 ./learn try，每次保存都做。按键：h 下一条提示，t 题目，s 答案（通过之后），n 下一道题，\n"
             "l 列表，q 或 Ctrl-C 结束。不在终端上时，通过后转到下一道题。--zh 或 --en：用哪种语言",
    "hint": "先是思路，然后是工具，最后几乎就是答案。看提示不扣分。\n--zh 或 --en：用哪种语言",
    "reset": "你写的版本存到 out/exercises/，文件名里带有时间。\n--zh 或 --en：用哪种语言",
    "solution": "--spoiler：没有通过也可以看。--zh 或 --en：用哪种语言",
    "status": "--zh 或 --en：用哪种语言",
    "quiz": "CHAPTER 是编号，0 到 10；不写就列出全部。输入字母作答，q 结束。\n"
            "--seed S：换一种题目和选项的次序；0：按原来的次序\n"
            "--print：只打印题目，用来发卷；--key：连同答案的字母\n--zh 或 --en：用哪种语言",
    "teach": "exam 打印一份 90 分、90 分钟的试卷，题目和数由种子抽出。\n"
             "--seed S：另一份试卷；--answers：连同参考答案\n"
             "--marks N：短些或长些；--chapters A-B：只考这些章，不写是 0-8\n"
             "--zh 或 --en：用哪种语言，两种语言的数相同",
    "verify": "骨架必须不通过，答案必须通过，每个已知的错误都必须认得出来。\n"
              "--record：把已知错误的结果写进 mutants.json，评判时据此指出名字\n"
              "--sample：只运行其中四分之一，其余的以这份记录为准",
    "grade": "FOLDER 里每个学生一个文件夹，其中是整个仓库的副本，或者名为 02-01.cpp 的文件。\n"
             "--json FILE、--junit FILE、--csv FILE：把结果写成程序可读的文件\n"
             "--sandbox auto|bwrap|unshare|none：作业在哪里编译和运行；详见 docs/zh/teaching.md",
    "data": "没有选项。",
    "doctor": "没有选项。",
}

# For the commands whose own help lists their flags in English.
FLAGS_ZH = {
    "test": "--filter NAME     只运行名字里含有 NAME 的测试\n"
            "--preset NAME     asan：用 AddressSanitizer 和 UBSan 编译；tsan：线程的测试，用 ThreadSanitizer\n"
            "--matrix [ROW...] 换用各种编译器：g++ 11 和 12，clang 14、16 和 19，以及模拟的 arm64；\n"
            "                  可以只做其中几行，不写就做还没有做的\n"
            "--digits [ROW...] 用 g++ 和 clang 为 x86-64-v2、v3、v4 和 arm64 编译各章程序，\n"
            "                  写出的每个字节都必须与记录相同；可以只做其中几行",
    "bench": "--only NAME        只测名字里含有 NAME 的项目，可以写多次；--list 列出所有名字\n"
             "--quick            每项两对，每次 4 步，PyTorch 用已知的快设置；双核机器上不到 6 分钟\n"
             "--python PATH      装有 PyTorch 的 Python（默认是运行本脚本的那个）\n"
             "--threads N        双方各用几个线程\n"
             "--pairs N          双方各运行几次（默认 5，--quick 时 2）\n"
             "--trial-steps N    试 PyTorch 的每种设置用几步（默认 7）\n"
             "--no-tune          不为 PyTorch 寻找最快的设置\n"
             "--no-compile       不测 torch.compile；--compile-seconds S：编译超过 S 秒就放弃（默认 300）\n"
             "--arithmetic       不与 PyTorch 比较，只测 same 算术相对 fast 的代价\n"
             "--scaling          另画一步的用时随词元数、层数、长度和线程数的变化\n"
             "--out DIR          写到哪个目录",
    "docs": "不写选项           把代码、输出和插图写进 docs/ 的各页\n"
            "--check            各页是否还与代码一致？什么也不改\n"
            "--record NAME      运行要训练的那一章 NAME，留下它的输出：只做过期的那种语言，都没过期就两种都做\n"
            "--record digits    留下各章程序写出的一切的摘要（供 ./learn test --digits 比较）\n"
            "--translated NAME  中文页 NAME 已与英文页一致",
    "site": "--pdf      另外做出 PDF，每种语言一份\n"
            "--no-live  不做现场网页；做它需要安装 emscripten（1.3 GB）",
}

MEANING_COLUMN = 32  # of what a command does


def show(command: str = "", zh: bool = False) -> None:
    """All commands, or more on one of them."""
    lines = (HELP_ZH if zh else HELP).rstrip().split("\n")
    if command:
        lines = [line for line in lines if line.startswith(f"  ./learn {command} ")]
        lines += ["", *({**MORE_ZH, **FLAGS_ZH} if zh else MORE)[command].split("\n")]
    for line in lines:
        indent = MEANING_COLUMN if line.startswith("  ./learn") else 0
        say("\n".join(wrapped(line, width(), indent)))
