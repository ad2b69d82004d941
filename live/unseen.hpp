#pragma once

#include "live/switches.hpp"

namespace xf::live {

// Some of the sentences that were held out, translated, each {"number", "source", "expected",
// "written"}: right where it was translated word for word.
struct Marked {
  std::vector<Json> right, wrong;
  int held_out;  // sentences in all
};
// Those that a request wants, {"first": 0, "count": 50}, by the model as the switches have it. What
// is longer than every expected translation of them is cut, for it is wrong already.
Marked marked(const Translator& translator, const Switches& switches, Fields& request);

// {"first": 0, "count": 50, "switches": {...}} -> {"of", "held_out", "wrong": [...]}: which
// sentences the model gets wrong as the switches have it.
Json broken(const Subject& subject, Fields& request);

}  // namespace xf::live
