#pragma once

#include <string>
#include <vector>

#include "io/trace.hpp"

namespace xf {

// Collects the steps of a trace and shows them on a page of its own: forward and backward one by
// one, with the numbers, the gradient that came back, and the line of the chapter beside it.
//
//   TracePage page("One step of training");
//   {
//     const Trace trace(page.sink());
//     ...
//   }
//   write_file_atomically(path, page.html());
class TracePage {
 public:
  // Later steps than so many are counted, not kept.
  explicit TracePage(std::string title, int most = 600);

  Trace::Sink sink();
  std::string html() const;

 private:
  struct Kept {
    TraceStep step;
    std::vector<float> corner;  // of the last two axes, for the first index of all others
    int rows, columns;
    Spread spread;
  };

  std::string title_;
  int most_, dropped_ = 0;
  std::vector<Kept> steps_;
};

// --trace and --trace-page of every program: from here to finish_trace() every op is printed on
// standard error, or goes to the page in the file `page`, or both.
void start_trace(bool print, const std::string& page);
// Writes the page, if there is one. Throws UserError naming the file when it cannot be written.
void finish_trace();

}  // namespace xf
