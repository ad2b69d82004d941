#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::block_threads, exercise::checked, exercise::counts_of, exercise::given,
    exercise::in_orders, exercise::most_words, exercise::Once, exercise::within;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 6;

struct Text {
  std::vector<int> ids;
  int words;
};

// Words that come again and again, or all of them once.
Text text(int count, int words, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  Text all{{}, words};
  for (int i = 0; i < count; ++i) all.ids.push_back(random.below(words));
  return all;
}
Text each_once(int words) {
  Text all{std::vector<int>(std::size_t(words)), words};
  std::iota(all.ids.begin(), all.ids.end(), 0);
  return all;
}

void launch(const Text& text, int* counts) {
  const int count = int(text.ids.size());
  cuda::Buffer<int> ids(text.ids.size());
  cuda::copy_to_device(ids.data(), text.ids.data(), text.ids.size() * sizeof(int));
  cuda::launch({"count_words", cuda::blocks_for(count, block_threads), unsigned(block_threads)},
               exercise::count_words, ids.data(), counts, count, text.words);
}

Numbers own(const Text& text) {
  cuda::Buffer<int> counts(std::size_t(text.words));
  const std::vector<int> none(std::size_t(text.words));
  cuda::copy_to_device(counts.data(), none.data(), none.size() * sizeof(int));
  launch(text, counts.data());
  const std::vector<int> found = counts.values();
  return {found.begin(), found.end()};
}

Numbers counts_in(const Text& text) {
  Numbers counts(std::size_t(text.words));
  for (const int id : text.ids) ++counts[std::size_t(id)];
  return counts;
}

Tensor tensor(const Numbers& x) { return Tensor::from({int(x.size())}, x); }

void check(const std::string& what, const Text& text) {
  COMPARE("counts in six orders, " + what, in_orders(orders, counts_in(text)),
          in_orders(orders, [&] { return own(text); }));
}

void check_accesses(const std::string& what, const Text& text) {
  COMPARE("counts, every access checked, " + what, tensor(counts_in(text)),
          tensor(checked([&] { return own(text); })));
}

}  // namespace

TEST_CASE("a text in which no word occurs twice") { check("64 words", each_once(64)); }

TEST_CASE("more words than a block has threads") {
  check_accesses("100 words", each_once(within(100, 90, most_words)));
  check("100 words", each_once(within(100, 90, most_words)));
  check("500 ids of 120 words", text(given(500, 530, 800), within(120, 100, most_words), 351));
}

TEST_CASE("no two threads change one number at once, in one block") {
  check_accesses("50 ids of 5 words", text(50, given(5, 4, 8), 352));
}

TEST_CASE("no two threads change one number at once, in several blocks") {
  check_accesses("300 ids of 20 words", text(given(300, 260, 330), given(20, 15, 30), 353));
}

TEST_CASE("most of the adding is done in shared memory") {
  const int words = given(10, 8, 12), blocks = given(8, 7, 10);
  const Text all = text(block_threads * blocks, words, 354);
  // One for each word of each block, at most.
  const long most = words * blocks;
  const auto number = [](long x) { return Tensor::full({1}, float(x)); };
  Once run([&] { return counts_of([&] { return own(all); }); });
  const auto own_atomics = [&] { return std::max(most, run->of("count_words").device_atomics); };
  COMPARE("atomic additions in device memory, 512 ids of 10 words in 8 blocks", number(most),
          number(own_atomics()));
  COMPARE("counts of the run whose atomic additions were counted", tensor(counts_in(all)),
          tensor(run->result));
  Once reads([&] { return exercise::most_reads([&] { return own(all); }); });
  COMPARE("reads of the busiest thread: 32 at most", number(32),
          number(std::max(32l, reads->device)));
  COMPARE("reads of the busiest thread from shared memory: 32 at most", number(32),
          number(std::max(32l, reads->shared)));
  COMPARE("counts of the run whose reads were counted", tensor(counts_in(all)),
          tensor(reads->result));
}
