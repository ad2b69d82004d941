#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace xf {

// The words that a pass reads, by the table in which they are looked up: {"embedding.weight",
// {"the", "cat"}}. The page labels the rows of everything computed from them; with a memory, its
// words come first.
using TraceWords = std::map<std::string, std::vector<std::string>>;

// Collects the steps of a trace and shows them on a page: forward and backward one by one, with
// the numbers, the gradient, and the line of the chapter beside it.
//
//   TracePage page("One step of training");
//   {
//     const Trace trace(page.sink());
//     ...
//   }
//   write_file_atomically(path, page.html());
class TracePage {
 public:
  // Steps beyond this number are counted by their op, not kept.
  explicit TracePage(std::string title, int most = 600, TraceWords words = {});

  Trace::Sink sink();
  bool is_full() const { return static_cast<int>(steps_.size()) == most_; }
  // After the steps: a parameter, and the gradient that the training uses.
  void add(const NamedParameter& parameter, const Gradients& gradients);
  std::string html() const;

 private:
  // Of the first blocks, which have the last two axes: the upper left corner of each.
  struct Corner {
    Corner(const Shape& shape, const std::vector<float>& all);
    int blocks, rows, columns;
    std::vector<float> numbers;
  };
  struct Kept {
    TraceStep step;
    std::string section;  // of the lesson, its heading
    Corner corner;
    Spread spread;
  };

  void keep(const TraceStep& step, const std::vector<float>& numbers);

  std::string title_;
  int most_;
  TraceWords words_;
  std::map<std::string, int> dropped_;
  std::vector<Kept> steps_;
};

// Runs one pass of a model and writes a page of it, the parameters at its end. The page of
// --trace-page then shows this pass, and not what the program did from its start. Returns how many
// operations went forward.
int trace_pass(const std::string& path, const std::string& title,
               const std::vector<NamedParameter>& parameters, const TraceWords& words,
               const std::function<Gradients()>& pass);

// --trace and --trace-page of every program: from here to finish_trace() every op is printed on
// standard error, or goes to the page in the file `page`, or both. The page is called `title`, in
// English here. Throws UserError naming the file when it cannot be written.
void start_trace(bool print, const std::string& page, const std::string& title);
// Writes the page, if there is one. Throws UserError naming the file when it cannot be written.
void finish_trace();

}  // namespace xf
