// Lesson 4: the feed-forward layer, its cost, and dropout.

#include "04_feed_forward/lesson.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::CommonOptions options{.threads = 1, .out = "out/04_feed_forward"};  // threads: little work
  const auto lesson = [&] {
    xf::say("Lesson 4. The feed-forward layer: what it computes, what it costs, and dropout");
    xf::lesson_04::the_layer(options);
    xf::lesson_04::positions_alike(options.seed);
    xf::lesson_04::three_activations(options);
    xf::lesson_04::dead_units(options.seed);
    xf::lesson_04::parameter_share();
    xf::lesson_04::arithmetic_share(options);
    xf::lesson_04::dropout_modes(options.seed);
    xf::lesson_04::dropout_mistakes(options.seed);
    xf::lesson_04::trained_widths(options.seed);
    xf::lesson_04::dropout_against_overfitting(options.seed);
  };
  return xf::run_lesson(
      argc, argv, "Lesson 4, feed-forward: what the layer computes, what it costs, and dropout",
      options, 10, lesson);
}
