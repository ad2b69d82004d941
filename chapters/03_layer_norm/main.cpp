// Lesson 3: layer normalisation and the residual connection.

#include <CLI/App.hpp>

#include "03_layer_norm/lesson.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::lesson_03::Options options{{.out = "out/03_layer_norm"}};
  const auto flags = [&](CLI::App& app) {
    app.add_option("--layers", options.layers, "section 6: layers of the stack")
        ->check(xf::range_problem(2, 64))
        ->capture_default_str();
  };
  const auto lesson = [&] {
    xf::Random random(options.seed);
    xf::say("Lesson 3. Layer norm and residual: how a deep stack stays trainable");
    xf::lesson_03::formula(random);
    xf::lesson_03::against_batch_norm(random, options);
    xf::lesson_03::biased_or_not(random);
    xf::lesson_03::where_is_epsilon();
    xf::lesson_03::keep_the_residual(random);
    xf::lesson_03::depth(options);
    xf::lesson_03::warm_up(options);
    xf::lesson_03::without(options);
    xf::lesson_03::drift(options);
  };
  return xf::run_lesson(argc, argv,
                        "Lesson 3, layer norm: layer normalisation and the residual connection",
                        options, 9, lesson, flags);
}
