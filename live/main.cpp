#include <CLI/CLI.hpp>
#include <iostream>

#include "live/answer.hpp"
#include "program/program.hpp"
#include "tensor/parallel.hpp"

int main(int argc, char** argv) {
  return xf::run_program([&] {
    CLI::App app(
        "Answers the requests of the live page: one JSON object a line on standard input, one a "
        "line on standard output.");
    int threads = 1;
    xf::integer_flag(app, "--threads", threads, "threads; the page has one", 1);
    if (!xf::parse(app, argc, argv)) return 0;
    xf::set_threads(threads);
    for (std::string line; std::getline(std::cin, line);)
      std::cout << xf::live::answer(line) << std::endl;
    return 0;
  });
}
