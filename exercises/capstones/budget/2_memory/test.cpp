#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given;

namespace {

exercise::Text text_of(int length, int words, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  exercise::Text text;
  for (int i = 0; i < length; ++i) text.push_back(random.below(words));
  return text;
}

Tensor numbers(const std::vector<double>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

// ---- segment_of
// ----------------------------------------------------------------------------------

// Of each step: does it begin, then ids and expected row by row.
void check_segments(const std::string& what, int length, int streams, int segment, int steps) {
  const exercise::Text text = text_of(length, 90, 1021);
  const auto wanted = [&] {
    std::vector<double> list;
    const int each = (length - 1) / streams;
    int at = 0;  // in every stream
    for (int step = 0; step < steps; ++step) {
      if (at + segment > each) at = 0;
      list.push_back(at == 0);
      for (int shift : {0, 1})
        for (int b = 0; b < streams; ++b)
          for (int t = 0; t < segment; ++t)
            list.push_back(text[std::size_t(b * each + at + t + shift)]);
      at += segment;
    }
    return numbers(list);
  };
  const auto own = [&] {
    std::vector<double> list;
    for (int step = 0; step < steps; ++step) {
      const exercise::Segment piece = exercise::segment_of(text, streams, segment, step);
      list.push_back(piece.begins);
      list.insert(list.end(), piece.ids.begin(), piece.ids.end());
      list.insert(list.end(), piece.expected.begin(), piece.expected.end());
    }
    return numbers(list);
  };
  COMPARE(what, wanted(), own());
}

// ---- carried, through
// ----------------------------------------------------------------------------

// The last `length` states, where there are so many.
Tensor last_of(const Tensor& past, const Tensor& h, int length) {
  const std::vector<float> old = past.defined() ? past.values() : std::vector<float>();
  const std::vector<float> now = h.values();
  const int before = past.defined() ? past.size(1) : 0, width = h.size(2);
  const int all = before + h.size(1), count = std::min(length, all);
  if (count == 0) return {};
  std::vector<float> list;
  for (int b = 0; b < h.size(0); ++b)
    for (int t = all - count; t < all; ++t)
      for (int i = 0; i < width; ++i)
        list.push_back(t < before ? old[std::size_t((b * before + t) * width + i)]
                                  : now[std::size_t((b * h.size(1) + t - before) * width + i)]);
  return Tensor::from({h.size(0), count, width}, list);
}

void check_carried(const std::string& what, int past, int length) {
  const Tensor old = past ? exercise::random({2, past, 3}, 1031) : Tensor();
  const Tensor h = exercise::random({2, 4, 3}, 1032);
  COMPARE(what, last_of(old, h, length), exercise::carried(old, h, length));
}

// The loss reads the past, the segment, and what is carried on. Of the last no gradient may arrive.
void check_no_gradient(const std::string& what, bool first) {
  const Tensor x = parameter(exercise::random({2, 4, 3}, 1033));
  const Tensor m = parameter(exercise::random({2, 2, 3}, 1034));
  const Tensor of_x = exercise::random({2, 4, 3}, 1035), of_m = exercise::random({2, 2, 3}, 1036);
  const auto gradients = [&] {
    Tape tape;
    const Tensor h = 2.0f * x, old = 3.0f * m;
    const Tensor next = exercise::carried(first ? Tensor() : old, h, 5);
    return tape.backward(sum(multiply(h, of_x)) + sum(multiply(old, of_m)) +
                         sum(multiply(next, next)));
  };
  COMPARE_GRADIENT("dh, " + what, 2.0f * of_x, gradients().of(x));
  COMPARE_GRADIENT("dpast, " + what, 3.0f * of_m, gradients().of(m));
}

// What the layers of the test do, the n-th with a share of its own:
//   y_i = h_i + share sum over j <= i of h_j / (1 + i - j), j over past and segment
double share(std::size_t n) { return n % 2 ? -0.4 : 0.3; }

exercise::Layer mixing(std::size_t n) {
  return [n](const Tensor& h, const Tensor& past) {
    const int before = past.defined() ? past.size(1) : 0, t = h.size(1), s = before + t;
    std::vector<float> weights;
    for (int i = 0; i < t; ++i)
      for (int j = 0; j < s; ++j)
        weights.push_back(j > before + i ? 0.0f : float(share(n) / (1 + before + i - j)));
    std::vector<float> of_all;
    for (int b = 0; b < h.size(0); ++b) of_all.insert(of_all.end(), weights.begin(), weights.end());
    const Tensor all = before ? concat(past, h, 1) : h;
    return h + matmul(Tensor::from({h.size(0), t, s}, of_all), all);
  };
}

// Segment after segment: the outputs and all memories.
void check_through(const std::string& what, int layers, int segments, int length) {
  const int T = 3, D = 2;
  const Tensor text = exercise::random({1, segments * T, D}, 1041);
  const auto own = [&] {
    std::vector<exercise::Layer> stack;
    for (int n = 0; n < layers; ++n) stack.push_back(mixing(std::size_t(n)));
    std::vector<Tensor> memory;
    std::vector<double> found;
    for (int s = 0; s < segments; ++s) {
      const Tensor y = exercise::through(stack, slice(text, 1, s * T, T), memory, length);
      for (float each : y.values()) found.push_back(each);
    }
    for (const Tensor& each : memory) {
      found.push_back(each.defined() ? each.size(1) : 0);
      if (each.defined())
        for (float x : each.values()) found.push_back(x);
    }
    return numbers(found);
  };
  // Position by position over the whole text, in double.
  const auto wanted = [&] {
    const int count = segments * T;
    std::vector<double> h, found, memories;
    for (float x : text.values()) h.push_back(x);
    for (int n = 0; n < layers; ++n) {
      const int kept = std::min(length, count);
      memories.push_back(kept);
      memories.insert(memories.end(), h.end() - kept * D, h.end());
      std::vector<double> y = h;
      for (int i = 0; i < count; ++i)
        for (int j = std::max(0, i / T * T - length); j <= i; ++j)
          for (int k = 0; k < D; ++k)
            y[std::size_t(i * D + k)] +=
                share(std::size_t(n)) * h[std::size_t(j * D + k)] / (1 + i - j);
      h = y;
    }
    found = h;
    found.insert(found.end(), memories.begin(), memories.end());
    return numbers(found);
  };
  COMPARE("outputs, then each memory, " + what, wanted(), own());
}

// ---- evaluate, choose_length
// ---------------------------------------------------------------------

// A cost of the token that comes, given all that may be seen before it.
double cost(const std::vector<int>& seen, int expected) {
  std::uint64_t key = exercise::salted(std::uint64_t(expected) + 7);
  for (int token : seen) key = mix(key * 31 + std::uint64_t(token));
  return double(key % 1000) / 250;
}

// A model whose layer's states are the tokens themselves, (1, M, 1).
Tensor model(const Ids& ids, const Ids& expected, std::vector<Tensor>& memory, int length) {
  memory.resize(1);
  std::vector<int> seen;
  if (memory[0].defined())
    for (float token : memory[0].values()) seen.push_back(int(token));
  double total = 0;
  for (int t = 0; t < ids.size(1); ++t) {
    seen.push_back(ids.at(0, t));
    total += cost(seen, expected.at(0, t));
  }
  if (int(seen.size()) > length) seen.erase(seen.begin(), seen.end() - length);
  memory[0] = seen.empty() ? Tensor()
                           : Tensor::from({1, int(seen.size()), 1},
                                          std::vector<float>(seen.begin(), seen.end()));
  return Tensor::full({}, static_cast<float>(total / ids.size(1)));
}

double bits(const exercise::Text& text, int segment, int length) {
  double total = 0;
  for (int i = 0; i + 1 < int(text.size()); ++i) {
    const int from = std::max(0, i / segment * segment - length);
    total += cost({text.begin() + from, text.begin() + i + 1}, text[std::size_t(i) + 1]);
  }
  return total / double(text.size() - 1) / std::log(2.0);
}

void check_evaluate(const std::string& what, int count, int segment, int length) {
  const exercise::Text text = text_of(count, 9, 1051);
  COMPARE("bits, " + what, numbers({bits(text, segment, length)}),
          numbers({exercise::evaluate(model, text, segment, length)}));
}

// Bits that depend on the memory's length alone.
void check_choice(const std::string& what, const std::vector<int>& lengths,
                  const std::vector<double>& of_length, double slack) {
  const exercise::Model known = [&](const Ids&, const Ids&, std::vector<Tensor>&, int length) {
    const auto at =
        std::size_t(std::find(lengths.begin(), lengths.end(), length) - lengths.begin());
    const double found = at < of_length.size() ? of_length[at] : 9;  // nobody asked for it
    return Tensor::full({}, static_cast<float>(found * std::log(2.0)));
  };
  const auto wanted = [&] {
    std::vector<double> list = of_length;
    const double most = *std::min_element(list.begin(), list.end()) + slack;
    int shortest = 1 << 20;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (of_length[i] <= most) shortest = std::min(shortest, lengths[i]);
    list.push_back(shortest);
    return numbers(list);
  };
  const auto own = [&] {
    const exercise::Choice choice =
        exercise::choose_length(known, text_of(7, 9, 1052), 2, lengths, slack);
    std::vector<double> list = choice.bits;
    list.push_back(choice.length);
    return numbers(list);
  };
  COMPARE("bits of each length, and the one chosen, " + what, wanted(), own());
}

}  // namespace

TEST_CASE("segment_of: streams that continue where they stopped") {
  check_segments("50 tokens, 3 streams, segments of 4, 9 steps", given(50, 51, 60), 3, 4, 9);
  check_segments("24 tokens, 4 streams, segments of 5, 3 steps", 24, 4, 5, 3);
  check_segments("31 tokens, 1 stream, segments of 6, 7 steps", 31, 1, 6, 7);
}

TEST_CASE("carried: the last states, without a gradient") {
  check_carried("nothing before, length 3 of 4", 0, 3);
  check_carried("nothing before, length 9", 0, 9);
  check_carried("3 before, length 2 of 4", 3, 2);
  check_carried("3 before, length 6", 3, 6);
  check_carried("5 before, length 9", given(5), 9);
  const auto kept = [](const Tensor& x) { return numbers({x.defined() ? x.size(1) : 0.0}); };
  COMPARE("how many states, length 0", numbers({0}),
          kept(exercise::carried({}, exercise::random({2, 4, 3}, 1037), 0)));
  check_no_gradient("the first segment", true);
  check_no_gradient("a later segment", false);
}

TEST_CASE("through: each layer remembers what went into it") {
  check_through("1 layer, 3 segments, length 3", 1, 3, 3);
  check_through("3 layers, 4 segments, length 5", 3, 4, given(5, 4, 7));
  check_through("2 layers, 2 segments, nothing remembered", 2, 2, 0);
}

TEST_CASE("evaluate: every character once, the memory carried to the end") {
  check_evaluate("25 characters, segments of 4, memory 4", 4 * given(6) + 1, 4, 4);
  check_evaluate("24 characters, segments of 5, memory 12", given(24, 22, 25), 5, 12);
  check_evaluate("9 characters, segments of 4, no memory", 9, 4, 0);
  check_evaluate("5 characters, one segment of 8", 5, 8, 3);
}

TEST_CASE("choose_length: the shortest that is as good as the best") {
  const double off = given(0.0f, 0.0f, 0.5f);
  const std::vector<double> falling = {2.6 + off, 2.52 + off, 2.502 + off, 2.5 + off, 2.511 + off};
  check_choice("0 to 32, slack 0.005", {0, 4, 8, 16, 32}, falling, 0.005);
  check_choice("0 to 32, no slack", {0, 4, 8, 16, 32}, falling, 0);
  check_choice("in another order, slack 0.015", {32, 4, 16, 8, 0},
               {2.511 + off, 2.52 + off, 2.5 + off, 2.502 + off, 2.6 + off}, 0.015);
}
