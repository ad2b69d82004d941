"""Where hand-ins are compiled and run: a file system without the checkout, no network, no other
processes. `bwrap` and `unshare` make one without rights of their own where the kernel lets them.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from tools.exercises.build import COMPILER
from tools.exercises.run import Keeper, Limits, Ran, run_limited
from tools.exercises.supervisor import own_processes
from tools.terminal import Stop

KINDS = ("auto", "bwrap", "unshare", "none")
SCRIPT = Path(__file__).with_suffix(".sh")
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/alternatives", "/etc/ld.so.cache")
SPACES = ["--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
PROBE_LIMITS = Limits(wall=20, cpu=10)


@dataclass
class Sandbox:
    kind: str
    place: Path  # an empty folder inside becomes the root

    def command(self, command: list[str], folder: Path, writable: bool,
                readable: list[Path]) -> list[str]:
        """The command in a file system of the system, `readable` and `folder`. It starts in the
        folder when that is writable, else in an empty /tmp."""
        program = shutil.which(self.kind) or self.kind
        shown = [str(path) for path in (*system_paths(), *readable)]
        if self.kind == "bwrap":
            binds = [word for path in shown for word in ("--ro-bind", path, path)]
            return [program, *SPACES, "--die-with-parent", "--new-session", "--cap-drop", "ALL",
                    "--dev", "/dev", "--size", str(64 << 20), "--tmpfs", "/tmp", *binds,
                    "--bind" if writable else "--ro-bind", str(folder), str(folder),
                    "--chdir", str(folder) if writable else "/tmp", "--", *command]
        if self.kind == "unshare":
            return [program, "--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc",
                    "--uts", "--fork", "--kill-child", "sh", str(SCRIPT), str(self.root()),
                    str(folder), "rw" if writable else "ro", *shown, "--", *command]
        return command

    def root(self) -> Path:
        path = self.place / "root"
        path.mkdir(exist_ok=True)
        return path

    def run(self, command: list[str], limits: Limits, folder: Path, environment: dict[str, str],
            readable: list[Path], writable: bool = False, reports: bool = False,
            keeper: Keeper | None = None) -> Ran:
        if self.kind != "none" and limits.processes:  # once it stands: others may have many now
            command = ["prlimit", f"--nproc={own_processes() + limits.processes}", *command]
            limits = replace(limits, processes=0)
        ran = run_limited(self.command(command, folder, writable, readable), limits, folder,
                          environment, reports, keeper)
        if self.kind != "none" and ran.status > 128:  # as a shell tells of a signal
            ran.status = 128 - ran.status
        return ran


def system_paths() -> list[Path]:
    """What a compiler and a program need of the system."""
    found = [Path(name) for name in SYSTEM if Path(name).exists()]
    compiler = Path(shutil.which(COMPILER) or COMPILER).resolve()
    if not compiler.is_relative_to("/usr") and len(compiler.parents) > 2:
        found.append(compiler.parents[1])
    return found


def chosen(kind: str, place: Path) -> Sandbox:
    """The one that was asked for; for `auto`, the first that works here."""
    for name in KINDS[1:] if kind == "auto" else (kind,):
        sandbox = Sandbox(name, place)
        if name == "none" or works(sandbox, place):
            return sandbox
    raise Stop(f"grade: --sandbox {kind} does not work here (is it installed, and are user "
               "namespaces allowed?)\n  next      ./learn grade FOLDER --sandbox auto", 2)


def works(sandbox: Sandbox, place: Path) -> bool:
    if not shutil.which(sandbox.kind):
        return False
    folder = place / f"probe-{sandbox.kind}"
    folder.mkdir(exist_ok=True)
    ran = sandbox.run([COMPILER, "--version"], PROBE_LIMITS, folder, {"PATH": "/usr/bin:/bin"}, [])
    return ran.status == 0
