#pragma once

#include "live/switches.hpp"

namespace xf::live {

// Some of the held-out sentences, translated, each {"number", "source", "expected", "written"}:
// right if equal word for word.
struct Marked {
  std::vector<Json> right, wrong;
  int held_out;  // sentences in all
};
// Translates the requested sentences, {"first": 0, "count": 50}, with the switches applied. Output
// longer than every expected translation is cut, as it is wrong already.
Marked marked(const Translator& translator, const Switches& switches, Fields& request);

// {"first": 0, "count": 50, "switches": {...}} -> {"of", "held_out", "wrong": [...]}: which
// sentences the model gets wrong with these switches.
Json broken(const Subject& subject, Fields& request);

}  // namespace xf::live
