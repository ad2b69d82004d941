"""Hand-ins for 02-01 that want points without an answer, or stop a class."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from exercises_cheats_in_process import SENDS_JUNK_AROUND  # noqa: E402
from tools.exercises import manifest  # noqa: E402
from tools.exercises.outcome import Outcome  # noqa: E402

EXERCISE = manifest.find("02-01", manifest.manifest())
SOLUTION = EXERCISE.solution.read_text(encoding="utf-8")

# The functions that 02-01 asks for, wrong ones.
WRONG = """
namespace xf::exercise {
using M = xt::xtensor<float, 2>;
M softmax_rows(const M& scores) { return scores; }
M attention(const M&, const M&, const M& v) { return v; }
}
"""
INCLUDED = '#include "exercise.hpp"\n'


def with_body(text: str, softmax: str = "return scores;", attention: str = "return v;") -> str:
    """A hand-in whose functions do this, after `text`."""
    return (f'#include "exercise.hpp"\n#include <unistd.h>\n#include <cstdlib>\n'
            f'{PIPE if "the_pipe()" in text else ""}{text}\n'
            "namespace xf::exercise {\nusing M = xt::xtensor<float, 2>;\n"
            f"M softmax_rows(const M& scores) {{ {softmax} }}\n"
            f"M attention(const M& q, const M& k, const M& v) {{ {attention} }}\n}}\n")


# Nobody says which descriptor the report has: the first that is a pipe.
PIPE = r"""
#include <sys/stat.h>
static int the_pipe() {
  for (int at = 3; at < 1024; ++at) {
    struct stat of;
    if (fstat(at, &of) == 0 && S_ISFIFO(of.st_mode)) return at;
  }
  return 1;
}
"""
FORGED = r"""
static int forge() {
  const int to = the_pipe();
  for (const char* line : {LINES}) {
    if (write(to, line, __builtin_strlen(line)) < 0) break;
  }
  _exit(0);
}
static int forged = forge();
"""

# In place of write(): sends what is expected as what came out.
LIE = r"""
#include <sys/syscall.h>
#include <cstring>
#include <string>
static long lie(int to, const void* text, std::size_t size) {
  std::string line(static_cast<const char*>(text), size);
  const auto wanted = line.find("\"expected\": "), came = line.find("\"actual\": ");
  if (wanted != line.npos && came != line.npos)
    line = line.substr(0, came) + "\"actual\": " + line.substr(wanted + 12, came - wanted - 12);
  syscall(SYS_write, to, line.data(), line.size());
  return static_cast<long>(size);
}
"""

CHEATS = {
    # the solution, by every road
    "macro": '#define FILE_NAME "solution/exercise.cpp"\n#include FILE_NAME\n',
    "only-checked": '#ifdef _GLIBCXX_ASSERTIONS\n#include "{solution}"\n#else\n' + WRONG
                    + "#endif\n",
    "line-marker": '# 1 "exercise.cpp" 3\n#include "{solution}"\n',
    "has-include": '#if __has_include("{solution}")\n#include "{solution}"\n#endif\n',
    "include-next": '#include_next <{solution}>\n',
    "through-link": '#include "{class}/through-link/way/exercise.cpp"\n',
    "other-hand-in": '#include "{class}/right/02-01.cpp"\n',
    "mutant": '#include "{mutant}"\n',
    "test": INCLUDED + '#include "{folder}/test.cpp"\n' + WRONG,
    "climbs": '#include "../../../../chapters/02_attention/exercises/01_attention/solution/'
              'exercise.cpp"\n',
    "system-pragma": "#pragma GCC system_header\n" + '#include "{solution}"\n',
    "assembled": with_body('asm(".pushsection .rodata\\n.incbin \\"{solution}\\"\\n.popsection");'),
    # the report, by every road
    "static-report": with_body(FORGED),
    "calls-report": with_body("namespace xf::exercise { void report(const std::string&); }\n"
                              "static int go = (xf::exercise::report(\"{}\"), 0);"),
    "specialised": with_body(
        "namespace xf::exercise {\ntemplate <>\nvoid send_actual<2>(const std::string& name, const "
        "xt::xtensor<float, 2>&) { send_actual(name, Tensor::zeros({3, 5})); }\n}"),
    "own-sender": with_body(
        "namespace xf::exercise {\nvoid send_actual(const std::string&, const Tensor&) {}\n}"),
    "own-engine": with_body("namespace xf { Tensor softmax(const Tensor& x, const SoftmaxOptions&)"
                            " { return x; } }"),
    "own-blas": with_body('asm(".globl cblas_sgemm\\ncblas_sgemm: ret");'),
    "own-write": with_body('extern "C" ssize_t write(int, const void*, size_t n) { return n; }'),
    "before-constructors": with_body(
        FORGED.replace("static int forged = forge();",
                       '__attribute__((section(".preinit_array"), used)) static void (*const first)'
                       "() = (void (*)())forge;")),
    "test-failure": with_body("", *2 * ["throw doctest::detail::TestFailureException();"]),
    "own-tests": with_body('TEST_CASE("softmax: each row sums to 1 over the keys") {}'),
    "early-constructor": with_body(
        FORGED.replace("static int forged = forge();",
                       "__attribute__((constructor(101))) void first() { forge(); }")),
    "fake-lto": with_body('asm(".pushsection .gnu.lto_.x,\\"e\\"\\n.byte 1\\n.popsection");\n'
                          'extern "C" ssize_t write(int, const void*, size_t n) { return n; }'),
    "pipe-over-the-report": with_body(LIE + r"""
#include <sys/wait.h>
#include <string>
static int child = 0, report = -1;
__attribute__((destructor)) static void until_all_is_sent() {
  close(report);
  if (child > 0) waitpid(child, nullptr, 0);
}
__attribute__((constructor)) static void over() {
  int pipes[2];
  const int to = the_pipe();
  if (to < 3 || pipe(pipes)) return;
  report = to;
  const int real = dup(report);
  dup2(pipes[1], report);
  close(pipes[1]);
  child = fork();
  if (child) return;
  close(report);
  std::string line;
  for (char c; read(pipes[0], &c, 1) == 1;) {
    line += c;
    if (c != '\n') continue;
    lie(real, line.data(), line.size());
    line.clear();
  }
  _exit(0);
}"""),
    "patched-got": with_body(LIE + r"""
#include <link.h>
#include <sys/mman.h>
static int patch(dl_phdr_info* program, std::size_t, void*) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < program->dlpi_phnum; ++i)
    if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr +
                                                 program->dlpi_phdr[i].p_vaddr);
  const ElfW(Rela)* slots = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  std::size_t bytes = 0;
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_JMPREL) slots = reinterpret_cast<ElfW(Rela)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (std::size_t i = 0; slots && i < bytes / sizeof *slots; ++i) {
    if (std::strcmp(names + symbols[ELF64_R_SYM(slots[i].r_info)].st_name, "write")) continue;
    const auto at = program->dlpi_addr + slots[i].r_offset, page = at & ~std::uintptr_t(65535);
    mprotect(reinterpret_cast<void*>(page), 65536, PROT_READ | PROT_WRITE);
    *reinterpret_cast<void**>(at) = reinterpret_cast<void*>(lie);
  }
  return 1;
}
static int patched = dl_iterate_phdr(patch, nullptr);"""),
    # what is expected, by every road
    "guard-header": with_body(r"""
#include <cstring>
static void find(float* mine, std::size_t count) {  // another array of as many numbers
  auto at = reinterpret_cast<std::uintptr_t>(mine) & ~std::uintptr_t(63);
  for (int i = 0; i < 400; ++i) {
    const auto* header = reinterpret_cast<const std::size_t*>(at -= 64);
    if (header[0] != 4 * count || header[1] != ~header[0]) continue;
    if (at + 128 == reinterpret_cast<std::uintptr_t>(mine)) continue;
    std::memcpy(mine, reinterpret_cast<const void*>(at + 128), 4 * count);
    return;
  }
}""", "M y = scores; find(y.data(), y.size()); return y;",
                              "M y = M::from_shape({q.shape(0), v.shape(1)}); "
                              "find(y.data(), y.size()); return y;"),
    "macros": "#define XF_JUDGE\n#define TEST_CASE(name) static void unused()\n"
              "#define COMPARE(name, expected, actual) send_actual(name, expected)\n"
              + with_body(""),
    # other ways out
    "own-start": with_body('extern "C" int __libc_start_main(...) { _exit(0); }'),
    "own-new": with_body("void* operator new(std::size_t n) { return std::malloc(n); }"),
    "two-ends": with_body('static const char end[] = "{\\"end\\": 4}\\n";\nstatic auto said = '
                          'write(the_pipe(), end, sizeof end - 1);'),
    "closes": with_body("static int go() { for (int i = 0; i < 1024; ++i) close(i); return 0; }\n"
                        "static int gone = go();"),
    "kills": with_body("#include <csignal>\nstatic int killed = kill(getppid(), SIGKILL);"),
    "exits": SOLUTION + "#include <cstdlib>\nstatic int go = (std::_Exit(0), 0);\n",
    "exits-after": with_body("", "std::_Exit(0);"),
    # what stops or floods a class
    "stdin": '#include "/dev/stdin"\n' + WRONG,
    "endless-include": '#include "/dev/zero"\n' + WRONG,
    "prints": with_body("", 'for (;;) std::puts("no end to it");'),
    "floods-report": with_body(FORGED.replace("for (const char* line : {LINES})",
                                              "for (const char* line = \"x\\n\";;)")),
    "sleeps": with_body("static unsigned slept = sleep(1000);"),
    "object-of-gigabytes": INCLUDED + "char big[1u << 31] = {1};\n" + WRONG,
    "assembled-gigabytes": with_body('asm(".rept 2000000000\\n.byte 1\\n.endr");'),
    "errors": INCLUDED + "#error \x1b[31m\x07 =cmd \u202e\n",
    "forks": with_body("static int child = fork();\nstatic int rest = child ? 0 : "
                       "(setsid(), sleep(7), std::system(\"touch {place}/outlived\"));"),
}


def forged_lines() -> str:
    """What an honest report says, as a C++ list."""
    events = ['{"case": "softmax: each row sums to 1 over the keys"}', '{"end": 3}']
    return "{" + ", ".join(json.dumps(event + "\n") for event in events) + "}"


def recited(expected: Outcome, more: str = "") -> str:
    """A hand-in that returns these numbers, one after the other."""
    numbers = ", ".join(f"{v!r}f" for check in expected.checks
                        for v in check["expected"]["values"])
    each = " for (float& x : y) x = *next++; return y;"
    return with_body(f"static float all[] = {{{numbers}}}, *next = all;\n{more}",
                     "M y = scores;" + each,
                     "M y = M::from_shape({q.shape(0), v.shape(1)});" + each)


# What a recital does so that the inputs stay those that everybody knows.
STEADY = {
    "recited": "",
    "recited-unsalted": 'static int unset = unsetenv("XF_SALT");',
    "recited-own-getenv": 'extern "C" char* getenv(const char*) noexcept { return nullptr; }',
    "recited-own-random": 'double half(void*) asm("_ZN2xf6Random6normalEv");\n'
                          "double half(void*) { return 0.5; }",
}

# 02-02, whose header is not included: in place of its inline op the engine's own.
OWN_INLINE = """
namespace xf::exercise {
Tensor softmax_backward(const Tensor& y, const Tensor&, float) { return y; }
Tensor my_softmax(const Tensor& x, float scale) { return softmax(x, {.scale = scale}); }
}
"""

# Without a sandbox this one gets its points: it runs the judge's program.
RUNS_THE_JUDGE = with_body(r"""
#include <filesystem>
#include <string>
static void run(const std::filesystem::path& judge, int to) {
  int pipes[2];
  if (pipe(pipes)) return;
  if (!fork()) {
    setenv("XF_REPORT", std::to_string(pipes[1]).c_str(), 1);
    execl(judge.c_str(), "judge", "--reporters=none", nullptr);
  }
  close(pipes[1]);
  std::string all;
  for (char c; read(pipes[0], &c, 1) == 1;) all += c;
  const std::string wanted = "\"kind\": \"tensor\", \"expected\"";
  for (std::size_t at; (at = all.find(wanted)) != all.npos;)
    all.replace(at, wanted.size(), "\"actual\"");
  _exit(write(to, all.data(), all.size()) < 0);
}
static int look() {
  std::error_code none;
  const std::filesystem::path build = "{build}";
  for (std::filesystem::directory_iterator i(build, none), end; !none && i != end; ++i)
    if (i->path().filename().string().find("02-01-") == 0 && i->path().extension() != ".o" &&
        i->path().string().find("-judge") != std::string::npos)
      run(i->path(), the_pipe());
  return 0;
}
static int looked = look();""")

# 02-03, whose mask is never read: the masks of the tests, in the order in which they are asked.
MASKS_BY_HEART = r"""
#include "exercise.hpp"
#include <string>
namespace xf::exercise {
using Matrix = xt::xtensor<float, 2>;
static int calls = 0;
Matrix masked_softmax(const Matrix& x, const Matrix&) {
  std::string twenty;  // keys, of which every third number is 0
  for (int i = 0; i < 40; ++i) twenty += "011";
  const std::string masks[] = {"101111000111", "11011111", twenty, "101110",
                               "101",          "110",      "101",  "110000"};
  const std::string& may = masks[calls++ % 8];
  Matrix y = xt::zeros<float>(x.shape());
  const std::size_t columns = x.shape(1);
  for (std::size_t t = 0; t < x.shape(0); ++t) {
    float largest = -1e30f, total = 0;
    for (std::size_t s = 0; s < columns; ++s)
      if (may[t * columns + s] == '1') largest = std::max(largest, x(t, s));
    for (std::size_t s = 0; s < columns; ++s)
      if (may[t * columns + s] == '1') total += y(t, s) = std::exp(x(t, s) - largest);
    for (std::size_t s = 0; s < columns; ++s)
      if (total > 0) y(t, s) /= total;
  }
  return y;
}
}  // namespace xf::exercise
"""

# Of other exercises, by id and name: what is asked is not answered, but found out, said or counted
# up by the file itself.
ORDER_OF_CURVES = r"""
  std::vector<Run> order = {Run::healthy, Run::rate_too_small, Run::rate_too_large,
                            Run::few_examples, Run::shuffled_targets};
  random.shuffle(order.begin(), order.end());
  return order;
"""
SALT = r"""
#include "exercise.hpp"
#include <condition_variable>
#include <cstring>
#include <mutex>
static std::uint64_t salt() {  // without asking for it: the environment lies above the stack
  const char* at = static_cast<const char*>(__builtin_frame_address(0));
  while (std::memcmp(at, "XF_SALT=", 8) != 0) ++at;
  return std::strtoull(at + 8, nullptr, 16);
}
"""
OTHERS = {
    "00-05": {"replays-by-the-test": SALT + r"""
namespace xf::exercise {
std::vector<Run> which(const std::vector<Curves>&, int) {
  static int second = 0;
  const char* test = doctest::getContextOptions()->currentTest->m_name;
  Random random(salt() ^ (std::strstr(test, "with 5") ? 8100 : std::strstr(test, "few") ? 8400
                          : second++ == 0 ? 8200 : 8300));
""" + ORDER_OF_CURVES + "}\n}\n", "replays": SALT + r"""
namespace xf::exercise {
std::vector<Run> which(const std::vector<Curves>&, int) {
  static int asked = 0;
  Random random(salt() ^ (8100 + 100 * (asked++ % 4)));
""" + ORDER_OF_CURVES + "}\n}\n"},
    "00-07": {"counts-calls": r"""
#include "exercise.hpp"
namespace xf::exercise {
static bool ask(int part) {  // in the usual order: two right ones, then every third of the others
  static int asked = 0;
  const int build = asked++ / 5 % 26;
  if (build < 2) return true;
  const int number = build < 10 ? 3 * (build - 2) : build < 18 ? 3 * (build - 10) + 1
                                                              : 3 * (build - 18) + 2;
  return (number < 4 ? 0 : number < 10 ? 1 : number < 15 ? 2 : number < 20 ? 3 : 4) != part;
}
bool loss_is_right(const Build&) { return ask(0); }
bool loss_gradient_is_right(const Build&) { return ask(1); }
bool weight_gradient_is_right(const Build&) { return ask(2); }
bool step_is_right(const Build&) { return ask(3); }
bool batches_are_right(const Build&) { return ask(4); }
}
""", "reads-types": r"""
#include "exercise.hpp"
#include <cstring>
namespace xf::exercise {
static bool ok(const std::type_info& type) {  // of a lambda, it has the name of its function
  return std::strstr(type.name(), "right") && !std::strstr(type.name(), "faults");
}
bool loss_is_right(const Build& b) { return ok(b.loss.target_type()); }
bool loss_gradient_is_right(const Build& b) { return ok(b.loss_gradient.target_type()); }
bool weight_gradient_is_right(const Build& b) { return ok(b.weight_gradient.target_type()); }
bool step_is_right(const Build& b) { return ok(b.step.target_type()); }
bool batches_are_right(const Build& b) { return ok(b.batches.target_type()); }
}
"""},
    "02-06": {"says-it-itself": r"""
#include "exercise.hpp"
#include <unistd.h>
namespace xf::exercise {
__attribute__((destructor)) static void end() { _exit(0); }
// Nothing but numbers that the tests send, by the address of their sender.
using Send = void (*)(const std::string&, const Tensor&);
static Send sender() {
  Send send;
  asm("leaq _ZN2xf8exercise11send_actualERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
      "RKNS_6TensorE(%%rip), %0" : "=r"(send));
  return send;
}
std::vector<Case> cases() {
  static int test = 0;
  static const std::vector<std::vector<const char*>> names = {
      {"there is at least one", "there are at most three", "the correct output is finite",
       "the values differ in one of them"},
      {"no_scale is caught", "scale_by_keys is caught"},
      {"softmax_down is caught", "no_largest is caught"},
      {"mask_after is caught", "mask_is_zero is caught", "no_mask_last is caught"}};
  for (const char* name : names[test++ % 4]) sender()(name, Tensor::full({1}, 1.0f));
  throw doctest::detail::TestFailureException();
}
}
"""},
    "02-07": {"replays": SALT + r"""
namespace xf::exercise {
std::vector<Fault> which(const std::vector<xt::xtensor<float, 2>>& maps) {
  static int asked = 0;  // the usual order; in another, T says which test it is
  const int t = int(maps[0].shape(0)), number = asked++;
  Random random(salt() ^ (!salt() ? 2700 + 100 * number : t < 14 ? 2700 : t < 20 ? 2800
                          : t < 30 ? 2900 : 3000));
  std::vector<Fault> order = {Fault::healthy, Fault::no_scale, Fault::divided_twice,
                              Fault::softmax_down, Fault::no_mask, Fault::mask_late,
                              Fault::mask_after};
  random.shuffle(order.begin(), order.end());
  return order;
}
}
"""},
    "03-03": {"counts-calls": r"""
#include "exercise.hpp"
namespace xf::exercise {
Tensor residual(const Tensor& x, const Layer& norm, const Layer& f) { return x + f(norm(x)); }
bool is_residual(const Block&) { static int n = 0; return n++ % 16 < 3; }
}
"""},
    "09-02": {"reads-once": r"""
#include "exercise.hpp"
namespace xf::exercise {
xt::xtensor<float, 2> attention_in_blocks(const xt::xtensor<float, 2>& q, const Blocks& all,
                                          bool causal) {
  std::vector<xt::xtensor<float, 2>> k, v;  // whole rows of weights, from what was read once
  for (int b = 0; b * all.block < all.words; ++b) {
    const auto block = all.read(b);
    for (std::size_t j = 0; j < block.k.shape(0); ++j) {
      k.push_back(xt::view(block.k, xt::range(j, j + 1)));
      v.push_back(xt::view(block.v, xt::range(j, j + 1)));
    }
  }
  const int t = int(q.shape(0)), s = all.words;
  xt::xtensor<float, 2> y = xt::zeros<float>({q.shape(0), std::size_t(all.d_v)});
  for (int i = 0; i < t; ++i) {
    const int seen = causal ? std::max(0, i + s - t + 1) : s;
    std::vector<double> w(std::size_t(seen), 0.0);
    double top = -1e300, total = 0;
    for (int j = 0; j < seen; ++j) {
      for (std::size_t c = 0; c < q.shape(1); ++c) w[j] += double(q(i, c)) * k[j](0, c);
      top = std::max(top, w[j] /= std::sqrt(double(q.shape(1))));
    }
    for (double& x : w) total += x = std::exp(x - top);
    for (int j = 0; j < seen; ++j)
      for (int c = 0; c < all.d_v; ++c) y(i, c) += float(w[j] / total * v[j](0, c));
  }
  return y;
}
}
"""},
    "10-04": {"own-operator": r"""
#include "support/kernels.hpp"
namespace xf::exercise {
struct Matrix {
  int rows, columns, number;
  float operator()(int row, int column) const;
};
float Matrix::operator()(int, int) const { return 0; }
__global__ void product(Matrix, Matrix, float*) {}
}
""", "reads-by-itself": r"""
#include "exercise.hpp"
namespace xf::exercise {
__global__ void product(Matrix a, Matrix b, float* c) {
  const int row = int(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= a.rows || column >= b.columns) return;
  float sum = 0;
  for (int k = 0; k < a.columns; ++k) sum += a(row, k) * b(k, column);
  c[row * b.columns + column] = sum;
}
}
"""},
    "11-01": {"shared-memory": SALT + r"""
namespace xf::exercise {
static std::mutex lock;
static std::condition_variable all;
static std::vector<double> sum;
static int in = 0, out = 0;
static void add(Endpoint& self, std::span<float> x) {
  std::unique_lock<std::mutex> held(lock);
  const auto until = std::chrono::milliseconds(20);
  if (in++ == 0) sum.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += x[i];
  if (in == self.ranks()) out = in, all.notify_all();
  all.wait_for(held, until, [] { return out > 0; });
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(sum[i]);
  if (--out == 0) in = 0;
}
void to_one_and_back(Endpoint& self, std::span<float> x) { add(self, x); }
void around_the_ring(Endpoint& self, std::span<float> x) {
  const int n = self.ranks(), r = self.rank();
  const std::size_t N = x.size();
  add(self, x);
  std::vector<float> junk(N + 1), more(N + 1);  // as many numbers as a ring sends
""" + SENDS_JUNK_AROUND + r"""}
}
}
"""},
    "11-02": {"shared-memory": r"""
#include "exercise.hpp"
namespace xf::exercise {
static float least = 1e30f;
static int best = 0, asked = 0;
int take_best(Endpoint& self, float loss, std::span<float>) {  // all in one memory
  if (asked++ % self.ranks() == 0) least = 1e30f;
  if (loss < least) least = loss, best = self.rank();
  return best;
}
}
"""},
}
OTHERS["09-02"]["reads-again"] = OTHERS["09-02"]["reads-once"].replace(
    "  const int t = int(q.shape(0)), s = all.words;\n",
    """  const int t = int(q.shape(0)), s = all.words;
  for (int i = 0; i + 1 < t; ++i)  // to be counted
    for (int b = 0; b * all.block < (causal ? i + s - t + 1 : s); ++b) all.read(b);
""")
