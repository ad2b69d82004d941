// Lesson 6: the decoder.

#include <CLI/App.hpp>

#include "06_decoder/lesson.hpp"
#include "speech/sections.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::lesson_06::Options options{{.threads = 1, .out = "out/06_decoder"}};  // threads: little work
  const auto flags = [&](CLI::App& app) {
    app.add_flag("--no-timing", options.no_timing, "skip section 7, which measures times");
  };
  const auto lesson = [&] {
    xf::say("Lesson 6. The decoder: the causal mask, cross attention, and the key/value cache");
    xf::lesson_06::shifted_right();
    xf::lesson_06::the_mask(options);
    xf::lesson_06::one_layer(options.seed);
    xf::lesson_06::cross_attention(options.seed);
    xf::lesson_06::the_past_stays(options);
    xf::lesson_06::cache_equals_recomputation(options);
    options.no_timing ? xf::skip_section() : xf::lesson_06::cost_of_a_step(options);
    xf::lesson_06::teacher_forcing(options.seed);
    xf::lesson_06::when_to_stop(options.seed);
  };
  return xf::run_lesson(
      argc, argv, "Lesson 6, decoder: the causal mask, cross attention, and the key/value cache",
      options, 9, lesson, flags);
}
