#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Pair;
using Pairs = std::vector<Pair>;

namespace {

// Letters stand for words: "ab" has two.
Pair of(const std::string& source, const std::string& target) {
  const auto spaced = [](const std::string& letters) {
    std::string sentence;
    for (char letter : letters) sentence += (sentence.empty() ? "" : " ") + std::string(1, letter);
    return sentence;
  };
  return {spaced(source), spaced(target)};
}

Tensor numbers(const std::vector<int>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

// The characters of all sides, one after the other, with the length of each in front.
Tensor spelled(const Pairs& pairs) {
  std::vector<int> list;
  for (const Pair& pair : pairs)
    for (const std::string& side : {pair.source, pair.target}) {
      list.push_back(static_cast<int>(side.size()));
      list.insert(list.end(), side.begin(), side.end());
    }
  return numbers(list);
}

// Pairs of few different sentences: some are joined through others.
Pairs drawn(int count, int sentences, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  Pairs pairs;
  for (int i = 0; i < count; ++i)
    pairs.push_back({"s" + std::to_string(random.below(sentences)),
                     "t" + std::to_string(random.below(sentences))});
  return pairs;
}

// By joining groups until nothing changes.
std::vector<int> grouped(const Pairs& pairs) {
  std::vector<int> group(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) group[i] = static_cast<int>(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      for (std::size_t j = 0; j < pairs.size(); ++j)
        if ((pairs[i].source == pairs[j].source || pairs[i].target == pairs[j].target) &&
            group[i] < group[j]) {
          group[j] = group[i];
          changed = true;
        }
  }
  std::vector<int> seen, renamed;
  for (int g : group) {
    auto at = std::find(seen.begin(), seen.end(), g);
    renamed.push_back(static_cast<int>(at - seen.begin()));
    if (at == seen.end()) seen.push_back(g);
  }
  return renamed;
}

std::vector<int> parts(const Pairs& pairs, int valid, int test, int largest, Random random) {
  const std::vector<int> group = grouped(pairs);
  const int count = pairs.empty() ? 0 : 1 + *std::max_element(group.begin(), group.end());
  std::vector<int> order, part(pairs.size(), 0);
  for (int g = 0; g < count; ++g) order.push_back(g);
  random.shuffle(order.begin(), order.end());
  int room[] = {0, valid, test};
  for (int g : order) {
    const int size = static_cast<int>(std::count(group.begin(), group.end(), g));
    const int to = size > largest ? 0 : room[2] > 0 ? 2 : room[1] > 0 ? 1 : 0;
    room[to] -= size;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (group[i] == g) part[i] = to;
  }
  return part;
}

void check_split(const std::string& what, const Pairs& pairs, int valid, int test, int largest) {
  Random one(exercise::salted(981)), other = one;
  const auto own = [&] {
    std::vector<int> list;
    for (exercise::Part part : exercise::split(pairs, valid, test, largest, other))
      list.push_back(static_cast<int>(part));
    return numbers(list);
  };
  COMPARE(what, numbers(parts(pairs, valid, test, largest, one)), own());
}

}  // namespace

TEST_CASE("cleaned: blanks, and what is left out") {
  const int most = exercise::within(4, 4, 6), more = most + 1;
  const std::string full(std::size_t(most), 'a'), over(std::size_t(more), 'a');
  const Pairs pairs = {{"  a   b ", "c d"}, {"a b", "c  d "},      {"", "c"},
                       {"a", "   "},        of(full, "bcd"),       of(over, "bcd"),
                       of("bcd", over),     {"same a", "same  a"}, {"a\tb", "x y"},
                       of("ab", "cd"),      of("cd", "ab"),        of("b", "c"),
                       of("b", "c")};
  const Pairs wanted = {
      {"a b", "c d"}, of(full, "bcd"), {"a b", "x y"}, of("cd", "ab"), of("b", "c")};
  COMPARE("what is left of 13 pairs", spelled(wanted),
          spelled(exercise::cleaned(pairs, {.most = most, .ratio = 3})));
}

TEST_CASE("cleaned: the ratio of the lengths") {
  const Pairs pairs = {of("ab", "abcde"), of("abcde", "ba"), of("ab", "abcd"), of("abcd", "ef"),
                       of("a", "abc"),    of("abc", "e"),    of("a", "bc")};
  const Pairs wanted = {of("ab", "abcd"), of("abcd", "ef"), of("a", "bc")};
  COMPARE("at a ratio of 2", spelled(wanted),
          spelled(exercise::cleaned(pairs, {.most = 40, .ratio = 2})));
}

TEST_CASE("groups: by source, by target, and through others") {
  const Pairs chain = {of("a", "x"), of("b", "y"), of("c", "z"),
                       of("a", "y"), of("d", "z"), of("b", "w")};
  COMPARE("a chain", numbers(grouped(chain)), numbers(exercise::groups(chain)));
  const Pairs crossed = {{"same", "x"}, {"y", "same"}};  // a source is no target
  COMPARE("a source that is a target", numbers(grouped(crossed)),
          numbers(exercise::groups(crossed)));
  const Pairs many = drawn(exercise::given(40), 35, 982);
  COMPARE("many pairs", numbers(grouped(many)), numbers(exercise::groups(many)));
}

TEST_CASE("split: a group as a whole, large ones for training") {
  check_split("30 pairs, 4 for validation, 6 for the test", drawn(30, 40, 983), 4, 6, 100);
  check_split("30 pairs in large groups", drawn(30, 22, 984), 3, 5, exercise::given(2, 1, 3));
  check_split("nothing held out", drawn(8, 9, 985), 0, 0, 10);
}
