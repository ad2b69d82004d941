"""PyTorch for `./learn bench`: is it installed, and which settings make it fastest?"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tools.terminal import ROOT, Stop, column, quiet_environment, said, say

SCRIPTS = ROOT / "bench"
OPENMP_OPENBLAS = Path("/usr/lib/x86_64-linux-gnu/openblas-openmp")  # Debian's, next to pthread's
TRAINING = ("train", "xl")  # commands that count steps and use an optimizer
GAIN = 1.01  # a setting is kept when it is at least this much faster


@dataclass
class Setting:
    names: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def plus(self, other: Setting) -> Setting:
        return Setting(self.names + other.names, {**self.environment, **other.environment},
                       self.flags + other.flags)

    def title(self) -> str:
        return ", ".join(self.names) or "as it comes"


def cpu_has(*features: str) -> bool:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    found = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return set(features) <= set(found.split())


KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": "1000000000",
               "MALLOC_TRIM_THRESHOLD_": "8000000000"}  # glibc's malloc


def candidates(command: str) -> list[Setting]:
    """Settings that make PyTorch faster on some machines, each tried on top of the best so far."""
    found = [
        Setting(["memory kept"], KEEP_MEMORY),
        Setting(["threads that spin"], {"OMP_WAIT_POLICY": "ACTIVE", "KMP_BLOCKTIME": "infinite"}),
        Setting(["threads that sleep"], {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}),
        Setting(["threads pinned"], {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}),
        Setting(["scaled_dot_product_attention"], flags=["--sdpa"]),
    ]
    if cpu_has("avx512f"):
        found.insert(0, Setting(["AVX-512 in MKL"], {"MKL_ENABLE_INSTRUCTIONS": "AVX512"}))
    if OPENMP_OPENBLAS.is_dir():
        found.insert(0, Setting(["OpenBLAS on OpenMP"], {"LD_LIBRARY_PATH": str(OPENMP_OPENBLAS)}))
    if command in TRAINING:
        found += [Setting([f"Adam {kind}"], flags=["--adam", kind]) for kind in ("fused", "loop")]
    else:
        found.append(Setting(["key/value cache preallocated"], flags=["--kv", "preallocated"]))
    return found


class Torch:
    def __init__(self, python: str, threads: int, run_json):
        self.python, self.threads, self.run_json = python, threads, run_json

    def environment(self) -> dict[str, str]:
        """The environment common to all settings."""
        count = str(self.threads)
        variables = {**quiet_environment(), "OMP_NUM_THREADS": count, "MKL_NUM_THREADS": count,
                     "OPENBLAS_NUM_THREADS": count}
        if cpu_has("avx512f", "avx512bw", "avx512dq", "avx512vl"):
            variables["ATEN_CPU_CAPABILITY"] = "avx512"
        return variables

    def require(self) -> None:
        """Stops with installation instructions if this Python has no PyTorch."""
        try:
            answer = subprocess.run([self.python, "-c", "import torch"], stderr=subprocess.PIPE,
                                    text=True)
        except OSError as error:
            raise Stop(f"bench: --python {self.python}: {error.strerror}", 2) from error
        if answer.returncode == 0:
            return
        reason = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Stop(
            f"bench: there is nothing to compare with: {self.python} cannot import torch\n  "
            f"({reason})\n  To install it separately and compare:\n"
            "    python3 -m venv out/torch\n    out/torch/bin/pip install torch --index-url "
            "https://download.pytorch.org/whl/cpu\n"
            "    ./learn bench --python out/torch/bin/python\n"
            "  For this code only: ./learn bench train --preset multi30k", 2)

    def describe(self) -> dict:
        """Its version, BLAS and vector width, as reported by the script."""
        tiny = ["train", "--preset", "toy", "--d-model", "16", "--d-ff", "16", "--heads", "2",
                "--layers", "1", "--steps", "1", "--warmup", "0"]
        found = self.run(tiny, Setting())
        return {name: found[name] for name in ("torch", "python", "blas", "aten", "threads")}

    def run(self, arguments: list[str], setting: Setting, extra: list[str] = [],
            seconds: float | None = None) -> dict:
        script = SCRIPTS / ("torch_xl.py" if arguments[0] == "xl" else "torch_mt.py")
        command = [self.python, str(script), *arguments, "--threads", str(self.threads),
                   *setting.flags, *extra]
        return self.run_json(command, {**self.environment(), **setting.environment}, seconds)

    def known_setting(self) -> Setting:
        """Without trials: settings that were faster, or no slower, wherever they were tried."""
        known = Setting(["memory kept"], KEEP_MEMORY)
        if OPENMP_OPENBLAS.is_dir():
            known = known.plus(Setting(["OpenBLAS on OpenMP"],
                                       {"LD_LIBRARY_PATH": str(OPENMP_OPENBLAS)}))
        return known

    def best_setting(self, arguments: list[str], steps: int) -> Setting:
        """Tries the candidates one after the other; with 0 steps, none."""
        best = Setting()
        if steps == 0:
            return best
        count = ["--steps" if arguments[0] in TRAINING else "--runs", str(steps)]
        fastest = self.run(arguments, best, count)["tokens_per_s"]
        say(f"  {column('as it comes', 32)} {fastest:10.0f} {said('tokens/s')}")
        for candidate in candidates(arguments[0]):
            trial = best.plus(candidate)
            try:
                speed = self.run(arguments, trial, count)["tokens_per_s"]
            except Stop:  # e.g. a PyTorch without fused Adam
                say(f"  + {column(candidate.title(), 30)} {said('does not run')}")
                continue
            kept = speed > GAIN * fastest
            say(f"  + {column(candidate.title(), 30)} {speed:10.0f} {said('tokens/s')}"
                + ("  " + said("kept") if kept else ""))
            if kept:
                best, fastest = trial, speed
        return best
