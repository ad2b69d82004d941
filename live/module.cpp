#include <string>

#include "live/answer.hpp"
#include "tensor/parallel.hpp"

// What the page's module exports. The answer stays until the next one.
extern "C" const char* live_answer(const char* request) {
  static std::string text;
  xf::set_threads(1);
  text = xf::live::answer(request);
  return text.c_str();
}
