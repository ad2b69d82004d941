#include "exercise.hpp"

namespace xf::exercise {

float on_first(const Map& map) { TODO("09-08: my/09-08_what_a_head_does.cpp"); }

float on_previous(const Map& map) { TODO("09-08: my/09-08_what_a_head_does.cpp"); }

float induction(const Map& map, int before, int period) {
  TODO("09-08: my/09-08_what_a_head_does.cpp");
}

float duplicate(const Map& map, int before, int period) {
  TODO("09-08: my/09-08_what_a_head_does.cpp");
}

Job job_of(const Map& map, int before, int period) { TODO("09-08: my/09-08_what_a_head_does.cpp"); }

}  // namespace xf::exercise
