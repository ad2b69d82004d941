"""The names that an object defines for others and asks of them, read from the object itself: one
that a stranger's file was compiled to, so it is read here and not by a tool that would have to be
sandboxed."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")  # of 64-bit ELF, little-endian
SYMBOL = struct.Struct("<IBBHQQ")
TABLE_OF_SYMBOLS = 2
LOCAL, WEAK = 0, 2  # how a symbol binds
EXECUTABLE, EMPTY = 4, 8  # a flag of a section; the type of one without contents
SYSTEM_CALL = {  # by machine: x86-64, AArch64
    62: re.compile(rb"\x0f\x05|\x0f\x34|\xcd\x80"),
    183: re.compile(rb"[\x01\x21\x41\x61\x81\xa1\xc1\xe1].[\x00-\x1f]\xd4", re.DOTALL)}
# What a test has, and an answer never: to send numbers, to draw them, to ask the keeper, to start
# processes, to watch the emulator and to set its order, to learn which test it is.
TESTS_OWN = re.compile(
    r"_ZN2xf(8exercise(11send_actual|13send_expected|6report|6salted|6random|5given|6either|"
    r"8shuffled|16run_as_processes)E|6keeper|4cuda(8Counting|8Checking|12InsideKernel)|"
    r"8emulator(7watcher|9in_(kernel|one_go)|4busy|12set_schedule|15run_last_blocks)E)|"
    r"_ZN7doctest17getContextOptionsE")
# What an answer may ask of C, whose names are as they are written: to compute, to move numbers and
# letters, to have memory, to print, to look at the clock. No other file, process or memory than its
# own is reached by these, and nothing that says who grades.
MAY_ASK = re.compile(r"""
    _Z.* | __cxa_.* | __gxx_.* | _Unwind_.* | __dso_handle | _GLOBAL_OFFSET_TABLE_ | __tls_get_addr
  | __aarch64_.* | __libc_single_threaded | __stack_chk_fail | __errno_location | __assert_fail
  | abort | xf_mem[a-z]+ | __tsan_.* | __ubsan_.* | __sanitizer_cov_.* | _*pthread_.* | __gthrw_.*
  | cblas_[sd].*
  | (a?(cos|sin|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?
    |[lt]gamma(_r)?|ceil|floor|trunc|round|l?l?r(ound|int)|nearbyint|fabs|fmod|remainder|remquo|fma
    |fmax|fmin|fdim|frexp|ldexp|modf|scalbl?n|ilogb|nextafter|nexttoward|copysign|nan)[fl]?
  | c(abs|arg|exp|log|pow|sqrt|proj|a?(cos|sin|tan)h?)[fl]?
  | __(mul|u?div|u?mod|popcount|parity|c[lt]z|float|fix|trunc|extend|powi|bswap)[a-z0-9]+
  | _*(fpclassify|signbit|isnan|isinf|finite)[fl]? | ll?abs | abs | l?l?div
  | (__)?(mem|str|wmem|wcs)[a-z]+(_chk)? | bcmp | malloc | calloc | realloc | free | aligned_alloc
  | (__isoc[0-9]+_)?(strto[a-z]+|sscanf) | ato[fil]l? | qsort | bsearch | s?rand
  | (__)?v?(f|s|sn)?printf(_chk)? | f?put[cs] | putchar | fwrite | fflush | stdout | stderr
  | is[a-z]+ | to(upper|lower) | __ctype_.* | clock | time | difftime | clock_gettime
""", re.VERBOSE)
# Of C++, whose names are mangled, not these.
FILES = re.compile(r"_ZN?K?S.*(fstream|filebuf|__basic_file|filesystem|random_device)")
PAST_THE_HOOKS = re.compile(r"(__)?(w?mem|w?bc|stp|str(?!len)|wcs)[a-z]+(_chk)?")  # hooked.hpp


def sections_of(data: bytes) -> list[tuple]:
    if data[:6] != b"\x7fELF\2\1":
        raise ValueError("no 64-bit ELF, little-endian")
    start, = struct.unpack_from("<Q", data, 0x28)
    first = SECTION.unpack_from(data, start)
    count = struct.unpack_from("<H", data, 0x3C)[0] or first[5]  # so many that it stands elsewhere
    return [SECTION.unpack_from(data, start + SECTION.size * n) for n in range(count)]


def symbols(data: bytes) -> dict[str, tuple[int, bool]]:
    """How each name binds, and whether it is defined here or only used. Of weak ones the first is
    taken, and any other goes before them."""
    sections, found = sections_of(data), {}
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != TABLE_OF_SYMBOLS:
            continue
        names = sections[link][4]
        for name, info, _, section, _, _ in SYMBOL.iter_unpack(data[offset:offset + size]):
            if info >> 4 != LOCAL:
                text = data[names + name:data.index(b"\0", names + name)].decode("utf-8", "replace")
                found[text.partition("@")[0]] = info >> 4, bool(section)  # NAME@@VERSION is NAME
    return found


def calls_kernel(data: bytes, text: str) -> bool:
    """Has its code the instruction of a system call? No C++ becomes one, but a number in the code
    may have its bytes: so only where the text can have an asm, if need be made by a macro."""
    if not re.search("asm|##|%:%:", re.sub(r"\\\s*\n", "", text)):
        return False
    machine, = struct.unpack_from("<H", data, 0x12)
    return any(SYSTEM_CALL[machine].search(data, offset, offset + size)
               for _, kind, flags, _, offset, size, *_ in sections_of(data)
               if machine in SYSTEM_CALL and flags & EXECUTABLE and kind != EMPTY)


def defined(data: bytes) -> dict[str, int]:
    return {name: binding for name, (binding, here) in symbols(data).items() if here}


def tests_own(answer: Path) -> str:
    """What the tests have for themselves and the answer uses: its name; or nothing."""
    return next((readable(name) for name in symbols(answer.read_bytes())
                 if TESTS_OWN.match(name)), "")


def unneeded(answer: Path, watched: bool) -> str:
    """What the answer asks of the system, and a right one never needs: its name; or nothing."""
    data = answer.read_bytes()
    if calls_kernel(data, answer.with_suffix(".cpp").read_text("utf-8", "replace")):
        return "the instruction of a system call"
    for name, (_, here) in symbols(data).items():
        if not here and (not MAY_ASK.fullmatch(name) or FILES.match(name)
                         or watched and PAST_THE_HOOKS.fullmatch(name)):
            return readable(name)
    return ""


def replaced(answer: Path, ours: list[Path]) -> str:
    """A function that the answer defines so that its own is taken: an inline one of ours, which may
    stand in several objects, or one of C that ours call. Its name; or nothing."""
    strong = {name for name, binding in defined(answer.read_bytes()).items() if binding != WEAK}
    for path in ours:
        for name, (binding, here) in symbols(path.read_bytes()).items():
            if name in strong and (binding == WEAK if here else not name.startswith("_Z")):
                return readable(name)
    return ""


def readable(name: str) -> str:
    if not shutil.which("c++filt"):
        return name
    return subprocess.run(["c++filt", name], stdout=subprocess.PIPE, text=True).stdout.strip()
