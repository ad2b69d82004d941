#!/usr/bin/env python3
"""Several processes of one mpirun: the same bytes whatever their number, and what happens when one
of them fails. Skipped where there is no mpirun, or the programs were built without MPI."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support.checkout import BIN, ROOT
from support.programs import Commands, parts_of

TRANSFORMER, XL = BIN / "07_transformer", BIN / "08_transformer_xl"
MPIRUN = shutil.which("mpirun")
SKIPPED = 77
ON_HOSTS = "--hosts" in sys.argv

PAIRS = "".join(f"{s} {v} {o}\t{t} {w} {p}\n"
                for s, t in (("tom", "汤姆"), ("mary", "玛丽"), ("he", "他"))
                for v, w in (("sees", "看见"), ("likes", "喜欢"), ("knows", "认识"))
                for o, p in (("the dog", "狗"), ("a cat", "猫"), ("one bird", "鸟"), ("us", "我们")))
SMALL = {"--layers": 1, "--d-model": 16, "--d-ff": 24, "--heads": 2, "--batch-tokens": 40,
         "--valid-every": 4, "--average": 2, "--updates": 8, "--seed": 3, "--arithmetic": "same"}
SMALL_XL = {"--d-model": 8, "--d-ff": 12, "--heads": 2, "--layers": 2, "--segment": 6,
            "--memory": 9, "--batch": 8, "--updates": 8, "--valid-every": 4,
            "--arithmetic": "same"}
# None is bound to a core: other tests run beside this one.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", LC_ALL="C.UTF-8")


def processes(*groups: tuple[int, list]) -> list[str]:
    """The command line that starts so many of each."""
    command = [MPIRUN, "--oversubscribe"]
    for number, (count, arguments) in enumerate(groups):
        command += [":"] * (number > 0) + ["-n", count, *arguments]
    return [str(word) for word in command]


def run(*groups, text: str = "", **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(processes(*groups), input=text, capture_output=True, text=True,
                          timeout=90, env=ENVIRONMENT | variables)


def start(*groups, stdin: int = subprocess.DEVNULL) -> subprocess.Popen:
    return subprocess.Popen(processes(*groups), stdin=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def given(usual: dict, changed: dict) -> list:
    """Flags, of which some are changed: {"--resume": None} has no value."""
    return [word for flag in (usual | changed).items() for word in flag if word is not None]


def children(process: int) -> list[int]:
    """The process numbers of the ranks that this mpirun has started, by rank."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == process:
                variables = (entry / "environ").read_bytes().split(b"\0")
                rank = next(one for one in variables if one.startswith(b"OMPI_COMM_WORLD_RANK="))
                found.append((int(rank.split(b"=")[1]), int(entry.name)))
        except (OSError, StopIteration, ValueError):
            continue
    return [number for _, number in sorted(found)]


class Case(Commands):
    program = TRANSFORMER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pairs = cls.shared / "pairs"
        cls.pairs.write_text(PAIRS)
        cls.text = cls.shared / "text"
        cls.text.write_text(PAIRS.replace("\t", " ") * 2)

    def train(self, out: str, changed: dict = {}, pairs: Path | None = None) -> list:
        return [TRANSFORMER, "train", "--pairs", pairs or self.pairs, "--valid-pairs", self.pairs,
                "--out", self.shared / out, *given(SMALL, changed)]

    def train_xl(self, out: str, changed: dict = {}) -> list:
        return [XL, "train", "--text", self.text, "--valid", self.text, "--out", self.shared / out,
                *given(SMALL_XL, changed)]

    def bytes_of(self, out: str) -> tuple[bytes, bytes]:
        """The weights and all of the checkpoint but the seconds, which differ from run to run."""
        return ((self.shared / out / "model.safetensors").read_bytes(),
                parts_of(self.shared / out / "checkpoint.safetensors")[1])

    def trained(self, out: str, *groups) -> tuple[bytes, bytes]:
        answer = run(*groups)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return self.bytes_of(out)

    def last_loss(self, out: str) -> float:
        rows = (self.shared / out / "history.csv").read_text().splitlines()
        return float(rows[-1].split(",")[3])


SHARED = {"--shared-state": None}
GPU = {"--device": "cuda-emulated"}
# Every message leaves up to 2 ms late, each process at a pace of its own: by MPI's own way to get
# between a program and the library.
LATE = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm all,
              MPI_Request* request) {
  static unsigned state;
  if (state == 0) state = 7919u * atoi(getenv("OMPI_COMM_WORLD_RANK")) + atoi(getenv("XF_LATE"));
  usleep(rand_r(&state) % 2000);
  return PMPI_Isend(data, count, type, to, tag, all, request);
}
"""


class SameBytes(Case):
    def agree(self, name: str, *others: tuple[int, dict], train=None, both: dict = {}) -> None:
        """So many processes with these flags make what one process makes."""
        train = train or self.train
        wanted = self.trained(f"{name}1", (1, train(f"{name}1", both)))
        for i, (count, more) in enumerate(others):
            out = f"{name}{count}{i}"
            self.assertEqual(self.trained(out, (count, train(out, both | more))), wanted,
                             f"{count} processes {more}")

    def test_a_translator_whatever_the_number_of_processes(self):
        self.agree("of", (2, {}), (3, SHARED), (4, {}), (4, SHARED))

    def test_eight_processes_have_eight_shards(self):
        self.agree("eight", (8, {}), both={"--shards": 8, "--threads": 1})

    def test_a_language_model_with_its_memories(self):
        self.agree("xl", (2, {}), (3, SHARED), train=self.train_xl)

    @unittest.skipUnless(shutil.which("mpicc"), "there is no mpicc")
    def test_in_whatever_order_messages_arrive(self):
        library = self.shared / "late.so"
        subprocess.run(["mpicc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=LATE,
                       text=True, check=True)
        wanted = self.trained("intime", (1, self.train("intime")))
        for count, seed in ((2, 1), (3, 2), (4, 3)):
            out = f"late{count}"
            late = ["env", f"LD_PRELOAD={library}", f"XF_LATE={seed}", *self.train(out)]
            self.assertEqual(self.trained(out, (count, late)), wanted)

    def test_on_gpus_as_on_one(self):
        """The emulator's: one each. In `fast` they add up by NCCL's stand-in."""
        less = GPU | {"--updates": 3, "--valid-every": 3, "--dropout": 0}
        self.agree("gpu", (2, {}), both=less)
        self.agree("gpuxl", (2, {}), both=less, train=self.train_xl)
        losses = []
        for count in (1, 3):
            out = f"gpufast{count}"
            self.trained(out, (count, self.train(out, less | {"--arithmetic": "fast"})))
            losses.append(self.last_loss(out))
        self.assertAlmostEqual(losses[0], losses[1], delta=1e-4)

    def test_fast_is_close(self):
        """Sums differ in their last digits, as they do with another number of threads. (Another
        number of shards has other dropout masks.)"""
        losses = []
        for count, more in ((1, {}), (2, {}), (3, SHARED)):
            out = f"fast{count}"
            self.trained(out, (count, self.train(out, {"--threads": 1, "--arithmetic": "fast",
                                                       "--dropout": 0, **more})))
            losses.append(self.last_loss(out))
        self.assertLess(max(losses) - min(losses), 1e-4, losses)
        self.assertLess(losses[0], 5)

    def test_what_is_translated_scored_and_evaluated(self):
        self.trained("used", (1, self.train("used")))
        source, target = self.shared / "source", self.shared / "target"
        source.write_text("".join(line.split("\t")[0] + "\n" for line in PAIRS.splitlines()))
        target.write_text("".join(line.split("\t")[1] + "\n" for line in PAIRS.splitlines()))
        model = ["--model", self.shared / "used"]
        both = ["--src", source, "--tgt", target]
        self.trained("used_xl", (1, self.train_xl("used_xl")))
        of_text = ["--model", self.shared / "used_xl", "--text", self.text, "--batch", "6",
                   "--arithmetic", "same"]
        lines = source.read_text()
        more_than_a_window = lines * (8192 // len(PAIRS.splitlines()) + 1)
        for command, text in (([TRANSFORMER, "translate", *model], lines),
                              ([TRANSFORMER, "translate", *model, "--beam", "1"],
                               more_than_a_window),
                              ([TRANSFORMER, "translate", *model], ""),
                              ([TRANSFORMER, "score", *model, *both], ""),
                              ([TRANSFORMER, "evaluate", *model, *both], ""),
                              ([XL, "evaluate", *of_text], "")):
            wanted = run((1, command), text=text)
            self.assertEqual(wanted.returncode, 0, wanted.stderr)
            for count in (2, 3):
                answer = run((count, command), text=text)
                self.assertEqual((self.without_times(answer.stdout), answer.returncode),
                                 (self.without_times(wanted.stdout), 0), command)

    def without_times(self, text: str) -> str:
        return re.sub(r"(per second) .*", r"\1", text)


class Faults(Case):
    def ended(self, process: subprocess.Popen, limit: float) -> str:
        begun = time.monotonic()
        _, errors = process.communicate(timeout=limit + 10)
        self.assertLess(time.monotonic() - begun, limit)
        self.assertNotEqual(process.returncode, 0)
        return errors

    def started(self, count: int, out: str, changed: dict, train=None) -> subprocess.Popen:
        """A run that has written checkpoints, and goes on."""
        process = start((count, (train or self.train)(out, changed)))
        history = self.shared / out / "history.csv"
        begun = time.monotonic()
        while not history.exists() or history.read_text().count("\n") < 4:
            if process.poll() is not None or time.monotonic() - begun > 60:
                self.fail(process.communicate())
            time.sleep(0.01)
        return process

    def test_killed_or_interrupted_and_resumed_with_another_number(self):
        """The bytes are those of the run that never stopped."""
        long = {"--updates": 400, "--valid-every": 20}
        again = long | {"--resume": None}
        for name, train in (("translator", self.train), ("model", self.train_xl)):
            wanted = self.trained(f"never_{name}", (2, train(f"never_{name}", long)))
            out = f"killed_{name}"
            process = self.started(2, out, long, train)
            os.kill(children(process.pid)[1], signal.SIGKILL)
            self.assertRegex(self.ended(process, 30), r"rank 1 with PID .* on node ")
            process = self.started(3, out, again, train)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
            checkpoint = (self.shared / out / "checkpoint.safetensors").read_bytes()
            self.assertRegex(checkpoint[:9999].decode(errors="replace"), r'"update":"\d{2,3}"')
            self.assertEqual(self.trained(out, (1, train(out, again))), wanted)

    def reads(self, *command) -> subprocess.Popen:
        """What waits for standard input, in two processes; the first has it."""
        process = start((2, [*command]), stdin=subprocess.PIPE)
        begun = time.monotonic()
        while len(children(process.pid)) < 2 or time.monotonic() - begun < 2:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        return process

    def test_one_is_silent(self):
        """Of a training, the first and the last; and of what only reads a model. All at once, as
        each waits for 20 seconds."""
        endless = {"--updates": 1000000, "--shards": 2, "--threads": 1}
        self.trained("quiet", (1, self.train("quiet")))
        stopped = [(self.started(2, "silent1", endless), 1),
                   (self.started(2, "silent0", endless), 0),
                   (self.started(2, "silent2", endless, self.train_xl), 1),
                   (self.reads(TRANSFORMER, "translate", "--model", self.shared / "quiet"), 1)]
        for process, rank in stopped:
            os.kill(children(process.pid)[rank], signal.SIGSTOP)
        for process, rank in stopped:
            errors = self.ended(process, 30)
            self.assertRegex(errors, rf"(?m)^error: process {rank} of 2, on \S+: silent for 20 "
                                     r"seconds, so all other processes end as well$")
            self.assertEqual(errors.count("error: "), 1, errors)
        for out in ("silent0", "silent1", "silent2"):
            whole = (self.shared / out / "checkpoint.safetensors").read_bytes()
            header = 8 + int.from_bytes(whole[:8], "little")
            ends = re.findall(rb'"data_offsets":\[\d+,(\d+)\]', whole[:header])
            self.assertEqual(len(whole), header + max(map(int, ends)))

    def test_one_is_killed_that_translates(self):
        self.trained("killed_reader", (1, self.train("killed_reader")))
        process = self.reads(TRANSFORMER, "translate", "--model", self.shared / "killed_reader")
        os.kill(children(process.pid)[1], signal.SIGKILL)
        self.assertRegex(self.ended(process, 30), r"rank 1 with PID .* on node ")

    def refused(self, *groups, names: str, **variables: str) -> None:
        answer = run(*groups, **variables)
        self.assertEqual(answer.returncode, 2, answer.stderr)
        lines = [line for line in answer.stderr.splitlines()
                 if line.startswith(("error: ", "错误："))]
        self.assertEqual(len(lines), 1, answer.stderr)
        self.assertIn(names, lines[0])

    def test_one_has_something_else(self):
        other = self.shared / "other"
        other.write_text(PAIRS.replace("dog", "cow"))
        self.refused((1, self.train("differs")), (1, self.train("differs", pairs=other)),
                     names="process 1 of 2, on ")
        self.refused((2, self.train("differs")), (1, self.train("differs", pairs=other)),
                     names=": its training text differs from that of process 0 (")
        for name, changed, said in (
                ("seed", {"--seed": 4}, "--seed differs from that of process 0 (4 instead of 3)"),
                ("sum", {"--arithmetic": "fast"},
                 "--arithmetic differs from that of process 0 (fast instead of same)"),
                ("rate", {"--lr": ".1"}, "set of options differs from that of process 0"),
                ("device", GPU,
                 "--device differs from that of process 0 (cuda-emulated instead of cpu)")):
            self.refused((1, self.train(name)), (1, self.train(name, changed)),
                         names=f": its {said}")
        changed = self.shared / "changed"
        shutil.copyfile(TRANSFORMER, changed)
        changed.chmod(0o755)
        with changed.open("ab") as file:
            file.write(b"another")
        self.refused((1, self.train("build")), (1, [changed, *self.train("build")[1:]]),
                     names=": its build of the program differs from that of process 0")
        self.refused((1, self.train("none")),
                     (1, self.train("none", pairs=self.shared / "nowhere")),
                     names="nowhere: No such file or directory (process 1 of 2, on ")

    def test_what_all_do_wrong_is_said_once(self):
        self.refused((3, self.train("twice", {"--updats": 3})), names="unknown flag --updats")
        five = self.train("five")
        self.refused((5, five), names="--shards 4 is too few for 5 processes")
        self.refused((5, five), names="--shards 4 不够 5 个进程分（",
                     LC_ALL="zh_CN.UTF-8")
        self.refused((2, [BIN / "01_embedding", "--out", self.shared / "lesson"]),
                     names="a lesson runs in one process: start it without mpirun")
        self.refused((2, self.train("gpu", GPU | SHARED)),
                     names="--shared-state: on a GPU every process keeps all of Adam's state")

    def test_a_full_disk_ends_all(self):
        limited = ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash"]
        self.refused((1, [*limited, *self.train("full")]), (1, self.train("full")),
                     names="File too large")

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_a_disk_that_fills_up_ends_all_and_leaves_the_last_checkpoint(self):
        disk = self.shared / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", disk])
        process = self.started(2, "disk/run", {"--updates": 1000000})
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))
        self.assertRegex(self.ended(process, 30), r"(?m)^error: \S+disk/run/\S+: No space left on "
                                                  r"device \(process 0 of 2, on \S+\)$")
        filler.unlink()
        update = int(re.search(rb'"update":"(\d+)"', (disk / "run/checkpoint.safetensors")
                               .read_bytes())[1])
        more = {"--updates": update + 4}
        self.trained("disk/run", (3, self.train("disk/run", more | {"--resume": None})))
        wanted = self.trained("whole", (1, self.train("whole", more)))
        self.assertEqual(self.bytes_of("disk/run"), wanted)

    @unittest.skipUnless(ON_HOSTS, "./learn test --long hosts: on a busy machine mpirun sometimes "
                         "waits for ever for its ssh")
    def test_on_two_hosts_and_when_the_way_between_them_is_cut(self):
        hosts = [ROOT / "tests/support/cluster/two_hosts.py"]
        made = subprocess.run([*hosts, "true"], capture_output=True, text=True)
        if made.returncode == 77:
            self.skipTest(made.stderr.strip())
        both = ["mpirun", "-n", 2, "--map-by", "node"]
        few = {"--updates": 4}  # a message waits for a processor that other tests have, too
        command = ["timeout", 300, *hosts, *both, *self.train("hosts", few)]
        with open(self.shared / "errors", "w+") as errors:  # an ssh that is left behind has it, too
            status = subprocess.run([str(word) for word in command], stdout=errors,
                                    stderr=errors).returncode
            errors.seek(0)
            self.assertEqual(status, 0, errors.read())
        self.assertEqual(self.bytes_of("hosts"),
                         self.trained("host", (1, self.train("host", few))))

        cut = self.shared / "cut"
        script = (f'"$@" >{self.shared}/said & until [ -f {cut}/history.csv ]; do sleep 0.1; '
                  "done; ip link set wire down; wait $!")
        there = self.train("cut", {"--updates": 1000000})
        process = subprocess.Popen([str(word) for word in [*hosts, "bash", "-c", script, "bash",
                                                           *both, *there]],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("on node node2", self.ended(process, 120))

    def test_only_the_first_prints(self):
        answer = run((3, [TRANSFORMER, "--help"]))
        self.assertEqual(answer.returncode, 0)
        self.assertEqual(answer.stdout, run((1, [TRANSFORMER, "--help"])).stdout)


if __name__ == "__main__":
    if not MPIRUN:
        print("skipped: there is no mpirun (Debian's package openmpi-bin)")
        sys.exit(SKIPPED)
    if "without MPI" in run((2, [TRANSFORMER, "--help"])).stderr:
        print("skipped: the programs were built without MPI (Debian's package libopenmpi-dev)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], "-v", "-k", "on_two_hosts"] if ON_HOSTS else sys.argv)
