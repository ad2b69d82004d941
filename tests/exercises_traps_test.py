#!/usr/bin/env python3
"""What C++ and xtensor let pass, or refuse with a riddle, is told with the line typed rightly."""

from __future__ import annotations

import unittest
from unittest import mock

from support.checkout import WithFolder, output_of
from tools import language
from tools.exercises import build, explain, manifest, traps
from tools.exercises.outcome import Outcome, read_report

ATTENTION = """#include "exercise.hpp"
namespace xf::exercise {
xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  const xt::xtensor<float, 2> largest = xt::amax(scores, {1}, xt::keep_dims);
  const xt::xtensor<float, 2> e = xt::exp(scores - largest);
  %s
}
xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root;
  return xt::linalg::dot(softmax_rows(scores), v);
}
}
"""
NUMPY = "return e / xt::sum(e, {1}, xt::keep_dims);"
TYPED = "const xt::xtensor<float, 2> total = xt::sum(e, {1}, xt::keep_dims);\nreturn e / total;"


def found(code: str) -> list[tuple[str, str]]:
    return [trap[1:] for trap in traps.found_in(code)]


class Traps(WithFolder):
    def told(self, *cases: tuple[str, str, str]) -> None:
        """Each of a kind, what is typed, and how it should be."""
        for kind, code, typed in cases:
            self.assertEqual([(kind, typed)], found(code))

    def none_in(self, *codes: str) -> None:
        for code in codes:
            self.assertEqual([], found(code), code)

    def explained(self, answer: str, outcome: Outcome, zh: bool = False) -> str:
        path, skeleton = self.folder / "exercise.cpp", self.folder / "skeleton.cpp"
        path.write_text(answer, encoding="utf-8")
        skeleton.write_text("", encoding="utf-8")
        exercise = mock.Mock(id="02-01", answer=path, path=self.folder, tests=4, mistakes=[],
                             skeleton=skeleton)
        with mock.patch.object(explain, "known_outcomes", return_value={}):
            return output_of(explain.explain, mock.Mock(), exercise, outcome, zh)[1]


class Reductions(Traps):
    def test_the_typed_line_passes_and_the_untyped_one_does_not(self):
        exercise = manifest.find("02-01", manifest.manifest())
        kit = build.Kit()
        for name, line, passes in (("untyped", NUMPY, False), ("typed", TYPED, True)):
            path = self.folder / f"{name}.cpp"
            path.write_text(ATTENTION % line, encoding="utf-8")
            outcome = kit.run(exercise, path)
            self.assertEqual("", outcome.error)
            self.assertEqual(passes, outcome.passed, name)
        self.told((traps.KEPT, ATTENTION % NUMPY, TYPED))
        self.none_in(ATTENTION % TYPED)

    def test_an_operand_behind_auto_is_typed_too(self):
        self.told((traps.KEPT, "auto e = xt::exp(x - xt::amax(x, {1}, xt::keep_dims));",
                   "const xt::xtensor<float, 2> largest = xt::amax(x, {1}, xt::keep_dims);\n"
                   "const xt::xtensor<float, 2> e = xt::exp(x - largest);"))
        self.assertIn("float, 2> totals = ", found("int total; " + NUMPY)[0][1])
        self.assertTrue(found("y /= xt::sum(y, {1}, xt::keep_dims);")[0][1].endswith("y /= total;"))

    def test_what_is_evaluated_is_no_trap(self):
        self.none_in("auto total = xt::eval(xt::sum(e, {1}, xt::keep_dims));",
                     "auto row = xt::row(out, t);", "const auto largest = xt::amax(row)();",
                     "auto s = xt::linalg::dot(q, xt::transpose(k));",
                     "xt::row(out, t) /= xt::sum(xt::row(out, t));",
                     f"// {NUMPY}", f"/* {NUMPY}\n*/")

    def test_a_lambda_a_tensor_and_a_number_behind_auto_are_no_trap(self):
        self.none_in("auto f = [](const xt::xtensor<float, 2>& x) { return x; };",
                     "const auto norm = [&](xt::xtensor<float, 1> v) -> float { return v(0); };",
                     "auto e = xt::xtensor<float, 2>(xt::exp(x));",
                     "auto e = xt::xtensor<float, 2>{xt::exp(x)};",
                     "auto y = xt::xtensor<float, 2>::from_shape({3, 4});",
                     "auto y = static_cast<xt::xtensor<float, 2>>(x * 2);",
                     "auto m = xt::amax(x, {1}, xt::evaluation_strategy::immediate);",
                     "auto m = xt::sum(x, {1}, xt::keep_dims | "
                     "xt::evaluation_strategy::immediate);",
                     "auto best = xt::argmax(x, 1)(0);", "auto ok = xt::all(xt::isfinite(x));",
                     "return xt::sum(x, {1}, xt::keep_dims);")
        for code in ("auto e = xt::exp(x)  ;", "auto best = xt::argmax(x, 1);",
                     "auto e = xt::xtensor<float, 2>(x) * 2;", "auto y = xt::exp(x(0, 1) * z);",
                     "return 1 / xt::sum(x, {1}, xt::keep_dims);"):
            self.assertTrue(found(code), code)

    def test_auto_gets_the_type_of_its_numbers(self):
        for code, typed in (
                ("auto e = xt::exp(scores);", "const xt::xtensor<float, 2> e = xt::exp(scores);"),
                ("auto m = xt::amax(x, {1});", "const xt::xtensor<float, 1> m = xt::amax(x, {1});"),
                ("auto m = xt::sum(row);", "const float m = xt::sum(row)();"),
                ("auto m = xt::mean(x, {1}, xt::keep_dims);",
                 "const xt::xtensor<float, 2> m = xt::mean(x, {1}, xt::keep_dims);")):
            self.assertEqual([typed], [line for _, line in found(code)])
        rows = found("auto row = xt::row(x, t); auto e = xt::exp(row);")
        self.assertIn("float, 1> e", rows[0][1])


class Numbers(Traps):
    def test_a_loop_down_to_0_without_a_sign_never_ends(self):
        self.told((traps.NEVER_BELOW, "for (std::size_t i = x.shape(0) - 1; i >= 0; --i) {",
                   "for (std::size_t i = x.shape(0); i-- > 0;)"))
        self.none_in("for (int i = n - 1; i >= 0; --i) {")

    def test_a_size_less_a_length_wraps(self):
        self.told((traps.SHORTER, "for (std::size_t i = 0; i < s.size() - n + 1; ++i) f();",
                   "for (std::size_t i = 0; i + n <= s.size(); ++i) f()"),
                  (traps.SHORTER, "for (int i = 0; i < s[b].size() - n; ++i) { f(); }",
                   "for (int i = 0; i + n < s[b].size(); ++i)"))
        self.none_in("for (std::size_t i = 0; i + n <= s.size(); ++i) f();")

    def test_a_whole_number_is_counted_in_brackets(self):
        self.none_in("int t; double late = sum / (t - t / 2);")

    def test_abs_is_that_of_floats(self):
        self.told((traps.ABS, "double g = std::max(1.0, abs(u));",
                   "double g = std::max(1.0, std::abs(u));"))
        self.none_in("int i; int j; double g = abs(i - j) * u;",
                     "double g = std::abs(u);", "double g = xt::abs(u)(0);", "x.abs(2);")

    def test_below_0_wraps(self):
        self.told((traps.WRAPS, "std::size_t i; float D; float f = std::pow(1e4f, -2 * i / D);",
                   "float f = std::pow(1e4f, -2.0f * i / D);"))
        self.none_in("int i; float D; float f = std::pow(1e4f, -2 * i / D);")

    def test_whole_numbers_are_divided_as_such(self):
        self.told(
            (traps.CUT, "int i, j; std::size_t d; double a = std::pow(1e4, 2 * i / d);",
             "double a = std::pow(1e4, 2 * i / static_cast<double>(d));"),
            (traps.CUT, "float s = std::sqrt(1 / q.shape(1));",
             "float s = std::sqrt(1 / static_cast<float>(q.shape(1)));"),
            (traps.CUT, "int t; int w; int last; return std::cos(pi * ((t - w) / (last - w)));",
             "return std::cos(pi * ((t - w) / static_cast<float>(last - w)));"),
            (traps.CUT, "int t; int w; double r = t * 2 / w * peak;",
             "double r = t * 2 / static_cast<double>(w) * peak;"),
            (traps.CUT, "int c = 0, r = 0; double bp = std::exp(1 - r / c);",
             "double bp = std::exp(1 - r / static_cast<double>(c));"),
            (traps.CUT, "std::array<double, 4> p{}; int right = 0, all = 0; "
             "p[n - 1] = all ? right / all : 0;",
             "p[n - 1] = all ? right / static_cast<double>(all) : 0;"),
            (traps.CUT, "const Rows& x, int d; int i; float r = x(t, i) * std::pow(2.0f, i / d);",
             "float r = x(t, i) * std::pow(2.0f, i / static_cast<float>(d));"))
        self.none_in("int d; float y = x / d;",
                     "std::vector<float> v; int a = 0, b = 2; v[i] = w[a / b] * 2;",
                     "int d; float s = 1.0f / d;", "float s = 1 / 2.0f;",
                     "int d; std::size_t half = d / 2;", "int d; float y = x[d / 2];",
                     "int d; float s = 1 / static_cast<float>(d);",
                     "int t; int last; double a = std::numbers::pi * t / last;",
                     "int t; int w; double peak; double r = peak * (t - w) / (t + w);",
                     "int t; int w; double r = double(t - w) / (t + w);",
                     "int t; int w; double r = static_cast<double>(t) * w / t;",
                     "int t; double low, peak; double r = (peak - low) / 2 * t / 3;",
                     "int t; int w; double r = 2.5 * t / w;",
                     "xt::xtensor<float, 2> y; int d; y(t, i + d / 2) = static_cast<float>(a * b);",
                     "const Rows& x, int d; const float odd = x(t, i + d / 2);",
                     "std::span<float> x; int n; std::vector<float> in(x.size() / n + 1);")

    def test_a_remainder_that_is_dropped_on_purpose_is_no_trap(self):
        whole = "int a, b, c, d, i, n, t, T; "
        for code in ("float x = std::pow(10000.0, -double(c / 2 * 2) / d);",
                     "double rate = std::pow(10000.0, -static_cast<double>(c / 2 * 2) / d);",
                     "float angle = t / std::pow(1e4f, 2.0f * float(i / 2) / float(d));",
                     "const double e = double(2 * (i / 2)) / d;",
                     "const double angle = t * std::pow(1e4, -2.0 * (i / 2) / double(d));",
                     "float a = std::exp(-std::log(10000.0f) * (i / 2 * 2) / d);",
                     "const auto v = static_cast<float>(n / 2);",
                     "float r = float((a + b - 1) / b);",
                     "float m = *(v.begin() + n / 2);",
                     "float m = std::accumulate(v.end() - n / 2, v.end(), 0.0f);",
                     "const float* head = data + i / n * 2;",
                     "if (i / 2 < d) x(i) = 0.5f;",
                     "float y = m.at(i / d) * 2.0f;",
                     "auto half = std::vector<float>(n / 2);",
                     "const xt::xtensor<float, 2> h = xt::view(x, xt::all(), xt::range(n / 2, n));",
                     "double ratio = (double)t / T;", "double ratio = t / (double)T;"):
            self.assertEqual([], found(whole + code), code)
        for code in ("double e = std::pow(1e4, 2 * (i / 2) / d);", "float r = float(a / b);",
                     "float s = float(1 / d);", "float share = T / 2 * 1.0f;",
                     "float r = std::floor(a / b);", "if (i / d > 0.5f) x(i) = 1;",
                     "float x = 3.0f * (i / 2);"):
            self.assertEqual([traps.CUT], [told for told, _ in found(whole + code)], code)

    def test_bits_and_either_or_are_no_power(self):
        self.none_in("const bool odd = (a < 0.0f) ^ (b < 0.0f);",
                     "const std::uint64_t part = 1.5 > x ? a ^ b : 0;",
                     "auto bits = std::bit_cast<std::uint32_t>(float(x)) ^ 0x80000000u;")

    def test_a_number_with_a_sign_goes_below_0(self):
        for start in ("int(x.size())", "static_cast<int>(x.shape(0))", "std::ssize(x.shape())"):
            self.assertEqual([], found(f"for (auto i = {start} - 1; i >= 0; --i) {{"), start)
        self.assertTrue(found("for (auto i = x.size() - 1; i >= 0; --i) {"))

    def test_abs_of_the_standard_library_without_its_name(self):
        for using in ("using std::abs;", "using namespace std;"):
            self.assertEqual([], found(f"{using} double g = abs(u);"))


class Kernels(Traps):
    KERNEL = """__global__ void sums(const float* x, float* y) {
  %s[32][2];
  a[threadIdx.x][0] = b[threadIdx.x][0] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) y[0] = a[1][0] + b[1][0];
}
"""

    def test_an_array_of_a_block_is_shared(self):
        self.assertEqual(found(self.KERNEL % "float a[32][2], b"), [
            (traps.EACH_ITS_OWN, "__shared__ float a[32][2], b[32][2];")])
        self.assertEqual(found(self.KERNEL % "__shared__ float a[32][2], b"), [])

    def test_an_array_of_a_thread_is_not(self):
        alone = (self.KERNEL % "float a[32][2], b").replace("  __syncthreads();\n", "")
        self.assertEqual(found(alone), [])


class Said(Traps):
    def failed(self) -> Outcome:
        side = {"shape": [2], "values": [1.0, 2.0]}
        nan = {"shape": [2], "values": [1.0, float("nan")]}
        return Outcome(checks=[{"case": "rows", "check": "y", "ok": False, "at": 0,
                                "expected": side, "actual": nan}], cases=1, names=["rows"])

    def test_a_power_is_no_exclusive_or(self):
        self.told((traps.POWER, "const double angle = pos / 10000 ^ (2 * i / d_model);",
                   "const double angle = pos / std::pow(10000, 2 * i / d_model);"),
                  (traps.POWER, "const float y = x(i) ^ 2;", "const float y = std::pow(x(i), 2);"))
        self.none_in("const int mask = a ^ b;")

    def test_a_failure_without_a_name_shows_the_line_as_it_should_be(self):
        english, chinese = (self.explained(ATTENTION % NUMPY, self.failed(), zh)
                            for zh in (False, True))
        self.assertIn("  look at   line 6: a reduction with keep_dims", english)
        self.assertIn("  看这里    第 6 行：表达式里带 keep_dims 的归约", chinese)
        for text in (english, chinese):
            self.assertIn("\n            return e / total;\n", text)
            self.assertNotIn("0 / 0", text)
        self.assertIn("0 / 0", self.explained(ATTENTION % TYPED, self.failed()))

    def test_every_trap_speaks_chinese(self):
        for told in (traps.KEPT, traps.AUTO_KEPT, traps.NEVER_BELOW, traps.CUT, traps.EACH_ITS_OWN):
            line = language.in_chinese(f"  look at   line 6: {told}:\n            x = 1;")
            self.assertTrue(line.startswith("  看这里    第 6 行："), line)

    def test_a_crash_tells_of_the_loop_or_of_an_index_as_the_file_has_it(self):
        crash = read_report(['{"case": "rows"}'], -11, "")
        loop = self.explained("for (size_t i = n - 1; i >= 0; --i) x.data(Cpu{})[i] = 0;\n", crash)
        self.assertIn("for (std::size_t i = n; i-- > 0;)", loop)
        self.assertNotIn("index outside", loop)
        self.assertIn("x.data(Cpu{})[(b * T + t) * D + j]",
                      self.explained("x.data(Cpu{})[9];", crash))
        self.assertNotIn("data", self.explained("x(9, 9);", crash))
        endless = read_report(['{"case": "rows"}'], -24, "")
        self.assertIn("i-- > 0", self.explained("for (unsigned i = 5; i >= 0; i--) {}", endless))
        self.assertNotIn("look at", self.explained("while (true) {}", endless))

    def test_what_the_compiler_considered_is_shown_with_the_code_as_it_should_be(self):
        log = ("exercise.cpp:7:23: error: no matching function for call to 'max(int, float&)'\n"
               "    7 |     float m = std::max(0, e(t, 0));\n"
               "      |               ~~~~~~~~^~~~~~~~~~~~\n"
               "algobase.h:254:5: note: candidate: 'template<class _Tp> const _Tp& std::max'\n"
               "  254 |     max(const _Tp& __a, const _Tp& __b)\n"
               "algobase.h:254:5: note:   template argument deduction/substitution failed:\n"
               "exercise.cpp:7:23: note:   deduced conflicting types ('int' and 'float')\n"
               "exercise.cpp:9:1: error: another\n"
               "other.h:1:1: note: candidate: 'other'\n")
        text = self.explained("", Outcome(error="compile", log=log))
        self.assertIn("      note: candidate: 'template<class _Tp> const _Tp& std::max'\n"
                      "      note: deduced conflicting types ('int' and 'float')\n", text)
        self.assertIn("            float m = std::max<float>(0, e(t, 0));\n", text)
        self.assertNotIn("'other'", text)
        for zh in (False, True):
            self.assertNotIn("first line above",
                             self.explained("", Outcome(error="compile", log=log), zh))

    def test_what_a_refusal_means(self):
        for error, code, typed in (
                ("no matching function for call to 'zeros<float>(<brace-enclosed initializer "
                 "list>)'", "auto y = xt::zeros<float>({rows, x.shape(1)});",
                 "auto y = xt::zeros<float>({std::size_t(rows), x.shape(1)});"),
                ("assignment of read-only location 'y.xt::xbroadcast<xt::xscalar<float>, "
                 "std::array<long unsigned int, 3> >::operator()<int, int, int>(h, t, i)'",
                 "y(h, t, i) = q(t, h * 4 + i);",
                 "xt::xtensor<float, 3> y = xt::zeros<float>(…);"),
                ("cannot convert 'xt::xfunction<xt::detail::divides, xt::xreducer<xt::plus>>' to "
                 "'float' in return", "return xt::mean(e * e);", "return xt::mean(e * e)();"),
                ("cannot convert 'xt::xreducer<xt::plus>' to 'float' in initialization",
                 "float total = xt::sum(x);", "float total = xt::sum(x)();"),
                ("no matching function for call to 'min(int, unsigned long)'",
                 "n = std::min(3, x.shape(1));", "n = std::min<std::size_t>(3, x.shape(1));"),
                ("no matching function for call to 'xt::xtensor_container<float, 2>::"
                 "xtensor_container(<brace-enclosed initializer list>)'",
                 "xt::xtensor<float, 2> out{length, d_model};",
                 "xt::xtensor<float, 2> out({length, d_model});"),
                ("'reshape' is not a member of 'xt'; did you mean 'xshape'?",
                 "return xt::transpose(xt::reshape(x, {t, h, w}), {1, 0, 2});",
                 "return xt::transpose(xt::reshape_view(x, {t, h, w}), {1, 0, 2});"),
                ("cannot convert '<brace-enclosed initializer list>' to "
                 "'std::span<const xf::Endpoint::Outgoing>'", "self.exchange({{to, out}}, {});",
                 "const Endpoint::Outgoing list[] = {{to, out}};\nself.exchange(list, {});"),
                ("invalid operands of types 'float' and 'std::size_t' to binary 'operator^'",
                 "const float angle = pos / 1e4f ^ (2 * i / d);",
                 "const float angle = pos / std::pow(1e4f, 2 * i / d);")):
            meant = traps.refused(f"a.cpp:5:1: error: {error}\n    5 |   {code}\n")
            self.assertEqual(typed, meant[1])
            line = language.in_chinese(f"  look at   {meant[0]}:\n            {typed}")
            self.assertTrue(line.startswith("  看这里    "), line)
        self.assertIsNone(traps.refused("a.cpp:5:1: error: no\n    5 |   x\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
