// Lesson 2: attention, from one dot product to several heads.

#include <CLI/App.hpp>

#include "02_attention/lesson.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::lesson_02::Options options{{.out = "out/02_attention"}};
  const auto flags = [&](CLI::App& app) {
    app.add_option("--mask-then-scale", options.mask_value,
                   "section 4: the number that is added to forbidden scores before they are scaled")
        ->check(xf::range_problem(-1e30, 0))
        ->capture_default_str();
    app.add_flag("--time", options.time, "section 9: also measure times (the output then varies)");
  };
  const auto lesson = [&] {
    xf::Random random(options.seed);
    xf::say("Lesson 2. Attention: every word asks all words, and mixes their answers");
    xf::lesson_02::step_by_step(options);
    xf::lesson_02::wrong_axis();
    xf::lesson_02::why_scale(random, options);
    xf::lesson_02::scale_and_mask(random, options);
    xf::lesson_02::masks();
    xf::lesson_02::nothing_to_attend_to();
    xf::lesson_02::heads(random);
    xf::lesson_02::order_of_words(random);
    xf::lesson_02::cost(random, options);
    xf::lesson_02::one_matrix(random, options);
    xf::lesson_02::recurrent(options);
    xf::lesson_02::alignment(options);
  };
  return xf::run_lesson(argc, argv, "Lesson 2, attention: from one dot product to several heads",
                        options, 12, lesson, flags);
}
