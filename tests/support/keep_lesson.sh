#!/usr/bin/env bash
# keep_lesson.sh PROGRAM FOLDER: a lesson's test, which keeps what it prints as FOLDER/lesson.txt,
# beside what it writes (tools/book/recorded.py).
set -euo pipefail
rm -rf "$2"  # a picture that a lesson no longer draws
mkdir -p "$2"
"$1" --out "$2" --language en | tee "$2/printed"
mv "$2/printed" "$2/lesson.txt"
