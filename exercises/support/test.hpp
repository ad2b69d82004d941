#pragma once

// A test.cpp becomes two programs that do the same in the same order. The judge's (XF_JUDGE)
// computes what is expected and contains no learner code; the other one calls the learner's code
// and never computes what is expected. Each sends its numbers to tools/exercises/outcome.py, which
// compares them: shapes are equal, and |expected - actual| <= 1e-5 + 1e-4 |expected| everywhere.
//
// So one of COMPARE's two sides is removed before compilation. What both need (inputs) comes before
// it; what only one side needs is made inside it, by a function or a lambda:
//
//   const auto wanted = [&] { return softmax(scores); };
//   COMPARE("weights", wanted(), exercise::masked_softmax(to_xt<2>(scores)));

#include <memory>
#include <utility>

#include "support/checks.hpp"

namespace xf::exercise {

// The bytes of a text, sent by COMPARE_TEXT. If they differ, the learner sees both as text.
inline Tensor letters(const std::string& text) {
  std::vector<float> bytes;
  for (char byte : text) bytes.push_back(static_cast<float>(static_cast<unsigned char>(byte)));
  return Tensor::from({static_cast<int>(bytes.size())}, bytes);
}

// Records what the learner's code asks for, call by call. Copies share one record.
class Notes {
 public:
  void note(const std::vector<float>& numbers) const {
    written_->insert(written_->end(), numbers.begin(), numbers.end());
  }
  // Everything recorded since the last call.
  Tensor all() const {
    const std::vector<float> numbers = std::exchange(*written_, {});
    return Tensor::from({static_cast<int>(numbers.size())}, numbers);
  }

 private:
  std::shared_ptr<std::vector<float>> written_ = std::make_shared<std::vector<float>>();
};

}  // namespace xf::exercise

#ifdef XF_JUDGE
#define COMPARE(name, expected, actual) xf::exercise::send_expected(name, "tensor", expected)
// A missing gradient (an undefined Tensor) is reported by its name.
#define COMPARE_GRADIENT(name, expected, actual) \
  xf::exercise::send_expected(name, "gradient", expected)
#define COMPARE_TEXT(name, expected, actual) \
  xf::exercise::send_expected(name, "text", xf::exercise::letters(expected))
#else
#define COMPARE(name, expected, actual) xf::exercise::send_actual(name, actual)
#define COMPARE_GRADIENT(name, expected, actual) xf::exercise::send_actual(name, actual)
#define COMPARE_TEXT(name, expected, actual) \
  xf::exercise::send_actual(name, xf::exercise::letters(actual))
#endif
