#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "cuda/counts.hpp"
#include "language/language.hpp"
#include "program/program.hpp"

namespace CLI {
class App;
}

namespace xf::bench {

// --count
void add_count_flag(CLI::App& app, bool& count);

// Counts what is asked of the emulated device while it lives. Throws UserError where nothing can
// count: with another device, or in a program that is built without hooks in its kernels.
class Counter {
 public:
  explicit Counter(const CommonOptions& common);
  // What this does, on data that the device has not seen yet.
  cuda::Counts of(const std::function<void()>& work) const;

#ifdef XF_WATCHED
 private:
  std::optional<cuda::Counting> counting_;
#endif
};

// A column of a table of counts; its name in JSON, and the width of it in a terminal.
struct CountField {
  const char *name, *title;
  long cuda::KernelCounts::*member;
  int width;
};
std::string counts_heading(const Phrase& first, int width, std::span<const CountField> fields);
std::string counts_row(const Phrase& first, int width, std::span<const CountField> fields,
                       const cuda::KernelCounts& counts);

// A table by kernel, the most transactions first, the sums below it, and a last line of JSON with
// both and what `config` says.
void print_counts(const cuda::Counts& counts, const nlohmann::ordered_json& config);

}  // namespace xf::bench
