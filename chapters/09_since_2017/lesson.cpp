#include "09_since_2017/lesson.hpp"

#include "speech/show.hpp"

namespace xf::since_2017 {

int lesson(const CommonOptions& options) {
  Random random(options.seed);
  say("Lesson 9. Since 2017: what has changed in the Transformer");
  rotary_section(random);
  rms_norm_section(random);
  swiglu_section(random);
  grouped_section(random);
  bytes_section();
  choice_section();
  return 0;
}

}  // namespace xf::since_2017
