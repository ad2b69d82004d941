#include "exercise.hpp"

namespace xf::exercise {

std::int64_t count_parameters(const Plan& plan) {
  TODO("C-1: capstones/budget/1_rules/exercise.cpp");
}

std::int64_t multiply_adds(const Plan& plan) { TODO("C-1: capstones/budget/1_rules/exercise.cpp"); }

std::int64_t affordable_updates(const Plan& plan, std::int64_t budget) {
  TODO("C-1: capstones/budget/1_rules/exercise.cpp");
}

Parts split(const std::string& text, int valid, int test) {
  TODO("C-1: capstones/budget/1_rules/exercise.cpp");
}

std::vector<Fault> faults(const std::vector<Run>& table, std::int64_t most_parameters,
                          std::int64_t budget) {
  TODO("C-1: capstones/budget/1_rules/exercise.cpp");
}

Difference difference(const std::vector<Run>& table, const std::string& one,
                      const std::string& other) {
  TODO("C-1: capstones/budget/1_rules/exercise.cpp");
}

}  // namespace xf::exercise
