"""Every reader of fuzz/readers.cpp under libFuzzer for so many processor seconds:

    cmake --preset fuzz && ninja -C build/fuzz fuzz_readers
    python3 tests/fuzz/long_run.py --seconds 600 FOLDER [READER ...]

FOLDER keeps the inputs of each reader, and its finding if there is one. A line for each on standard
output, those of docs/results/logs/fuzz.txt. Exit code 1 if there was a finding."""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/fuzz/bin/fuzz_readers"
TICKS = os.sysconf("SC_CLK_TCK")


def all_readers():
    """The names that the program offers when it is given none."""
    offered = subprocess.run([PROGRAM], capture_output=True, text=True).stderr
    return offered.split("?")[1].split()


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def interrupt_after(process, seconds):
    """Interrupts the process when it has used so many processor seconds: then it ends."""
    while process.poll() is None:
        if processor_seconds(process.pid) >= seconds:
            process.send_signal(signal.SIGINT)
            return
        time.sleep(1)


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def fuzzed(reader, folder, seconds):
    """(the line of the log, whether there was no finding)"""
    before = children_seconds()
    process = subprocess.Popen(
        [PROGRAM, reader, "-timeout=60", "-rss_limit_mb=1024", "-max_len=65536",
         f"-artifact_prefix={folder / reader}-", folder / reader],
        stderr=subprocess.PIPE, text=True, errors="replace")
    threading.Thread(target=interrupt_after, args=(process, seconds), daemon=True).start()
    most = (0, 0, 0)  # inputs, edges, megabytes
    for line in process.stderr:
        if told := re.match(r"#(\d+).* cov: (\d+) .* rss: (\d+)Mb", line):
            most = tuple(map(max, most, map(int, told.groups())))
    process.wait()
    used = children_seconds() - before
    found = sorted(file for kind in ("crash", "leak", "oom", "timeout")
                   for file in folder.glob(f"{reader}-{kind}-*"))
    verdict = f"FINDING {found[0].name}" if found else "no finding"
    return (f"{reader:18} processor seconds {used:6.1f}  inputs {most[0]:8}  edges {most[1]:5}  "
            f"peak {most[2]:4} MB  {verdict}"), not found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600,
                        help="processor seconds for each reader")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("readers", nargs="*")
    asked = parser.parse_args()
    if not PROGRAM.exists():
        parser.error("build/fuzz/bin/fuzz_readers is not built: "
                     "cmake --preset fuzz && ninja -C build/fuzz fuzz_readers")
    unknown = set(asked.readers) - set(all_readers())
    if unknown:
        parser.error(f"no reader {min(unknown)}: {' '.join(all_readers())}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    clean = True
    for reader in asked.readers or all_readers():
        line, ok = fuzzed(reader, asked.folder, asked.seconds)
        print(line, flush=True)
        clean = clean and ok
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
