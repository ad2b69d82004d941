#include "live/writing.hpp"

#include "07_transformer/program/kept_candidates.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/search_steps.hpp"
#include "tensor/portable_math.hpp"
#include "text/batches.hpp"
#include "text/likeliest.hpp"

namespace xf::live {

namespace {

constexpr std::size_t endless = 15;             // number of tokens shown of an endless translation
constexpr int shown = 5, shown_of_choice = 10;  // tokens of a step

// The log probabilities with tokens that are never written masked out.   log_p: (1, 1, V)
Tensor of_what_may_be_written(const Tensor& log_p) {
  constexpr float none = -1e4f;  // e^none is 0
  std::vector<float> numbers = log_p.values();
  for (const int id : {pad_id, bos_id, unk_id}) numbers[static_cast<std::size_t>(id)] = none;
  return Tensor::from(log_p.shape(), numbers);
}

// Samples tokens until <eos>, which is not included, or until there are `limit` of them.
std::vector<int> drawn(const SwitchedModel& model, const Ids& source, const TokenChoice& how,
                       std::uint64_t seed, std::size_t limit) {
  Random random(seed);
  std::vector<int> read = {bos_id};
  while (read.size() <= limit) {
    const auto length = static_cast<int>(read.size());
    const Tensor logits = model(source, Ids({1, length}, read));  // (1, T, V)
    const Tensor last = of_what_may_be_written(slice(logits, 1, length - 1, 1));
    const int token = chosen(choices(last.values(), how), random);
    if (token == eos_id) break;
    read.push_back(token);
  }
  return {read.begin() + 1, read.end()};
}

// The translation found by the search.
Written found(const SwitchedModel& model, const Ids& source, const SearchOptions& options,
              const Tokenizer& tokenizer) {
  std::vector<std::vector<SearchCandidate>> search;
  const auto best = model.translate(source, options, kept_candidates(search, tokenizer));
  Written written{.tokens = best.front().tokens};
  if (options.beam > 1) written.search = search_steps(search);
  return written;
}

}  // namespace

WritingOptions WritingOptions::read(Fields& request) {
  constexpr int widest = 100, max_k = 1 << 20, max_seed = 1 << 30;
  WritingOptions how{.beam = request.integer("beam", 1, widest, 1), .choice = {}, .seed = {}};
  if (request.has("choice")) {
    Fields fields = request.object("choice");
    how.choice = {.temperature = fields.number("temperature", 0, 100, 1),
                  .top_p = fields.number("top_p", 0, 1, 1),
                  .top_k = fields.integer("top_k", 0, max_k, 0)};
    fields.done();
  }
  if (request.has("seed")) {
    how.seed = static_cast<std::uint64_t>(request.integer("seed", 0, max_seed));
    if (!how.choice || how.beam > 1)
      request.fail("\"seed\" goes with a \"choice\", not with a beam");
  }
  return how;
}

Written write(const SwitchedModel& model, const Ids& source, const WritingOptions& how,
              const Tokenizer& tokenizer) {
  const SearchOptions search{.beam = how.beam};
  const auto at_least = std::max(endless, static_cast<std::size_t>(source.size(1)));
  const auto limit =
      how.seed ? at_least : static_cast<std::size_t>(2 * source.size(1) + search.extra_length);
  Written written = how.seed
                        ? Written{.tokens = drawn(model, source, *how.choice, *how.seed, limit)}
                        : found(model, source, search, tokenizer);
  if (written.tokens.size() < limit) {
    written.tokens.push_back(eos_id);
    return written;
  }
  written.cut_from = static_cast<int>(written.tokens.size());
  written.tokens.resize(std::min(written.tokens.size(), at_least));
  return written;
}

Json candidates(const Tensor& log_p, const WritingOptions& how, const Tokenizer& tokenizer) {
  Json list = Json::array();
  const auto one = [&](int id, double p) {
    return Json{{"token", tokenizer.piece(id)}, {"probability", p}};
  };
  if (!how.choice) {
    const std::vector<std::vector<Placed>> best = likeliest(log_p, shown);
    for (const Placed& token : best.front())
      list.push_back(one(token.index, portable::exp(token.value)));
    return list;
  }
  const Tensor writable = of_what_may_be_written(log_p);
  const Values all = log_p.values(), may = writable.values();
  const Choices tempered = choices(may, {.temperature = how.choice->temperature});
  const Choices kept = choices(may, *how.choice);
  const Choices plain = choices(may, {});
  for (std::size_t i = 0; i < std::min<std::size_t>(shown_of_choice, plain.ids.size()); ++i) {
    list.push_back(one(plain.ids[i], portable::exp(all[plain.ids[i]])));
    list.back()["tempered"] = i < tempered.p.size() ? tempered.p[i] : 0.0;
    list.back()["kept"] = i < kept.p.size() ? kept.p[i] : 0.0;
  }
  return list;
}

}  // namespace xf::live
