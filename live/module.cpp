#include <string>

#include "live/answer.hpp"
#include "tensor/parallel.hpp"

// The function that the page's WebAssembly module exports. The answer is valid until the next call.
extern "C" const char* live_answer(const char* request) {
  static std::string text;
  xf::set_threads(1);
  text = xf::live::answer(request);
  return text.c_str();
}
