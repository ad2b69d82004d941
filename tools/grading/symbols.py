"""The names that an object defines for others and asks of them, read from the object itself: one
that a stranger's file was compiled to, so it is read here and not by a tool that would have to be
sandboxed."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

from tools.grading import hooks

SECTION = struct.Struct("<IIQQQQIIQQ")  # of 64-bit ELF, little-endian
SYMBOL = struct.Struct("<IBBHQQ")
TABLE_OF_SYMBOLS = 2
LOCAL, WEAK = 0, 2  # how a symbol binds
FUNCTIONS = (2, 10)  # its type
CHOSEN_AT_START = 10  # by a function that runs before all others
EXECUTABLE, EMPTY = 4, 8  # a flag of a section; the type of one without contents
SYSTEM_CALL = {  # by machine: x86-64, AArch64
    62: re.compile(rb"\x0f\x05|\x0f\x34|\xcd\x80"),
    183: re.compile(rb"[\x01\x21\x41\x61\x81\xa1\xc1\xe1].[\x00-\x1f]\xd4", re.DOTALL)}
# Of C++, as far as it says where a comment begins.
TOKEN = re.compile(r"""
    //[^\n]* | /\*.*?\*/ | (?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)"
  | \.?\d(?:'?[\w.])* | \w+ | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' """, re.S | re.X)
# What a test has, and an answer never: to send numbers, to draw them, to ask the keeper, to start
# processes, to watch the emulator and to set its order, to learn which test it is.
TESTS_OWN = re.compile(
    r"_ZN2xf(8exercise(11send_actual|13send_expected|6report|6salted|6random|5given|6within|"
    r"6either|8shuffled|16run_as_processes|4told)E|6keeper|"
    r"4cuda(8Counting|8Checking|12InsideKernel)|"
    r"8emulator(7watcher|9in_(kernel|one_go)|4busy|12set_schedule|15run_last_blocks)E)|"
    r"_ZNK?7doctest(17getContextOptions|6detail(20registerReporterImpl|7regTest)|7Context|"
    r"9IReporter)")
# What an answer may ask of C, whose names are as they are written: to compute, to move numbers and
# letters, to have memory and threads, to print, to look at the clock. No other file, process or
# memory than its own is reached by these, and nothing that says who grades; no FILE, which can be
# made to stand for another file than the screen.
MAY_ASK = re.compile(r"""
    _Z.* | __cxa_.* | __gxx_.* | _Unwind_.* | __dso_handle | _GLOBAL_OFFSET_TABLE_ | __tls_get_addr
  | __aarch64_.* | __libc_single_threaded | __stack_chk_fail | __errno_location | __assert_fail
  | abort | xf_mem[a-z]+ | __tsan_.* | __ubsan_.* | __sanitizer_cov_.* | __gthrw_.*
  | _*pthread_.*
  | cblas_[sd].*
  | (a?(cos|sin|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?
    |[lt]gamma(_r)?|ceil|floor|trunc|round|l?l?r(ound|int)|nearbyint|fabs|fmod|remainder|remquo|fma
    |fmax|fmin|fdim|frexp|ldexp|modf|scalbl?n|ilogb|nextafter|nexttoward|copysign|nan)[fl]?
  | c(abs|arg|exp|log|pow|sqrt|proj|a?(cos|sin|tan)h?)[fl]?
  | __(mul|u?div|u?mod|popcount|parity|c[lt]z|float|fix|trunc|extend|powi|bswap)[a-z0-9]+
  | _*(fpclassify|signbit|isnan|isinf|finite)[fl]? | ll?abs | abs | l?l?div
  | (__)?(mem|str|wmem|wcs)[a-z]+(_chk)? | bcmp | malloc | calloc | realloc | free | aligned_alloc
  | (__isoc[0-9]+_)?(strto[a-z]+|sscanf) | ato[fil]l? | qsort | bsearch | s?rand
  | (__)?v?(s|sn)?printf(_chk)? | puts | putchar
  | is[a-z]+ | to(upper|lower) | __ctype_.* | clock | time | difftime | clock_gettime
""", re.VERBOSE)
# What runs before the tests have taken in what they are told.
RUNS_FIRST = re.compile(r"\.(preinit_array|(init_array|ctors|init|fini)(\..*)?)")
USUAL = ".init_array"
OF_THE_HOOKS = (".init_array.00099", 8)  # the one that -fsanitize=thread adds
# Of C++, whose names are mangled, not these.
FILES = re.compile(r"_ZN?K?S.*(fstream|filebuf|__basic_file|filesystem|random_device)|"
                   r"_ZSt[345](w?cin|w(cout|cerr|clog))")
# Where the keeper counts, nothing runs beside: memory of another thread is seen by no test.
THREADS = re.compile(r"_*pthread_(create|attr_).*|_ZNSt6thread.*")
THE_EXERCISES = "2xf8exercise"  # in the names of what a task asks for
# Where a kernel's accesses are watched: what reads or writes by a pointer without a hook, and of
# C++ all that such a file can need of what was compiled without hooks.
PAST_THE_HOOKS = re.compile(
    r"(__)?(w?mem|w?bc|stp|str(?!len)|wcs)[a-z]+(_chk)?|cblas_.*|qsort|bsearch|"  # hooked.hpp
    r"(modf|frexp|sincos|remquo|nan)[fl]?|[lt]?gamma[fl]?_r|(__)?v?sn?printf(_chk)?|"
    r"(__isoc[0-9]+_)?(strto[a-z]+|sscanf)|ato[fil]l?|realloc|time|clock_gettime|"
    r"(__gthrw_)?_*pthread_.*|__cxa_demangle")
HOOKED_MAY_ASK = re.compile(
    r"_ZN2xf(4cuda(7release|8allocate|12copy_to_host|14copy_to_device)|8emulator).*|"
    r"_ZNSt15__exception_ptr.*|_ZSt(\d+__throw|17(current|rethrow)_exception|7nothrow|"
    r"21__glibcxx_assert_fail).*|_ZT[ISV].*|_Z(n[wa]|d[la]).*|"
    r"_Z(St4cout|St4cerr|StlsI.*|St4endlI.*|NSolsE([a-z]|PF.*)|NSo(9_M_insertI.*|3putEc|5flushEv)|"
    r"St16__ostream_insertI.*|NSt8ios_base4Init.*)")


def sections_of(data: bytes) -> list[tuple]:
    if data[:6] != b"\x7fELF\2\1":
        raise ValueError("no 64-bit ELF, little-endian")
    start, = struct.unpack_from("<Q", data, 0x28)
    first = SECTION.unpack_from(data, start)
    count = struct.unpack_from("<H", data, 0x3C)[0] or first[5]  # so many that it stands elsewhere
    return [SECTION.unpack_from(data, start + SECTION.size * n) for n in range(count)]


def name_at(data: bytes, start: int) -> str:
    return data[start:data.index(b"\0", start)].decode("utf-8", "replace")


def runs_first(data: bytes, watched: bool) -> bool:
    """Has it a function that goes before the constructors of others?"""
    sections = sections_of(data)
    names = sections[struct.unpack_from("<H", data, 0x3E)[0]][4]
    for name, kind, _, _, offset, size, *_ in sections:
        text = name_at(data, names + name)
        if text != USUAL and RUNS_FIRST.fullmatch(text) and size \
                and not (watched and (text, size) == OF_THE_HOOKS):
            return True
        if kind == TABLE_OF_SYMBOLS and any(info & 15 == CHOSEN_AT_START for _, info, *_ in
                                            SYMBOL.iter_unpack(data[offset:offset + size])):
            return True
    return False


def entries(data: bytes):
    """(name, how it binds, whether it is defined here, its type) of each that others see."""
    sections = sections_of(data)
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != TABLE_OF_SYMBOLS:
            continue
        names = sections[link][4]
        for name, info, _, section, _, _ in SYMBOL.iter_unpack(data[offset:offset + size]):
            if info >> 4 != LOCAL:
                yield name_at(data, names + name), info >> 4, bool(section), info & 15


def symbols(data: bytes) -> dict[str, tuple[int, bool]]:
    """How each name binds, and whether it is defined here or only used. Of weak ones the first is
    taken, and any other goes before them."""
    return {name.partition("@")[0]: (binding, here)  # NAME@@VERSION is NAME
            for name, binding, here, _ in entries(data)}


def functions(data: bytes) -> set[str]:
    """The names of the functions that are defined here, also for others."""
    return {name for name, _, here, kind in entries(data) if here and kind in FUNCTIONS}


def without_comments(text: str) -> str:
    """What stands within quotes stays: a // there begins no comment."""
    return TOKEN.sub(lambda found: " " if found[0].startswith(("//", "/*")) else found[0],
                     re.sub(r"\\\s*\n", "", text))


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


def unneeded(answer: Path, watched: bool, kept: bool = False) -> str:
    """What the answer asks of the system, and a right one never needs: its name; or nothing."""
    data, text = answer.read_bytes(), answer.with_suffix(".cpp").read_text("utf-8", "replace")
    if calls_kernel(data, text):
        return "the instruction of a system call"
    if runs_first(data, watched):
        return "a function that runs before all others"
    if watched and re.search(r"\b(__)?asm(__)?\b|##|%:%:", without_comments(text)):
        return "an instruction of the processor (asm) or a name made of parts (##)"
    if watched and re.search(r"\b(__builtin_(ia32|aarch64|neon|altivec|vsx|riscv)_|_mm\d*_)",
                             without_comments(text)):
        return "an instruction of the processor by its name"
    if watched and any(hooks.copies_unseen(answer.with_name(name), text) for name in hooks.DUMPS):
        return "what lies in memory as an argument or a result that is copied without a hook"
    for name, (_, here) in symbols(data).items():
        if not here and (not MAY_ASK.fullmatch(name) or FILES.match(name)
                         or watched and is_past_the_hooks(name)
                         or kept and THREADS.fullmatch(name)):
            return readable(name)
    return ""


def is_past_the_hooks(name: str) -> bool:
    return bool(PAST_THE_HOOKS.fullmatch(name)) or \
        name.startswith("_Z") and not HOOKED_MAY_ASK.fullmatch(name)


def replaced(answer: Path, ours: list[Path]) -> str:
    """What the answer defines so that its own is taken: an inline function of ours, which may stand
    in several objects; one of a library that ours call; one of C. Its name; or nothing."""
    own, tables = defined(answer.read_bytes()), [symbols(path.read_bytes()) for path in ours]
    at_ours = {name for table in tables for name, (_, here) in table.items() if here}
    for table in tables:
        for name, (binding, here) in table.items():
            if name in own and (binding == WEAK and own[name] != WEAK if here else
                                name not in at_ours and THE_EXERCISES not in name):
                return readable(name)
    return next((name for name in own if not name.startswith(("_Z", "DW.ref."))), "")


def kept_for_others(answer: Path, ours: list[Path]) -> list[str]:
    """Of the names that the answer defines: those that ours ask for, and data that ours have, too,
    such as a type's name. All others are its own alone."""
    data, tables = answer.read_bytes(), [symbols(path.read_bytes()) for path in ours]
    asked = {name for table in tables for name, (_, here) in table.items() if not here}
    both = {name for table in tables for name, (_, here) in table.items() if here}
    return sorted(set(defined(data)) & (asked | both - functions(data)))


def readable(name: str) -> str:
    if not shutil.which("c++filt"):
        return name
    return subprocess.run(["c++filt", name], stdout=subprocess.PIPE, text=True).stdout.strip()
