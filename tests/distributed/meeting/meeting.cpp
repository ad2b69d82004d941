#include <cstdio>
#include <string>
#include <vector>

#include "distributed/processes.hpp"
#include "distributed/shared_work.hpp"
#include "tensor/error.hpp"
#include "train/exchange/shared_gradients.hpp"

// What a training asks of the other processes, in a program that is small enough to be started
// several times under a sanitizer.

namespace {

using namespace xf;

void require(bool holds, const std::string& what) {
  if (!holds) throw UserError("{} is wrong ({})", what, name_of_process(everyone().rank()));
}

void meet() {
  Endpoint& self = everyone();
  const int ranks = self.ranks();
  require(ranks > 1, "the number of processes");
  must_agree({{"build of the program", build_of_program()}});
  const auto all = static_cast<float>(ranks * (ranks + 1) / 2);
  for (int step = 0; step < 5; ++step) {
    const ShardGradients gradients{{Tensor::full({70000}, static_cast<float>(self.rank() + 1))},
                                   {Tensor::full({5}, 2)}};
    SharedGradients shared({70000, 5});
    shared.add_up(gradients);
    shared.gather();
    require(shared.row()[69999] == all, "a sum of the fixed tree");
    require(shared.row()[70004] == static_cast<float>(2 * ranks), "the last sum");
    std::vector<float> x(1000, 1);
    self.add_up(x);
    require(x[999] == static_cast<float>(ranks), "MPI's sum");
    require(of_first("rank " + std::to_string(self.rank())) == "rank 0", "a text of the first");
    require(in_any(self.rank() == ranks - 1), "what one has seen");
  }
  const auto texts =
      share_texts(7, [](int i) { return std::vector<std::string>(2, std::to_string(i)); });
  for (std::size_t i = 0; i < 7; ++i)
    require(texts[i] == std::vector<std::string>(2, std::to_string(i)), "a text of another");
}

}  // namespace

int main() {
  try {
    const xf::ProcessGroup group(
        [](const Phrase& line) { std::fprintf(stderr, "error: %s\n", line.english().c_str()); });
    try {
      meet();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "error: %s\n", error.what());
      xf::end_all(2);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
