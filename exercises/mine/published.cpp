// A published model made of parts: what came since 2017. It only reads and generates, so no part
// needs a backward.

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>

#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/printable.hpp"
#include "language/language.hpp"
#include "mine/parts.hpp"
#include "text/byte_merges.hpp"
#include "train/progress.hpp"

#undef ByteMerges

namespace xf {

using namespace mine;

namespace {

// The time spent in each exercise so far, including the conversion of its arguments.
std::map<std::string, double> seconds;

struct Timed {
  const char* exercise;
  Stopwatch watch = {};

  ~Timed() { seconds[exercise] += watch.seconds(); }
};

// The positions and base of the last turns requested; undefined if they are slowed down.
struct Turned {
  Tensor turns = {};
  int first = 0;
  float base = 0;
} last_turned;

// Row t of x, with one row per head.   x: (1, T, H*Dk)   returns (H, Dk)
Matrix heads_at(const Tensor& x, int t, int heads) {
  return to_xt<2>(slice(x, 1, t, 1).view({heads, x.size(2) / heads}));
}
std::vector<Matrix> rows_kept(const GrowingRows& kept, int groups) {
  std::vector<Matrix> rows;
  const Tensor all = kept.count() > 0 ? kept.rows() : Tensor();  // (1, N, G*Dk)
  for (int t = 0; t < kept.count(); ++t) rows.push_back(heads_at(all, t, groups));
  return rows;
}

}  // namespace

// ---- its layers ---------------------------------------------------------------------------------

Tensor mine::rms_norm(const Tensor& x, const Tensor& gamma, float eps) {
  if (!parts().rms_norm) return xf::rms_norm(x, gamma, eps);
  const Timed timed{"09-04"};
  return shaped(parts().rms_norm(rows_of(x), to_xt<1>(gamma), eps), x.shape());
}

Tensor RotaryPositions::turns(int first, int count) const {
  const Tensor turns = RotaryPositionsOfTheBook::turns(first, count);
  last_turned = {slowed ? Tensor() : turns, first, static_cast<float>(base)};
  return turns;
}

Tensor mine::rotate(const Tensor& x, const Tensor& turns) {
  const Turned& of = last_turned;
  const bool known = of.turns.defined() && of.turns.data(Cpu{}) == turns.data(Cpu{});
  if (!parts().rotate || !known) return xf::rotate(x, turns);
  const Timed timed{"09-03"};
  const int heads = x.size(2) / turns.size(1);
  const Tensor by_head = split_heads(x, heads);  // (B, H, T, Dk)
  Cube all = to_xt<3>(by_head.view({x.size(0) * heads, x.size(1), turns.size(1)}));
  for (std::size_t h = 0; h < all.shape(0); ++h) {
    const Matrix rows = xt::view(all, h, xt::all(), xt::all());
    xt::view(all, h, xt::all(), xt::all()) = parts().rotate(rows, of.first, of.base);
  }
  return merge_heads(from_xt(all).view(by_head.shape()));
}

// Position by position, as in the exercise, even when a prompt is read.
Tensor GroupedAttention::operator()(const Tensor& x, const Tensor& turns,
                                    GroupedCache* cache) const {
  if (!parts().shared_heads || x.size(0) != 1)
    return GroupedAttentionOfTheBook::operator()(x, turns, cache);
  const auto [q, k, v] = projected(x, turns);
  const int d_k = q.size(2) / heads;
  Tensor y = Tensor::empty(q.shape());
  {
    const Timed timed{"09-05"};
    SharedRows kept;
    if (cache) kept = {rows_kept(cache->k, groups), rows_kept(cache->v, groups)};
    for (int t = 0; t < x.size(1); ++t) {
      const std::size_t positions = kept.k.size() + 1;
      const Matrix one = parts().shared_heads(heads_at(q, t, heads), heads_at(k, t, groups),
                                              heads_at(v, t, groups), kept);
      if (kept.k.size() != positions || kept.v.size() != positions)
        throw_of_part("09-05", "its cache has a different number of positions than were read");
      copy_into(y, std::span(one.data(), one.size()), std::ptrdiff_t(t) * heads * d_k);
      if (!cache) continue;
      cache->k.append(shaped(kept.k.back(), {1, 1, groups * d_k}));
      cache->v.append(shaped(kept.v.back(), {1, 1, groups * d_k}));
    }
  }
  return w_o(y);
}

Tensor SwiGlu::operator()(const Tensor& x) const {
  const auto* curve = activation.target<Tensor (*)(const Tensor&)>();
  const bool as_the_exercise_has_it = gated && !w_up.bias.defined() && curve && *curve == silu;
  if (!parts().swiglu || !as_the_exercise_has_it) return SwiGluOfTheBook::operator()(x);
  const Timed timed{"09-07"};
  return shaped(parts().swiglu(rows_of(x), to_xt<2>(w_gate.weight), to_xt<2>(w_up.weight),
                               to_xt<2>(w_down.weight)),
                x.shape());
}

// ---- its pieces ---------------------------------------------------------------------------------

void mine::ByteMerges::add(std::string_view left, std::string_view right) {
  xf::ByteMerges::add(left, right);
  lines_.append(left).append(" ").append(right).append("\n");
}

void mine::ByteMerges::finish() {
  xf::ByteMerges::finish();
  if (parts().read_merges) merges_ = parts().read_merges(lines_);
  lines_.clear();
}

std::vector<int> mine::ByteMerges::encode(std::string_view piece) const {
  if (!parts().encode) return xf::ByteMerges::encode(piece);
  const Timed timed{"09-06"};
  std::vector<int> ids;
  for (const std::string& token : parts().encode(std::string(piece), merges_)) {
    ids.push_back(tokens().find(token));
    if (ids.back() < 0)
      throw_of_part("09-06", words("{} is not one of the model's tokens", shortened(token)));
  }
  return ids;
}

// Names that are not bytes, such as those of added tokens, are left to the book.
std::string mine::ByteMerges::bytes(std::string_view written) {
  const std::string by_the_book = xf::ByteMerges::bytes(written);
  if (!parts().decode || xf::ByteMerges::written(by_the_book) != written) return by_the_book;
  const Timed timed{"09-06"};
  return parts().decode(Pieces{std::string(written)});
}

// ---- what it says -------------------------------------------------------------------------------

// All tokens, in the order of their ids, some with probability 0.
Choices choices(const Values& logits, const TokenChoice& how) {
  if (!parts().distribution) return choices_of_the_book(logits, how);
  const Timed timed{"08-06"};
  const Numbers numbers(logits.begin(), logits.end());
  Choices all{std::vector<int>(logits.size()),
              parts().distribution(numbers, how.temperature, how.top_k, how.top_p)};
  std::iota(all.ids.begin(), all.ids.end(), 0);
  if (all.p.size() != all.ids.size())
    throw_of_part("08-06", "it gives a different number of probabilities than there are logits");
  return all;
}

int chosen(const Choices& from, Random& random) {
  if (!parts().draw) return chosen_of_the_book(from, random);
  const int id = parts().draw(from.p, random.uniform());
  if (id < 0 || id >= std::ssize(from.ids))
    throw_of_part("08-06", words("it draws {}, which is not a token", id));
  return from.ids[static_cast<std::size_t>(id)];
}

namespace {

// The time of the first token of a text, in the last of several runs.
double seconds_of_token(const DecoderOnly& model, int id, const Parts& some, int runs) {
  return with(some, [&] {
    double taken = 0;
    for (int run = 0; run < runs; ++run) {
      DecoderOnly::Cache cache;
      const Stopwatch watch;
      choices(model.next_logits(Ids({1, 1}, {id}), cache).values(), {.temperature = 0});
      taken = watch.seconds();
    }
    return taken;
  });
}

void say_apart(const std::string& line) { std::cerr << line << std::endl; }

// "09-07 61%, 09-04 3%": the largest first.
std::string shares_of(double total) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [exercise, taken] : seconds) all.emplace_back(-taken, exercise);
  std::sort(all.begin(), all.end());
  std::string text;
  for (const auto& [taken, exercise] : all)
    text += (text.empty() ? "" : ", ") + exercise + formatted(" %.1f%%", -100 * taken / total);
  return text;
}

}  // namespace

void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
              const TokenChoice& how, Random& random, const std::function<bool(int)>& take) {
  const double pieces = seconds["09-06"];  // of the prompt
  if (parts().encode)
    say_apart(words("  pieces    {} s to cut the prompt into {} tokens", formatted("%.2f", pieces),
                    prompt.size()));
  // The first run reads the weights, the second reorders them; then they are unpacked for the
  // parts.
  const double by_the_book = seconds_of_token(model, prompt[0], {}, 3);
  const double own = seconds_of_token(model, prompt[0], parts(), 2);
  say_apart(words("  a token   takes {} s with your parts, {} s with the book's",
                  formatted("%.3f", own), formatted("%.3f", by_the_book)));
  seconds.clear();
  const Stopwatch watch;
  int count = 0;
  generate_of_the_book(model, prompt, length, how, random, [&](int id) {
    ++count;
    return take(id);
  });
  const double total = watch.seconds();
  const std::string shares = shares_of(total);
  std::cout << std::flush;
  say_apart("");
  say_apart(words("  time      {} s for {} prompt tokens and {} new ones (your parts: {})",
                  formatted("%.1f", total), prompt.size(), count,
                  shares.empty() ? words("none of the time").str() : shares));
}

}  // namespace xf
