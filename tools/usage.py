"""The text of `./learn --help`, and of `--help` after each command; Chinese is in tools/zh.po."""

from __future__ import annotations

from tools.language import words
from tools.terminal import say, width, wrapped

TITLE = "Transformer by Hand: a Transformer in C++, from an embedding to a translator."

# What can be typed, and what it does.
COMMANDS = (
    ("", "set up what is missing, run every lesson, draw the pictures"),
    ("chapter N [ARG...]", "one chapter's program: ./learn chapter 7 train --help"),
    ("list [N]", "how far you are in each chapter; N: its exercises"),
    ("task [ID]", "what to do in one exercise"),
    ("try [ID]", "judge one: ./learn try 02-01"),
    ("watch [ID]", "judge again whenever you save"),
    ("hint [ID]", "the next of three hints"),
    ("reset ID", "the skeleton again; your version is kept"),
    ("solution [ID]", "once you have passed, or with --spoiler"),
    ("status", "what passed, with how many tries and hints"),
    ("mine", "the Transformer, with your own code wherever it passes"),
    ("mine train [ARG...]", "trains it; then ./learn mine translate \"SENTENCE\""),
    ("mine page", "one HTML file with your model in it, to open or to send"),
    ("mine history", "from counted letters to a published model, in your code"),
    ("mine generate", "a published model writes through your code"),
    ("capstone A [ARG...]", "the program made of your milestones: ./learn capstone A"),
    ("quiz [CHAPTER]", "eight questions on a chapter; --print: to hand out"),
    ("teach exam", "an exam drawn by --seed S; --answers adds the answers"),
    ("teach slides", "slides for ten weeks, made from the pages"),
    ("teach lab N", "the sheet for one week's lab"),
    ("verify [ID...]", "are the exercises themselves sound?"),
    ("grade FOLDER [ID...]", "grade a class, one folder per student; --json, --junit, --csv FILE"),
    ("test [--filter NAME]", "build everything and run the tests; --long: those that take hours"),
    ("data", "list the corpora, mark those here, and cut the missing splits"),
    ("data get NAME", "fetch one; --from FILE|URL: from elsewhere"),
    ("bench [ARG...]", "how fast this machine trains and translates"),
    ("docs [--check]", "rewrite or compare code, output and pictures in the pages of docs/"),
    ("site [--pdf]", "the book: the pages as a site in out/site, and the live page"),
    ("live --model DIR", "the live page with your model in it, one file to open or to send"),
    ("doctor", "is everything in place? what to type if not"),
    ("--help", "this text; ./learn try --help says more about one command"),
)

NOTES = """\
An ID may be typed 02-01 or 2-1. Without one, it is the exercise you worked on last, or the next
that is open. The exercises are in Chinese where the terminal is, or with --zh; --en keeps them
English. Your code is in my/, everything else is written under build/ and out/; corpora are read
from $XF_DATA or ../shared/data."""

# The details of each command, shown below its line in the list above. `bench`, `docs` and `test`
# have flags of their own and describe them themselves.
MORE = {
    "chapter": """\
N is the number or the name: 2, attention, 02_attention. Chapters 7 and 8 train, translate
and generate: ./learn chapter 7 --help. One section of a lesson: ./learn chapter 2 --section 7
Do its claims hold for other random numbers? ./learn chapter 2 --seeds 100 runs it for the seeds
1 to 100 and counts for how many each claim fails; the exit code is 0 if each holds for 99
of 100""",
    "capstone": "A is the letter or the name: A, language_model. The milestones are exercises: "
                "./learn task A-1\n"
                "What each capstone requires: docs/en/capstones.md. Flags of its program: ./learn "
                "capstone A --help",
    "list": """\
A line for each chapter and capstone, with a cell for each exercise: # passes, ~ was
tried, . has not been begun.
./learn list 02: a chapter's; ./learn list softmax: with a word in the title. There
[x] passes as the file is now; [~] was tried and does not pass, or no longer does.
--zh or --en: choose the language""",
    "task": """\
The task as plain text, and the skeleton of the code as a file in my/. It is yours: no
update touches it. On the web the task is the README.md of the exercise.
--seed S: as in the course with this seed; without it, the file course-seed
--zh or --en: choose the language""",
    "try": """\
Compiles your file in my/, runs its tests, shows the first difference and what your code
prints, and names the mistake if it is a known one. Exit code: 0 passed, 1 not yet,
2 a wrong command. --all: every file that you changed, a line each.
--seed S: as in the course with this seed; without it, the file course-seed
--zh or --en: choose the language""",
    "watch": """\
As ./learn try, at every save. Keys: h the next hint, t the task, s the solution after a pass,
n the next exercise, l the list, q or Ctrl-C ends it. Without a terminal, it moves to the next
exercise after a pass. --zh or --en: choose the language""",
    "hint": """\
The idea, then the tools, then almost the answer. Hints cost nothing.
--zh or --en: choose the language""",
    "reset": """\
Your version is kept in out/exercises/, with the time in its name.
--zh or --en: choose the language""",
    "solution": """\
--spoiler: show it even if you have not passed yet. --zh or --en: choose the language""",
    "status": "--zh or --en: choose the language",
    "mine": """\
Each part of the Transformer is an exercise. If your file in my/ passes, your code is used,
otherwise the book's. Without a command: draws the model and says what to write next.
train [ARG...]: chapter 7's training with your parts, on its little language or on --pairs FILE;
the model goes to out/mine/model, the previous one to out/mine/before
translate "SENTENCE" ..., evaluate, score, attend: chapter 7's commands, with that model unless
--model says otherwise. Flags: ./learn mine train --help. They compute in `same` arithmetic.
generate --prompt TEXT: chapter 9's command, with the model of ./learn data get smollm2 unless
--model DIR says otherwise
compare: trains with your parts and with the book's; with --model DIR, runs a text through a
published model with both. It names what differs.
page: the live page with that model, written to out/mine/page.html; change these with --model DIR
and --out FILE
history: six stations and the commands that show them, such as letters, alignment, games and
recall
--zh or --en: choose the language""",
    "quiz": """\
CHAPTER is a number, 0 to 12; without it, the list. Type a letter; q stops.
--seed S: questions and options in another order; 0: in the original order
--print: only the questions, to hand out; --key: with the letters of the right answers
--zh or --en: choose the language""",
    "teach": """\
exam prints an exam of 90 marks and as many minutes: questions and numbers are drawn by the seed.
--seed S: another exam; --answers: the model answers as well
--marks N: shorter or longer; --chapters A-B: from these chapters, by default 0-8
slides writes the slides for ten weeks to out/slides, in both languages
lab N prints the sheet of week N for the person leading the lab
--zh or --en: choose the language; both have the same numbers""",
    "verify": """\
Skeletons must fail, solutions must pass, fresh inputs included, and each known mistake must be
named.
--record: write the results of the known mistakes to exercises/mutants.json, by which
they are named
--sample: run one mistake of each exercise and take the others from that record""",
    "grade": """\
FOLDER holds a folder per student, and in it what the student has in my/, a copy of the
checkout, or files named 02-01.cpp.
--json FILE, --junit FILE, --csv FILE: the results, to be read by programs
--compete MINUTES: then train a translator that long with each hand-in's parts; BLEU ranks them
--seed S: the numbers and variants of this course; without it, the file course-seed
--sandbox auto|bwrap|none: where hand-ins are compiled and run; docs/en/teaching.md says more""",
    "data": """\
get downloads a corpus to out/data/NAME, shows its source and licence first, and resumes where a
broken download or Ctrl-C left off. Known checksums (SHA-256) are compared; others are
recorded, and compared the next time. From an archive, only the files that the corpus needs are
unpacked
--from FILE: a folder or an archive (.zip, .tar.gz, .gz) on this machine
--from URL: another mirror, a folder with the same names or one archive""",
    "doctor": "It takes no flags.",
}

MEANING_COLUMN = 32  # the column of a command's description


def show(command: str = "", zh: bool = False) -> None:
    """All commands, or the details of one of them."""
    lines = [f"  ./learn {typed}".ljust(MEANING_COLUMN) + words(meaning, zh)
             for typed, meaning in COMMANDS if not command or typed.split()[:1] == [command]]
    if command:
        lines += ["", *words(MORE[command], zh).split("\n")]
    else:
        lines = [words(TITLE, zh), "", *lines, "", *words(NOTES, zh).split("\n")]
    for line in lines:
        indent = MEANING_COLUMN if line.startswith("  ./learn") else 0
        say("\n".join(wrapped(line, width(), indent)))
