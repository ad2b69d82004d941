// Lesson 0: what training is, on the smallest model that learns.

#include "00_foundations/lesson.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::CommonOptions options{.out = "out/00_foundations"};
  const auto lesson = [&] {
    xf::say("Lesson 0. Foundations: what training is, and when it has gone on long enough");
    xf::lesson_00::training(options);
    xf::lesson_00::fitting(options);
    xf::lesson_00::loss_curves(options);
  };
  return xf::run_lesson(
      argc, argv, "Lesson 0, foundations: what training is, and when it has gone on long enough",
      options, 3, lesson);
}
