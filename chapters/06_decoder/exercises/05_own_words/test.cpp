#include "support/test.hpp"
#include "exercise.hpp"

#include <map>

using namespace xf;
using exercise::NextWord;
using Words = std::vector<int>;

namespace {

const int vocabulary = exercise::given(24, 20, 60);

// A language: a word depends on the three before it, and sometimes there are two that may follow.
int following(const Words& words, std::uint64_t language, Random& random) {
  const auto back = [&](std::size_t i) {
    return words.size() > i ? std::uint64_t(words[words.size() - 1 - i]) : 0;
  };
  std::uint64_t state = mix(language ^ (back(0) + 100 * back(1) + 10000 * (back(2) % 4)));
  if (state % 3 == 0 && random.below(4) == 0) state = mix(state);
  return 2 + int(state / 16 % (vocabulary - 2));
}

std::vector<Words> text(int count, std::uint64_t language, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::vector<Words> sentences;
  for (int n = 0; n < count; ++n) {
    Words words = {0};
    const int length = 5 + random.below(exercise::given(10, 12, 16));
    words.push_back(2 + random.below(8));
    while (static_cast<int>(words.size()) < length)
      words.push_back(following(words, language, random));
    words.push_back(1);
    sentences.push_back(words);
  }
  return sentences;
}

// A model that has counted what follows in a text: behind three words where it has met them, else
// behind two, else behind one. At position `ends_at`, if there is one, it writes an eos, and goes
// on behind that as if it had written its best word.
struct Counted {
  std::map<Words, std::map<int, int>> after;
  int ends_at = 0;
  exercise::Notes read;  // how many words, call by call

  explicit Counted(const std::vector<Words>& sentences) {
    for (const Words& words : sentences)
      for (std::size_t t = 1; t < words.size(); ++t)
        for (std::size_t n = 1; n <= std::min<std::size_t>(3, t); ++n)
          ++after[Words(words.begin() + std::ptrdiff_t(t - n), words.begin() + std::ptrdiff_t(t))]
                 [words[t]];
  }

  int operator()(const Words& words) {
    read.note({static_cast<float>(words.size())});
    if (ends_at == 0) return best(words);
    const auto end = static_cast<std::size_t>(ends_at);
    if (words.size() == end) return 1;
    Words known = words;
    if (words.size() > end && words[end] == 1)
      known[end] = best(Words(words.begin(), words.begin() + ends_at));
    return best(known);
  }

  int best(const Words& words) {
    for (std::size_t n = std::min<std::size_t>(3, words.size()); n >= 1; --n) {
      const auto found = after.find(Words(words.end() - std::ptrdiff_t(n), words.end()));
      if (found == after.end()) continue;
      int most = found->second.begin()->first;
      for (const auto& [word, count] : found->second)
        if (count > found->second[most]) most = word;
      return most;
    }
    return 1;
  }
};

Tensor list(const std::vector<double>& numbers) {
  return Tensor::from({static_cast<int>(numbers.size())},
                      std::vector<float>(numbers.begin(), numbers.end()));
}
Tensor ids(const Words& words) {
  return Tensor::from({static_cast<int>(words.size())},
                      std::vector<float>(words.begin(), words.end()));
}

// What the model writes behind the first `known` words, up to `size` words.
Words continued(Counted& model, const Words& truth, int known, int size) {
  Words words(truth.begin(), truth.begin() + known);
  while (static_cast<int>(words.size()) < size) words.push_back(model(words));
  return words;
}

double wanted_after(Counted& model, const std::vector<Words>& sentences, int own) {
  int wrong = 0, all = 0;
  for (const Words& truth : sentences)
    for (int known = 1; known + own < static_cast<int>(truth.size()); ++known, ++all) {
      const Words words = continued(model, truth, known, known + own + 1);
      wrong += words.back() != truth[words.size() - 1];
    }
  return all == 0 ? 0 : double(wrong) / all;
}

double wanted_alone(Counted& model, const std::vector<Words>& sentences) {
  int wrong = 0, all = 0;
  for (const Words& truth : sentences) {
    const Words words = continued(model, truth, 1, static_cast<int>(truth.size()));
    for (std::size_t t = 1; t < truth.size(); ++t, ++all) wrong += words[t] != truth[t];
  }
  return double(wrong) / all;
}

struct Measured {
  std::vector<Words> sentences;
  Counted model;

  Measured(int count, std::uint64_t seed)
      : sentences(text(count, exercise::salted(seed), seed + 1)),
        model(text(400, exercise::salted(seed), seed + 2)) {}
  NextWord next() {
    return [this](const Words& words) { return model(words); };
  }
};

}  // namespace

TEST_CASE("teacher forcing: no word of its own") {
  Measured it(exercise::given(40, 45, 80), 6500);
  COMPARE("share of wrong words", list({wanted_after(it.model, it.sentences, 0)}),
          list({exercise::error_after(it.next(), it.sentences, 0)}));
}

TEST_CASE("after words of its own") {
  // The model is asked `own` + 1 times for each position, so the sentences are few.
  Measured it(exercise::within(40, 20, 40), 6510);
  for (int own : {1, 2, exercise::given(5, 4, 12)})
    COMPARE("share of wrong words after " + std::to_string(own) + " own",
            list({wanted_after(it.model, it.sentences, own)}),
            list({exercise::error_after(it.next(), it.sentences, own)}));
  const std::vector<Words> one = {it.sentences[0], {0, 5, 1}};
  const auto before = [&] { return it.model.read.all(); };
  before();
  COMPARE("of two sentences, after 2 own", list({wanted_after(it.model, one, 2)}),
          list({exercise::error_after(it.next(), one, 2)}));
  COMPARE("how many words each call read", it.model.read.all(), it.model.read.all());
  COMPARE("no sentence is long enough", list({0.0}),
          list({exercise::error_after(it.next(), {{0, 5, 1}}, 2)}));
}

TEST_CASE("all words its own") {
  Measured it(exercise::within(60, 40, 50), 6520);
  COMPARE("share of wrong words", list({wanted_alone(it.model, it.sentences)}),
          list({exercise::error_alone(it.next(), it.sentences)}));
  const Words owns = {0, 1, 2, 3, 5, 8};
  std::vector<double> shares;
  const auto wanted = [&] {
    for (int own : owns) shares.push_back(wanted_after(it.model, it.sentences, own));
    return list(shares);
  };
  const auto table = [&] {  // for the learner to look at
    std::printf("own words before   0     1     2     3     5     8   all\nwrong words     ");
    for (int own : owns) {
      shares.push_back(exercise::error_after(it.next(), it.sentences, own));
      std::printf(" %4.0f%%", 100 * shares.back());
    }
    std::printf(" %4.0f%%\n", 100 * exercise::error_alone(it.next(), it.sentences));
    return list(shares);
  };
  COMPARE("share of wrong words after 0, 1, 2, 3, 5 and 8 own", wanted(), table());
  COMPARE("1: three own words make more errors than none", list({1.0}),
          list({double(shares[3] > shares[0])}));
}

TEST_CASE("scheduled sampling: what the decoder reads") {
  Measured it(10, 6530);
  const double share = exercise::given(0.4f, 0.3f, 0.6f);
  for (const Words& truth : {it.sentences[0], it.sentences[1], it.sentences[2]}) {
    const exercise::Notes drawn;  // the positions
    Random random(exercise::salted(6540 + truth.size()));
    const auto draw = [&](int t) {
      drawn.note({static_cast<float>(t)});
      return random.uniform();
    };
    const auto wanted = [&] {
      Words read = {0};
      while (read.size() + 1 < truth.size()) {
        const int t = static_cast<int>(read.size());
        const int own = it.model(read);
        read.push_back(draw(t) < share ? own : truth[std::size_t(t)]);
      }
      return read;
    };
    const std::string name = std::to_string(truth.size()) + " words";
    COMPARE("read, of a sentence of " + name, ids(wanted()),
            ids(exercise::scheduled(it.next(), truth, share, draw)));
    COMPARE("drawn for the positions, of a sentence of " + name, drawn.all(), drawn.all());
  }
}

TEST_CASE("scheduled sampling: both ends") {
  Measured it(10, 6550);
  const Words truth = it.sentences[4];
  const auto half = [](int) { return 0.5; };
  COMPARE("share 0: the true words", ids(Words(truth.begin(), truth.end() - 1)),
          ids(exercise::scheduled(it.next(), truth, 0, half)));
  const int size = static_cast<int>(truth.size()) - 1;
  COMPARE("share 1: its own words", ids(continued(it.model, truth, 1, size)),
          ids(exercise::scheduled(it.next(), truth, 1, half)));
  COMPARE("a draw that equals the share is not below it",
          ids(Words(truth.begin(), truth.end() - 1)),
          ids(exercise::scheduled(it.next(), truth, 0.5, half)));
}

TEST_CASE("an eos that the model writes early is a word like any other") {
  Measured it(exercise::within(40, 20, 40), 6560);
  it.model.ends_at = exercise::given(3, 2, 4);
  for (int own : {1, 3})
    COMPARE("share of wrong words after " + std::to_string(own) + " own, an eos early",
            list({wanted_after(it.model, it.sentences, own)}),
            list({exercise::error_after(it.next(), it.sentences, own)}));
  COMPARE("share of wrong words alone, an eos early", list({wanted_alone(it.model, it.sentences)}),
          list({exercise::error_alone(it.next(), it.sentences)}));
  const Words truth = it.sentences[3];
  const int size = static_cast<int>(truth.size()) - 1;
  COMPARE("share 1: its own words, an eos early", ids(continued(it.model, truth, 1, size)),
          ids(exercise::scheduled(it.next(), truth, 1, [](int) { return 0.5; })));
}
