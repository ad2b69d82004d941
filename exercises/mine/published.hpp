#pragma once

#include <string>

namespace xf::mine {

// The same model with the learner's parts and with the book's: reading a text, and generating one.
struct PublishedComparison {
  std::string model, prompt = "The capital of France is";
  int length = 20;
};
// Reports what differs.   returns 1 if a difference is more than rounding
int compare(const PublishedComparison& f);

}  // namespace xf::mine
