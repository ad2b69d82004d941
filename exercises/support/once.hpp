#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace xf::exercise {

// Runs when its result is first asked for, and never again, so that all statements of a test about
// a run refer to the same one.
template <std::invocable Run>
class Once {
 public:
  explicit Once(Run run) : run_(std::move(run)) {}
  const auto* operator->() {
    if (!result_) result_.emplace(run_());
    return &*result_;
  }
  const auto& operator*() { return *operator->(); }

 private:
  Run run_;
  std::optional<std::invoke_result_t<Run&>> result_;
};

}  // namespace xf::exercise
