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
            "--zh or --en: the language",
    "task": "The task as plain text; on the web it is the README.md beside the file.\n"
            "--zh or --en: the language",
    "try": "Compiles your exercise.cpp, runs its tests, shows the first difference and what your "
           "code\nprints, and names the mistake if it is a known one. Exit code: 0 passed, 1 not "
           "yet,\n2 a wrong command. --zh or --en: the language",
    "watch": "As ./learn try, at every save; after a pass it goes on to the next exercise. Ctrl-C "
             "ends it.\n--zh or --en: the language",
    "hint": "The idea, then the tools, then almost the answer. Hints cost nothing.\n"
            "--zh or --en: the language",
    "reset": "Your version is kept in out/exercises/, with the time in its name.\n"
             "--zh or --en: the language",
    "solution": "--spoiler: also before you passed. --zh or --en: the language",
    "status": "--zh or --en: the language",
    "verify": "Skeletons must fail, solutions pass, and each known mistake be named. With --record "
              "what the known mistakes give is written to mutants.json, from which they are named.",
    "grade": "FOLDER holds a folder per student, and in it a copy of the checkout or files named "
             "02-01.cpp.\n--json FILE, --junit FILE, --csv FILE: the results, to be read by "
             "programs\n--sandbox auto|bwrap|unshare|none: where hand-ins are compiled and run; "
             "docs/en/teaching.md says more",
    "data": "It takes no flags.",
    "doctor": "It takes no flags.",
}


MEANING_COLUMN = 32  # of what a command does


def show(command: str = "") -> None:
    """All commands, or more on one of them."""
    lines = HELP.rstrip().split("\n")
    if command:
        lines = [line for line in lines if line.startswith(f"  ./learn {command} ")]
        lines += ["", *MORE[command].split("\n")]
    for line in lines:
        indent = MEANING_COLUMN if line.startswith("  ./learn") else 0
        say("\n".join(wrapped(line, width(), indent)))
