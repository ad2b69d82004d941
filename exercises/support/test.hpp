#pragma once

// A test.cpp becomes two programs that do the same in the same order. The judge's (XF_JUDGE) works
// out what is expected and holds nothing of the learner's; the other one calls the learner's code
// and never works out what is expected. Each sends its numbers to tools/exercises/outcome.py, which
// compares them: shapes are equal, and |expected - actual| <= 1e-5 + 1e-4 |expected| everywhere.
//
// So of COMPARE's two sides one is dropped before it is compiled. What both need (inputs) comes
// before it; what only one side needs is made inside it, by a function or a lambda:
//
//   const auto wanted = [&] { return softmax(scores); };
//   COMPARE("weights", wanted(), exercise::masked_softmax(to_xt<2>(scores)));

// What the learner's code is asked about and must not have, the keeper has: the judge's program
// once more, beside the tests (support/keeper.hpp). A test.cpp says what is kept, which is compiled
// for the judge alone, and asks for it in the right side of a COMPARE:
//
//   KEEP("which is right", [](const Tensors& about, const Call& call) -> Tensors { … });

#include "support/checks.hpp"
#include "support/keeper.hpp"

namespace xf::exercise {

// Its bytes: what COMPARE_TEXT sends. Where both differ, a learner reads them as text.
inline Tensor letters(const std::string& text) {
  std::vector<float> bytes;
  for (char byte : text) bytes.push_back(static_cast<float>(static_cast<unsigned char>(byte)));
  return Tensor::from({static_cast<int>(bytes.size())}, bytes);
}

}  // namespace xf::exercise

namespace xf::keeper {

// What the learner's code asks for, call by call. In a hand-in the keeper writes it down, so that
// nothing can be taken back: KEEP("calls", keeper::notes("calls")), then Asked calls("calls").
class Asked {
 public:
#ifdef XF_JUDGE
  explicit Asked(const std::string& name) : tell_(notes(name)) {}
#else
  explicit Asked(const std::string& name)
      : tell_([name](const Tensors& about, const Call&) { return ask(name, about); }) {
    all();  // what a test that ended early has left
  }
#endif
  void note(const std::vector<float>& numbers) const {
    tell_({Tensor::from({static_cast<int>(numbers.size())}, numbers)}, nullptr);
  }
  // All of it, since this was called before.
  Tensor all() const { return tell_({}, nullptr).at(0); }

 private:
  Answer tell_;
};

}  // namespace xf::keeper

#ifdef XF_JUDGE
#define KEEP(what, ...) \
  static const bool DOCTEST_ANONYMOUS(kept_) = xf::keeper::keep(what, __VA_ARGS__)
#define COMPARE(name, expected, actual) xf::exercise::send_expected(name, "tensor", expected)
// One that never arrived (an undefined Tensor) is called by its name.
#define COMPARE_GRADIENT(name, expected, actual) \
  xf::exercise::send_expected(name, "gradient", expected)
#define COMPARE_TEXT(name, expected, actual) \
  xf::exercise::send_expected(name, "text", xf::exercise::letters(expected))
#else
#define KEEP(what, ...) static_assert(true)
#define COMPARE(name, expected, actual) xf::exercise::send_actual(name, actual)
#define COMPARE_GRADIENT(name, expected, actual) xf::exercise::send_actual(name, actual)
#define COMPARE_TEXT(name, expected, actual) \
  xf::exercise::send_actual(name, xf::exercise::letters(actual))
#endif
