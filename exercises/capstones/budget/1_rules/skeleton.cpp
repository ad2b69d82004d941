#include "exercise.hpp"

namespace xf::exercise {

std::int64_t count_parameters(const Plan& plan) { TODO("C-1: my/C-1_rules.cpp"); }

std::int64_t multiply_adds(const Plan& plan) { TODO("C-1: my/C-1_rules.cpp"); }

std::int64_t affordable_updates(const Plan& plan, std::int64_t budget) {
  TODO("C-1: my/C-1_rules.cpp");
}

Parts split(const std::string& text, int valid, int test) { TODO("C-1: my/C-1_rules.cpp"); }

std::vector<Fault> faults(const std::vector<Run>& table, std::int64_t most_parameters,
                          std::int64_t budget) {
  TODO("C-1: my/C-1_rules.cpp");
}

Difference difference(const std::vector<Run>& table, const std::string& one,
                      const std::string& other) {
  TODO("C-1: my/C-1_rules.cpp");
}

}  // namespace xf::exercise
