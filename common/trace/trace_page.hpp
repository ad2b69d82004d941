#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace xf {

// The words that a pass reads, by the name of the table in which they are looked up:
// {"embedding.weight", {"the", "cat"}}. The page labels the rows of everything computed from them;
// if there is a memory, its words come first.
using TraceWords = std::map<std::string, std::vector<std::string>>;

// Collects the steps of a trace and shows them on a page, forward and backward, one by one, each
// with its numbers, its gradient, and the line of the chapter.
//
//   TracePage page("One step of training");
//   {
//     const Trace trace(page.sink());
//     ...
//   }
//   write_file_atomically(path, page.html());
class TracePage {
 public:
  // Steps beyond this number are not kept, only counted by op.
  explicit TracePage(std::string title, int most = 600, TraceWords words = {});

  Trace::Sink sink() { return std::bind_front(&TracePage::keep, this); }
  bool is_full() const { return static_cast<int>(steps_.size()) == most_; }
  // Call after the steps: adds a parameter, and the gradient that the training uses.
  void add(const NamedParameter& parameter, const Gradients& gradients);
  std::string html() const;

 private:
  // The upper left corner of each of the first blocks, which are matrices of the last two axes.
  struct Corner {
    Corner(const Shape& shape, const std::vector<float>& all);
    int blocks, rows, columns;
    std::vector<float> numbers;
  };
  struct Kept {
    TraceStep step;
    std::string section;  // the heading of the lesson's section
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

// Runs one pass of a model and writes a page about it, with the parameters at the end. The page of
// --trace-page then shows this pass instead of everything since the start of the program. Returns
// the number of forward operations.
int trace_pass(const std::string& path, const std::string& title,
               const std::vector<NamedParameter>& parameters, const TraceWords& words,
               const std::function<Gradients()>& pass);

// --trace and --trace-page of every program: until finish_trace(), every op is printed on standard
// error, or goes to the page in the file `page`, or both. `title` is the title of the page, in
// English. Throws UserError naming the file if it cannot be written.
void start_trace(bool print, const std::string& page, const std::string& title);
// Writes the page, if there is one. Throws UserError naming the file when it cannot be written.
void finish_trace();

}  // namespace xf
