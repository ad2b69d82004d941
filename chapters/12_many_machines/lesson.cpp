// Lesson 12: the same training on many machines.

#include "12_many_machines/lesson.hpp"

#include "speech/show.hpp"

namespace xf::many_machines {

int lesson(const CommonOptions& options) {
  Random random(options.seed);
  say("Lesson 12. Many machines: one batch shared out, and the same model everywhere");
  adding_section(random);
  order_section(random);
  waiting_section();
  ways_section(options);
  cost_section();
  overlap_section();
  scaling_section(options, random);
  noise_section(random);
  memory_section();
  return 0;
}

}  // namespace xf::many_machines
