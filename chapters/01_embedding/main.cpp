// Lesson 1: how words and their positions become vectors.

#include <CLI/App.hpp>
#include <map>

#include "01_embedding/lesson.hpp"
#include "io/numbers.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::lesson_01::Options options{{.out = "out/01_embedding"}};
  const std::map<std::string, xf::PositionLayout> layouts = {
      {"interleaved", xf::PositionLayout::interleaved},
      {"halves", xf::PositionLayout::halves},
      {"halves-d-minus-2", xf::PositionLayout::halves_d_minus_2}};
  const auto flags = [&](CLI::App& app) {
    app.add_option("--layout", options.layout_name,
                   "layout of the pictures of sections 3 and 6; section 3 also prints it")
        ->check(CLI::IsMember(layouts))
        ->capture_default_str();
    app.add_option("--d-model", options.d_model, "width of the encoding in these pictures")
        ->check([](const std::string& text) {
          const int width = xf::number_in<int>(text).value_or(0);
          const bool fine = width >= 4 && width <= 4096 && width % 2 == 0;
          return fine
                     ? ""
                     : xf::noted(xf::words("expected an even number from 4 to 4096, not {}", text));
        })
        ->capture_default_str();
  };
  const auto lesson = [&] {
    options.layout = layouts.at(options.layout_name);

    xf::Random random(options.seed);
    xf::say("Lesson 1. Embedding: how words and their positions become vectors");
    xf::lesson_01::lookup(random);
    xf::lesson_01::embedding_scale(random);
    xf::lesson_01::position_encoding(options);
    xf::lesson_01::layouts();
    xf::lesson_01::rotation(random);
    xf::lesson_01::dot_products(options);
    xf::lesson_01::learned_positions(random);
  };
  return xf::run_lesson(argc, argv,
                        "Lesson 1, embedding: how words and their positions become vectors",
                        options, 7, lesson, flags);
}
