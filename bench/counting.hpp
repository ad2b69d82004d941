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

// Counts the work of the emulated device during its lifetime. Throws UserError where counting is
// impossible: with another device, or in a program built without hooks in its kernels.
class Counter {
 public:
  explicit Counter(const CommonOptions& common);
  // The counts for `work`, on data that the device has not seen yet.
  cuda::Counts of(const std::function<void()>& work) const;

#ifdef XF_WATCHED
 private:
  std::optional<cuda::Counting> counting_;
#endif
};

// A column of a table of counts: its name in JSON, and its width in the terminal.
struct CountField {
  const char *name, *title;
  long cuda::KernelCounts::*member;
  int width;
};
std::string counts_heading(const Phrase& first, int width, std::span<const CountField> fields);
std::string counts_row(const Phrase& first, int width, std::span<const CountField> fields,
                       const cuda::KernelCounts& counts);

// A table with one row per kernel, most transactions first, then the totals, and a last line of
// JSON with both and with `config`.
void print_counts(const cuda::Counts& counts, const nlohmann::ordered_json& config);

}  // namespace xf::bench
