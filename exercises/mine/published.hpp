#pragma once

#include <string>

namespace xf::mine {

// The same model with the learner's parts and with the book's: a text read, and one written.
struct PublishedComparison {
  std::string model, prompt = "The capital of France is";
  int length = 20;
};
// Says what differs.   returns 1 where something does by more than rounding
int compare(const PublishedComparison& f);

}  // namespace xf::mine
