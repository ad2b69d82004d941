"""Traps of C++ and xtensor: code that compiles but computes something else, found in the text of an
answer. Each is reported with the corrected line."""

from __future__ import annotations

import re

REDUCTION = re.compile(r"xt::(sum|mean|amax|amin|prod|norm_sq|norm_l2)(?:<[\w:]+>)?\(")
NAMES = {"sum": "total", "mean": "mean", "amax": "largest", "amin": "smallest"}
AUTO = re.compile(r"(?:const )?auto ?&{0,2} ?(\w+) = (.*)", re.S)
UNSIGNED = re.compile(r"for \((?:std::)?(size_t|unsigned(?: int| long)?|auto) (\w+) = (.*?); ?"
                      r"\2 (?:>= 0|> -1); ?(?:--\2|\2--)\)")
WHOLE = re.compile(r"\b(?:int|(?:std::)?size_t|std::ptrdiff_t|unsigned)(?: const)?&? (\w+)")
SEVERAL = re.compile(r"\b(?:int|(?:std::)?size_t|std::ptrdiff_t|unsigned) "
                     r"(\w+(?: = [^,;(){}]*)?(?:, \w+(?: = [^,;(){}]*)?)+);")
REALS = re.compile(r"\b(?:std::(?:array|vector)<(?:float|double)\b[^<>]*>|float|double)&? (\w+)")
# The last position of n consecutive numbers, as the bound of a loop over what may be shorter.
RUNS = re.compile(r"for \([^;]*; ?(\w+) < ([\w.\[\]]+)\.size\(\) - (\w+)( \+ 1)?;")
WITHOUT_SIGN = re.compile(r"\b(?:(?:std::)?size_t|unsigned(?: int| long)?)(?: const)? (\w+)")
FLOATING = re.compile(r"\b(float|double|std::(pow|exp|sqrt|log|sin|cos))\b|\d\.\d")
# Containers: indexed by integers, or constructed with a size.
LISTS = re.compile(r"\b(?:xt::xtensor<[^<>]*>|std::(?:vector|string|span)(?:<[^<>]*>)?|Matrix|"
                   r"Rows?|Vector|Cube)&? (\w+)")
ROWS = re.compile(r"auto&{0,2} (\w+) = xt::row\(|xt::xtensor<float, 1> (\w+) =")
SIZE = re.compile(r"\w+\.(?:shape|size)\(\d*\)")
# Values that are evaluated at once, or must stay a view.
READY = re.compile(r"(xt::(?:eval|row|col|view|linalg::dot|newaxis|range|any|all|allclose|"
                   r"xtensor|xarray)|to_xt|softmax\w*|embed|split|merge|attend|"
                   r"static_cast<xt::x(?:tensor|array))\b")
SIGNED = re.compile(r"int\(|\(int\)|std::ssize\(|(?:static_cast<)?(?:int|long|std::ptrdiff_t)[>(]")
# Where ^ is intended: for bits, and for exclusive or.
BITS = re.compile(r"\b(?:bool|unsigned|std::size_t|uint\d+_t|bit_cast|seed|hash)\b|0x|<<|>>")
CAST = re.compile(r"(?:\b(?:float|double)|static_cast<(?:float|double)>)$")
# Their arguments are positions, even among floating-point numbers.
PLACES = re.compile(r"(?:\.at|xt::(?:range|row|col)|std::(?:vector|string)(?:<[^<>]*>)?|"
                    r"xt::xtensor<[^<>]*>)$")

# What the threads of a block do together. For this, they need an array in common.
TOGETHER = re.compile(r"\b(__syncthreads|block_sum|block_max)\(")
ARRAY = re.compile(r"(?:float|int|double) \w+(?:\[[^\]]+\])+(?:, \w+(?:\[[^\]]+\])+)*")

# The messages.
KEPT = ("a reduction with keep_dims inside an expression is read past its end; give it a line and "
        "a type of its own")
AUTO_KEPT = ("auto keeps the expression, not its numbers, so each use computes it again; give it a "
             "type")
NEVER_BELOW = "an unsigned number is never below 0, so the loop does not stop at 0"
POWER = "^ is exclusive or in C++, not a power"
ABS = "this abs is the one for int, which drops the fractional part"
WRAPS = "an unsigned number below 0 wraps round to a huge one; begin with a float"
SHORTER = ("size() is unsigned, so size() - n wraps round to a huge number if n is larger; add n "
           "to the other side")
CUT = "integer division drops the remainder, so 1 / 2 is 0; make one operand a float"

EACH_ITS_OWN = "each thread has its own array; with __shared__ the block shares one"


def found_in(text: str) -> list[tuple[int, str, str]]:
    """(line, what it does, the corrected line), in order."""
    found, code = [], without_comments(text)
    names, whole = set(re.findall(r"\w+", code)), set(WHOLE.findall(code))
    whole.update(name.split(" = ")[0] for several in SEVERAL.findall(code)
                 for name in several.split(", "))
    reals = set(REALS.findall(code))
    kind = "double" if "double" in names and "float" not in names else "float"
    lists, unsigned = set(LISTS.findall(code)), set(WITHOUT_SIGN.findall(code))
    lonely = "__global__" in code and "__shared__" not in code and TOGETHER.search(code)
    std_abs = re.search(r"\busing (?:std::abs|namespace std);", code)
    rows = {"xt::row", *(name for pair in ROWS.findall(code) for name in pair if name)}
    for line, statement in statements(code):
        for told in (never_below(statement), shorter(statement),
                     kept_inside(statement, names, rows), lazy(statement, rows), power(statement),
                     None if std_abs else whole_abs(statement, whole),
                     wraps(statement, unsigned), cut(statement, whole, lists, reals, kind),
                     (EACH_ITS_OWN, f"__shared__ {statement};")
                     if lonely and ARRAY.fullmatch(statement) else None):
            if told:
                found.append((line, *told))
                break
    return found


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", "", text)


def statements(code: str) -> list[tuple[int, str]]:
    """The statements with their line numbers; a loop includes its parenthesised head."""
    found, start, depth, line = [], None, 0, 1
    begun = ""
    for c in code:
        depth += (c in "([") - (c in ")]")
        if depth <= 0 and c in ";{}":
            if begun.strip():
                found.append((start, " ".join(begun.split())))
            begun, start, depth = "", None, 0
        else:
            if start is None and not c.isspace():
                start = line
            begun += c
        line += c == "\n"
    return found


def closing(text: str, opened: int, step: int = 1) -> int:
    """The position of the bracket that closes the one at `opened`; with step -1, that opens it."""
    depth, place = 0, opened
    while 0 <= place < len(text):
        depth += (text[place] in "({[") - (text[place] in ")}]")
        if depth == 0:
            return place
        place += step
    return min(max(place, 0), len(text) - 1)


def head_and_rest(statement: str) -> str:
    """The statement after the head of its loop: `for (...) x = y` gives `x = y`."""
    head = re.match(r"(?:for|while|if) \(", statement)
    return statement[closing(statement, head.end() - 1) + 1:].strip() if head else statement


# ---- the traps -----------------------------------------------------------------------------------


def kept_inside(statement: str, names: set[str], rows: set[str]) -> tuple[str, str] | None:
    """A reduction with keep_dims as an operand."""
    statement = head_and_rest(statement)
    for opened in reversed(list(REDUCTION.finditer(statement))):
        end = closing(statement, opened.end() - 1) + 1
        reduction, before = statement[opened.start():end], statement[:opened.start()]
        if "keep_dims" not in reduction or "::immediate" in reduction \
                or before.endswith("xt::eval("):
            continue
        if before == "return " and not statement[end:].strip():  # copied to its destination
            continue
        matrix = matrix_of(reduction, rows)
        if not statement[end:].strip() and re.search(r"(?<![-+*/=<>!])= $", before):
            declared = AUTO.fullmatch(statement)
            if not declared:
                continue
            return KEPT, f"{matrix} {declared[1]} = {reduction};"
        name = NAMES.get(opened[1], opened[1])
        while name in names:
            name += "s"
        before = re.sub(r"^(?:const )?auto ?&{0,2} ?(?=\w+ = )", f"{matrix} ", before)
        return KEPT, f"{matrix} {name} = {reduction};\n{before}{name}{statement[end:]};"
    return None


def lazy(statement: str, rows: set[str]) -> tuple[str, str] | None:
    """An xtensor expression stored in an auto variable."""
    declared = AUTO.fullmatch(head_and_rest(statement))
    if not declared or "xt::" not in declared[2] or declared[2].startswith("["):  # or a lambda
        return None
    name, value = declared.groups()
    opened = value.find("(")
    end = closing(value, opened) + 1 if opened >= 0 else len(value)
    rest = value[end:]
    if not rest and (READY.match(value) or "::immediate" in value):
        return None
    if value.endswith(")()") or re.fullmatch(r"\([^()]*\)", rest):  # one of its numbers
        return None
    reduction = REDUCTION.match(value)
    whole = reduction and closing(value, reduction.end() - 1) == len(value) - 1
    if whole and not re.search(r", (\{|\d)", value):
        return AUTO_KEPT, f"const float {name} = {value}();"
    matrix = "const xt::xtensor<float, 1>" if whole else matrix_of(value, rows)
    return AUTO_KEPT, f"{matrix} {name} = {value};"


def matrix_of(value: str, rows: set[str]) -> str:
    """The type for its values: a vector if it is made of rows."""
    rank = 1 if rows & set(re.findall(r"(?:xt::)?\w+", value)) else 2
    return f"const xt::xtensor<float, {rank}>"


def never_below(statement: str) -> tuple[str, str] | None:
    """for (size_t i = n - 1; i >= 0; --i)"""
    loop = UNSIGNED.match(statement)
    if not loop or loop[1] == "auto" and (
            not re.search(r"shape\(|size\(", loop[3]) or SIGNED.match(loop[3])):
        return None
    start = re.sub(r" - 1$", "", loop[3])
    if start == loop[3]:
        start += " + 1"
    return NEVER_BELOW, f"for (std::size_t {loop[2]} = {start}; {loop[2]}-- > 0;)"


def power(statement: str) -> tuple[str, str] | None:
    """x ^ y between floats: meant as the power of the number just before it."""
    if not FLOATING.search(statement) or BITS.search(statement):
        return None
    typed = as_power(statement)
    return (POWER, typed + ";") if typed else None


def as_power(code: str) -> str:
    """The code with std::pow in place of its first ^, or an empty string."""
    side = r"(\w[\w.]*(?:\([^()]*\))?|\([^()<>=]*\))"
    sign = re.search(rf"{side} \^ {side}", code)
    if not sign:
        return ""
    base, exponent = [one[1:-1] if one.startswith("(") else one for one in sign.groups()]
    return code[:sign.start()] + f"std::pow({base}, {exponent})" + code[sign.end():]


def whole_abs(statement: str, whole: set[str]) -> tuple[str, str] | None:
    """abs(x) without std::, where x may not be an integer."""
    code = head_and_rest(statement)
    for called in re.finditer(r"(?<![\w:.>])abs(?=\()", code):
        if not is_whole(code[called.end():closing(code, called.end()) + 1], whole):
            return ABS, f"{code[:called.start()]}std::{code[called.start():]};"
    return None


def shorter(statement: str) -> tuple[str, str] | None:
    """i < s.size() - n + 1, where s may be shorter than n: unsigned underflow."""
    loop = RUNS.match(statement)
    if not loop:
        return None
    bound = f"{loop[1]} + {loop[3]} {'<=' if loop[4] else '<'} {loop[2]}.size();"
    return SHORTER, f"{loop[0][:loop[0].index('; ') + 2]}{bound}{statement[loop.end():]}"


def wraps(statement: str, unsigned: set[str]) -> tuple[str, str] | None:
    """-2 * i / D with an unsigned i."""
    for sign in re.finditer(r"(?<=[(,=] )-(\d+) \* (\w+)|(?<=\()-(\d+) \* (\w+)", statement):
        if (sign[2] or sign[4]) in unsigned and FLOATING.search(statement):
            number = sign[1] or sign[3]
            typed = statement[:sign.start()] + sign[0].replace(number, number + ".0f", 1)
            return WRAPS, typed + statement[sign.end():] + ";"
    return None


def cut(statement: str, whole: set[str], lists: set[str],
        reals: set[str], kind: str) -> tuple[str, str] | None:
    """An integer division where a float is wanted, or with the result stored in one of the `reals`.
    All factors before it must be integers, too: in `pi * t / n`, the dividend is a double."""
    if re.fullmatch(r"(?:const )?(?:int|(?:std::)?size_t|\w+\*) (?:const )?\w+ = .*", statement):
        return None
    rest = len(statement) - len(head_and_rest(statement))
    stored = re.match(r"(\w+)(?:\[[^\]]*\])* [-+*/]?= ", statement[rest:])
    is_real = bool(stored) and stored[1] in reals
    for sign in re.finditer(" / ", statement):
        divisor = operand_at(statement, sign.end())
        factors = [*product_before(statement, sign.start()), divisor]
        beside = statement[:rest] if sign.start() < rest else statement[rest:]
        if (FLOATING.search(beside) or is_real) and all(is_whole(each, whole) for each in factors) \
                and not meant_whole(statement, sign.start(), factors) \
                and not inside_of_brackets(statement, sign.start(), lists) \
                and not counted(statement, sign.start(), whole):
            cast = divisor if divisor.startswith("(") else f"({divisor})"
            typed = (f"{statement[:sign.end()]}static_cast<{kind}>{cast}"
                     f"{statement[sign.end() + len(divisor):]}")
            return CUT, typed + ("" if typed.endswith(")") and typed.startswith("for") else ";")
    return None


def meant_whole(statement: str, place: int, factors: list[str]) -> bool:
    """Is the remainder dropped on purpose? As in c / 2 * 2 and 2.0 * (i / 2), which round down to
    an even number, in float(i / 2), in (a + b - 1) / b, and in what is added to an iterator."""
    dividend, divisor = factors[0], factors[-1]
    if re.match(rf" \* {re.escape(divisor)}(?![\w.(])", statement[place + 3 + len(divisor):]) \
            or dividend.endswith(f"+ {divisor} - 1)"):
        return True
    begin = place - len(dividend)
    if len(factors) == 2 and re.search(r"\b(?:begin|end)\(\) [-+] $", statement[:begin]):
        return True
    if not divisor.isdigit() or divisor == "1" or dividend.isdigit():
        return False
    around = parenthesis_around(statement, place)
    before = statement[:around] if around >= 0 else ""
    alone = begin == around + 1 and closing(statement, around) == place + 3 + len(divisor)
    return bool(CAST.search(before)) or alone and bool(
        re.search(rf"(?<![\w.]){divisor}(?:\.0*f?)? \* $", before)
        or re.match(rf" \* {divisor}(?:\.0*f?)?(?![\w.(])", statement[place + 4 + len(divisor):]))


def counted(statement: str, place: int, whole: set[str]) -> bool:
    """Is it inside parentheses in which integers are added, such as (T - T / 2)? The arguments of
    floating-point functions do not count: exp(1 - r / c)."""
    around = parenthesis_around(statement, place)
    if around >= 0 and re.search(r"\bstd::(?:exp|log|sqrt)$", statement[:around]):
        return False
    group = statement[around:closing(statement, around) + 1] if around >= 0 else ""
    flat = group[1:-1]
    while flat != (flat := re.sub(r"\([^()]*\)", "1", flat)):
        pass
    return bool(re.search(r" [-+] ", flat)) and is_whole(group.replace(" / ", " * "), whole)


def operand_at(statement: str, begin: int) -> str:
    """The number, name, call or parenthesised expression that begins here."""
    end = begin + len(re.match(r"[\w.:]*(?:<[\w: ]*>)?", statement[begin:])[0])
    while statement[end:end + 1] in ("(", "["):
        end = closing(statement, end) + 1
    return statement[begin:end]


def product_before(statement: str, end: int) -> list[str]:
    """The factors and divisors that end here, last one first, each with its cast."""
    found = []
    while True:
        begin = end
        while statement[begin - 1:begin] in (")", "]"):
            begin = closing(statement, begin - 1, -1)
        begin -= len(re.search(r"[\w.:]*(?:<[\w: ]*>)?$", statement[:begin])[0])
        cast = re.search(r"\((?:float|double)\) ?$", statement[:begin])
        begin -= len(cast[0]) if cast else 0
        found.append(statement[begin:end])
        if statement[:begin].endswith((" * ", " / ")):
            end = begin - 3
        else:
            return found


def is_whole(operand: str, whole: set[str]) -> bool:
    """A number without a point, a size, a variable declared so; or those in parentheses."""
    if operand.startswith("("):
        inside = SIZE.sub("1", operand)
        return not re.search(r"[^\w\s()+*/-]", inside) and not re.search(r"\w\(", inside) and all(
            each.isdigit() or each in whole for each in re.findall(r"\w+", inside))
    return operand.isdigit() or operand in whole or SIZE.fullmatch(operand) is not None


def inside_of_brackets(statement: str, place: int, lists: set[str]) -> bool:
    """Is it an index, a shape, or the bound of a loop, where integers are intended?"""
    head = re.match(r"for \(", statement)
    if head and place < closing(statement, head.end() - 1):
        return True
    return any(each[2] != "(" or each[1] in lists or PLACES.search(each[1])
               for each in opened_before(statement, place))


def parenthesis_around(statement: str, place: int) -> int:
    """The position of the innermost parenthesis still open here; -1 if there is none."""
    return max((each.start(2) for each in opened_before(statement, place) if each[2] == "("),
               default=-1)


def opened_before(statement: str, place: int) -> list[re.Match]:
    """The brackets still open here, as the second groups, each after the name before it."""
    found = []
    for sign in re.finditer(r"([\w.:]*(?:<[\w:, ]*>)?)([(\[{])|[)\]}]", statement[:place]):
        if sign[2]:
            found.append(sign)
        elif found:
            found.pop()
    return found


# ---- what the compiler refuses -------------------------------------------------------------------


def refused(log: str) -> tuple[str, str] | None:
    """What the first error means if similar types are mixed, and the corrected code."""
    first = re.search(r"error: (.*)\n +\d+ \|(.*)\n", log)
    if not first:
        return None
    error, code = first[1], first[2].strip()
    two = re.search(r"no matching function for call to '(min|max)\(", error)
    if two and re.search(rf"std::{two[1]}\(", code):
        kind = "double" if "double" in error else "float" if "float" in error else "std::size_t"
        opened = code.index(f"std::{two[1]}(") + len(f"std::{two[1]}")
        end = closing(code, opened) + 1
        sides = re.sub(r"(?<![\w:.>])abs\(", "std::abs(", code[opened:end])
        if kind != "std::size_t":  # the integer operand is computed before it is converted
            sides = re.sub(r"(?<![\w.)] )(?<![\w.])(\w+) / (?=\w+[,)])", rf"{kind}(\1) / ", sides)
        return (f"both arguments of std::{two[1]} must have the same type; say which",
                f"{code[:opened]}<{kind}>{sides}{code[end:]}")
    if "'operator^'" in error and as_power(code):
        return POWER, as_power(code)
    if "'reshape' is not a member of 'xt'" in error:
        return ("xtensor calls it reshape_view",
                code.replace("xt::reshape(", "xt::reshape_view("))
    span = re.search(r"'<brace-enclosed initializer list>' to 'std::span<const ([\w:]+)>'", error)
    opened = code.find("{")
    if span and opened >= 0:
        braces = code[opened:closing(code, opened) + 1]
        return ("a std::span refers to an array, not to braces; give the array a name",
                f"const {span[1].removeprefix('xf::')} list[] = {braces};\n"
                f"{code.replace(braces, 'list', 1)}")
    shape = re.search(r"(xt::xtensor<[^;{}]*> \w+)(?: = )?\{([^{}]*)\}", code)
    if "<brace-enclosed initializer list>" in error and shape:
        return ("numbers in braces are taken as the elements; put a shape in round brackets",
                code.replace(shape[0], f"{shape[1]}({{{shape[2]}}})"))
    if "<brace-enclosed initializer list>" in error:
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", code)
        if braces and not re.search(r"\d\.|\df\b", braces[1]):
            sides = [side.strip() for side in braces[1].split(",")]
            sides = [side if "shape(" in side or side.startswith("std::size_t") else
                     f"std::size_t({side})" for side in sides]
            return ("the numbers in the braces must all have the same type",
                    code.replace(braces[0], "{" + ", ".join(sides) + "}", 1))
    lazy_zeros = re.search(r"read-only location .*xbroadcast<xt::xscalar<(\w+)>, "
                           r"std::array<long unsigned int, (\d)>", error)
    if lazy_zeros:
        kind, rank = lazy_zeros[1], lazy_zeros[2]
        return ("auto keeps only a description of the zeros, which cannot be written to; give it "
                "a type", f"xt::xtensor<{kind}, {rank}> y = xt::zeros<{kind}>(…);")
    number = re.search(r"cannot convert 'xt::(?:xfunction<xt::detail::divides, xt::)?xreducer<",
                       error)
    if number:
        opened = REDUCTION.search(code)
        if opened:
            end = closing(code, opened.end() - 1) + 1
            return ("a reduction becomes a number only when called with ()",
                    code[:end] + "()" + code[end:])
    return None
