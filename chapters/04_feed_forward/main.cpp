// Lesson 4: the feed-forward layer, its cost, and dropout.

#include <CLI/CLI.hpp>

#include "04_feed_forward/lesson.hpp"
#include "io/show.hpp"

int main(int argc, char** argv) {
  return xf::run_program([&] {
    CLI::App app("Lesson 4, feed-forward: what the layer computes, what it costs, and dropout");
    xf::CommonOptions options;
    options.out = "out/04_feed_forward";
    options.threads = 1;  // little work, and then the same sums on every machine
    xf::add_common_options(app, options);
    app.get_option("--threads")->default_str("1");
    if (!xf::parse(app, argc, argv, options)) return 0;

    xf::say("Lesson 4. The feed-forward layer: what it computes, what it costs, and dropout");
    xf::lesson_04::the_layer(options);
    xf::lesson_04::positions_alike(options.seed);
    xf::lesson_04::three_activations(options);
    xf::lesson_04::dead_units(options.seed);
    xf::lesson_04::parameter_share(options.seed);
    xf::lesson_04::arithmetic_share(options);
    xf::lesson_04::dropout_modes(options.seed);
    xf::lesson_04::dropout_mistakes(options.seed);
    xf::lesson_04::trained_widths(options.seed);
    return 0;
  });
}
