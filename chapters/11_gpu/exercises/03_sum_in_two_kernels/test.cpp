#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::checked, exercise::given, exercise::in_orders, exercise::on_the_device,
    exercise::Once, exercise::OnDevice;

namespace {

using Numbers = std::vector<float>;

// What was started while it lives.
class Started : public emulator::Watcher {
 public:
  struct Kernel {
    unsigned blocks;
    bool exchanged;  // a thread waited for another one: at a barrier, or to exchange numbers
  };

  Started() { emulator::watcher = this; }
  ~Started() override { emulator::watcher = nullptr; }

  std::vector<Kernel> kernels;

 private:
  void kernel_begins(const emulator::Grid& grid) override {
    kernels.push_back({grid.blocks.x * grid.blocks.y * grid.blocks.z, false});
  }
  void block_meets() override { kernels.back().exchanged = true; }
  void lanes_meet(std::size_t, unsigned, bool) override { kernels.back().exchanged = true; }
};

Numbers numbers(int count, std::uint64_t seed) {
  return count == 0 ? Numbers() : exercise::random({count}, seed).values();
}

// Behind x stand numbers that belong to nobody.
float own_sum(const Numbers& x) {
  Numbers longer = x;
  longer.resize(x.size() + 300, 1000.0f);
  OnDevice from(longer);
  return on_the_device(sizeof(float), [&] {
    return exercise::sum_on_device(from.data(), static_cast<int>(x.size()));
  });
}

void check(const std::string& what, int count, int orders = 3) {
  const Numbers x = numbers(count, 321), shorter(x.begin(), x.end() - (count > 0));
  const auto sums = [&] {
    return Numbers{float(std::accumulate(x.begin(), x.end(), 0.0)),
                   float(std::accumulate(shorter.begin(), shorter.end(), 0.0))};
  };
  const std::string times = orders > 1 ? ", in three orders" : "";
  COMPARE("sum of " + what + (count > 0 ? ", and without the last" : ", twice") + times,
          in_orders(orders, sums()), in_orders(orders, [&] {
            return Numbers{own_sum(x), own_sum(shorter)};
          }));
}

Tensor number(double x) { return Tensor::full({1}, static_cast<float>(x)); }

}  // namespace

TEST_CASE("numbers for one block") {
  check("256 numbers", 256);
  check("10 numbers", given(10));
  check("1 number", 1);
}

TEST_CASE("more numbers than a block has threads") {
  check("257 numbers", given(257));
  check("1000 numbers", given(1000, 262, 1999));
  check("3000 numbers", given(3000));
}

TEST_CASE("more numbers than a grid of 16 blocks has threads") {
  check("9000 numbers", given(9000));
}

TEST_CASE("more numbers than 256 blocks have threads") {
  check("70001 numbers", given(70001));
  check("300000 numbers", given(300000), 1);
}

TEST_CASE("no numbers at all") { check("0 numbers", 0); }

TEST_CASE("the same bits in every order") {
  const Numbers x = numbers(given(2000), 322);
  const auto different = [&] {
    std::vector<float> sums = in_orders(12, [&] { return Numbers{own_sum(x)}; }).values();
    std::sort(sums.begin(), sums.end());
    return number(double(std::unique(sums.begin(), sums.end()) - sums.begin()));
  };
  COMPARE("how many different sums in 12 orders", number(1), different());
}

TEST_CASE("two kernels: the first of several blocks, the second of one") {
  const Numbers x = numbers(given(3000), 324);
  struct Run {
    float sum;
    std::vector<Started::Kernel> kernels;
  };
  Once run([&] {
    const Started watching;
    const float sum = own_sum(x);
    return Run{sum, watching.kernels};
  });
  const auto list = [](const Numbers& numbers) { return Tensor::from({3}, numbers); };
  const auto own = [&] {
    const auto& kernels = run->kernels;
    return Numbers{float(kernels.size()), kernels.at(0).blocks > 1 ? 1.0f : 0.0f,
                   float(kernels.back().blocks)};
  };
  const auto sum = [&] { return number(std::accumulate(x.begin(), x.end(), 0.0)); };
  COMPARE("kernels; has the first several blocks (1: yes, 0: no); blocks of the last",
          list({2, 1, 1}), list(own()));
  COMPARE("the sum, every access checked", sum(), number(checked([&] { return own_sum(x); })));
  COMPARE("do the threads of the first add up together? 1: yes, 0: no", number(1),
          number(run->kernels.at(0).exchanged));
  COMPARE("the sum of the run whose kernels were looked at", sum(), number(run->sum));
  Once reads([&] { return exercise::most_reads([&] { return own_sum(x); }); });
  const auto of_first = [&] {
    return std::min(x.size(), std::size_t(reads->bytes.at(0)) / sizeof(float));
  };
  COMPARE("reads of the busiest thread, of 3000 numbers: 64 at most", number(64),
          number(double(std::max(64l, reads->both))));
  COMPARE("numbers that the first kernel reads, of 3000", number(double(x.size())),
          number(double(of_first())));
  COMPARE("the sum of the run whose reads were counted", sum(), number(reads->result));
}

TEST_CASE("one number comes back") {
  const Numbers x = numbers(given(2000), 323);
  const auto bytes = [&] {
    const cuda::Traffic before = cuda::traffic();
    own_sum(x);
    return number(double(cuda::traffic().bytes_to_host - before.bytes_to_host));
  };
  COMPARE("bytes copied to the host", number(4), bytes());
}
