#include "12_many_machines/lesson.hpp"
#include "12_many_machines/program/commands.hpp"

int main(int argc, char** argv) {
  using namespace xf;
  using namespace xf::many_machines;
  return run_commands(
      argc, argv,
      "Chapter 12: the same training on many machines. Without a subcommand it runs the lesson.",
      "out/12_many_machines",
      {{"measure", "what messages and sums cost between the processes of this mpirun", add_measure,
        Arithmetic::fast, Processes::several}},
      lesson, 9);
}
