#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Counts;
using exercise::Sentence;

namespace {

// Each letter is a word.
Sentence of(const std::string& letters) {
  Sentence words;
  for (char letter : letters) words.emplace_back(1, letter);
  return words;
}

// A sentence of the first few letters, in which n-grams come back.
std::string drawn(int length, int letters, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::string sentence;
  for (int i = 0; i < length; ++i) sentence += char('a' + random.below(letters));
  return sentence;
}

Tensor numbers(const std::vector<double>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

Tensor all_of(const Counts& c) {
  std::vector<double> list;
  for (std::size_t n = 0; n < 4; ++n) {
    list.push_back(double(c.matches[n]));
    list.push_back(double(c.all[n]));
  }
  list.push_back(double(c.length));
  list.push_back(double(c.reference_length));
  return numbers(list);
}

// Every n-gram of the translation takes one of the reference's away.
Counts counted(const std::string& translation, const std::string& reference) {
  Counts c;
  c.length = long(translation.size());
  c.reference_length = long(reference.size());
  for (std::size_t n = 1; n <= 4; ++n) {
    std::vector<std::string> left;
    for (std::size_t i = 0; i + n <= reference.size(); ++i) left.push_back(reference.substr(i, n));
    for (std::size_t i = 0; i + n <= translation.size(); ++i) {
      ++c.all[n - 1];
      const auto at = std::find(left.begin(), left.end(), translation.substr(i, n));
      if (at == left.end()) continue;
      left.erase(at);
      ++c.matches[n - 1];
    }
  }
  return c;
}

double score(const std::vector<Counts>& sentences) {
  double product = 1, c = 0, r = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    double matches = 0, all = 0;
    for (const Counts& each : sentences) {
      matches += double(each.matches[n]);
      all += double(each.all[n]);
    }
    product *= all > 0 ? matches / all : 0;
  }
  for (const Counts& each : sentences) {
    c += double(each.length);
    r += double(each.reference_length);
  }
  if (product == 0) return 0;
  return 100 * std::pow(product, 0.25) * (c < r ? std::exp(1 - r / c) : 1);
}

// The counts of a translation that is right in `right` of 10 words.
std::vector<Counts> system(int sentences, int right, std::uint64_t seed) {
  std::vector<Counts> list;
  for (int i = 0; i < sentences; ++i) {
    const std::string reference = drawn(6 + i % 5, 20, seed + std::uint64_t(i));
    std::string translation = reference;
    Random random(exercise::salted(seed * 77 + std::uint64_t(i) * 3 + std::uint64_t(right)));
    for (char& letter : translation)
      if (random.below(10) >= right) letter = 'z';
    if (i % 3 == 0) translation.pop_back();
    list.push_back(counted(translation, reference));
  }
  return list;
}

void check_counts(const std::string& what, const std::string& a, const std::string& b) {
  COMPARE(what, all_of(counted(a, b)), all_of(exercise::counts(of(a), of(b))));
}

void check_signs(const std::string& what, const std::string& source, const std::string& translation,
                 const std::string& reference, std::vector<double> wanted) {
  const auto own = [&] {
    const exercise::Signs s = exercise::signs(of(source), of(translation), of(reference));
    return numbers({double(s.repeats), double(s.too_short), double(s.too_long), double(s.copies)});
  };
  COMPARE("repeats, too short, too long, copies: " + what, numbers(wanted), own());
}

}  // namespace

TEST_CASE("counts: n-grams, each as often as the reference has it") {
  check_counts("the the the", "aaa", "ab");
  check_counts("two of a kind", "ababab", "abcab");
  check_counts("shorter than 4", "ab", "abc");
  check_counts("drawn", drawn(exercise::given(14), 3, 991), drawn(exercise::given(12), 3, 992));
}

TEST_CASE("bleu: from the sums, not the mean of the sentences") {
  const auto own = [](const std::vector<Counts>& c) { return numbers({exercise::bleu(c)}); };
  const std::vector<Counts> good = system(exercise::given(8), 8, 993), one = {good[0], good[1]};
  COMPARE("8 sentences", numbers({score(good)}), own(good));
  COMPARE("2 sentences", numbers({score(one)}), own(one));
  const std::vector<Counts> longer = {counted("abcdefgh", "abcdef")};
  COMPARE("a translation that is longer", numbers({score(longer)}), own(longer));
  COMPARE("no match of 4 words", numbers({0}), own({counted("abcx", "abcd")}));
}

TEST_CASE("bleu_by_length: the limits belong to the shorter") {
  const std::vector<Counts> sentences = system(12, 9, 994);
  std::vector<int> lengths;
  for (int i = 0; i < 12; ++i) lengths.push_back(1 + (5 * i) % 12);
  const int first = exercise::within(4, 3, 5), second = exercise::within(9, 8, 10);
  const auto part = [&](int low, int high) {
    std::vector<Counts> chosen;
    for (std::size_t i = 0; i < 12; ++i)
      if (lengths[i] > low && lengths[i] <= high) chosen.push_back(sentences[i]);
    return chosen.empty() ? -1.0 : score(chosen);
  };
  COMPARE("three parts", numbers({part(0, first), part(first, second), part(second, 99)}),
          numbers(exercise::bleu_by_length(sentences, lengths, {first, second})));
  COMPARE("a part without a sentence", numbers({part(0, 12), -1, -1}),
          numbers(exercise::bleu_by_length(sentences, lengths, {12, 20})));
}

TEST_CASE("share_won: the same sentences for both") {
  const int count = exercise::given(10);
  const std::vector<Counts> a = system(count, 9, 995), b = system(count, 8, 995);
  const auto wanted = [&](Random random) {
    double won = 0;
    for (int sample = 0; sample < 40; ++sample) {
      std::vector<Counts> of_a, of_b;
      for (int i = 0; i < count; ++i) {
        const std::size_t at = std::size_t(random.below(count));
        of_a.push_back(a[at]);
        of_b.push_back(b[at]);
      }
      if (score(of_a) > score(of_b)) ++won;
    }
    return won / 40;
  };
  Random one(exercise::salted(996)), other = one;
  COMPARE("a against b, 40 draws", numbers({wanted(one)}),
          numbers({exercise::share_won(a, b, 40, other)}));
  COMPARE("a against itself", numbers({0}), numbers({exercise::share_won(a, a, 10, other)}));
}

TEST_CASE("signs: repeated, too short, too long, copied") {
  check_signs("nothing", "pqrs", "abcde", "abcdf", {0, 0, 0, 0});
  check_signs("a word twice", "pqrs", "abbcd", "abcde", {1, 0, 0, 0});
  check_signs("two words twice", "pqrs", "abcbcd", "abcde", {1, 0, 0, 0});
  check_signs("three words twice", "pqrs", "abcabc", "abcdef", {1, 0, 0, 0});
  check_signs("a word that comes back later", "pqrs", "abcad", "abcde", {0, 0, 0, 0});
  check_signs("as in the reference", "pqrs", "abbcd", "abbcd", {0, 0, 0, 0});
  check_signs("3 of 5 words", "pqrs", "abc", "abcde", {0, 0, 0, 0});
  check_signs("2 of 5 words", "pqrs", "ab", "abcde", {0, 1, 0, 0});
  check_signs("8 for 5 words", "pqrs", "abcdefgh", "abcde", {0, 0, 0, 0});
  check_signs("9 for 5 words", "pqrs", "abcdefghi", "abcde", {0, 0, 1, 0});
  check_signs("half of the source", "pqrs", "pabq", "abcd", {0, 0, 0, 1});
  check_signs("a third of the source", "pqr", "pabc", "abcd", {0, 0, 0, 0});
  check_signs("one word of the source, twice there", "ppqr", "pabc", "abcd", {0, 0, 0, 1});
}
