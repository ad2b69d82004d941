#include "07_transformer/experiments/lesson.hpp"

#include "speech/show.hpp"

namespace xf {

int lesson(const CommonOptions& options) {
  say("Lesson 7. The full Transformer: a run that fails, its repair, and a translator");
  lesson_07::one_pair(options);
  lesson_07::own_language(options);
  lesson_07::one_pass(options);
  lesson_07::pieces_of_words(options);
  return 0;
}

Command add_trace(CLI::App&) { return alone(lesson_07::one_pass); }

Command add_merges(CLI::App&) { return alone(lesson_07::pieces_of_words); }

}  // namespace xf
