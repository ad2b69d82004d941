#include "live/unseen.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "07_transformer/experiments/own_language.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "io/utf8.hpp"
#include "live/language.hpp"
#include "text/batches.hpp"

namespace xf::live {

namespace {

// The length limit leaves room for a translation as long as the expected one, and its <eos>.
int least_extra_length(const Translator& translator, const ParallelText& text) {
  int most = std::numeric_limits<int>::min();
  for (const Example& pair : encode_pairs(translator, text.source, text.target))
    most = std::max(
        most, static_cast<int>(pair.target.size()) + 1 - 2 * static_cast<int>(pair.source.size()));
  return most;
}

std::vector<std::string> translated(const Translator& translator, const SwitchedModel& model,
                                    const ParallelText& text, const SearchOptions& options) {
  constexpr std::size_t at_once = 64;
  const std::vector<Example> pairs = encode_pairs(translator, text.source, text.target);
  std::vector<std::string> lines;
  while (lines.size() < pairs.size()) {
    std::vector<int> which(std::min(at_once, pairs.size() - lines.size()));
    std::iota(which.begin(), which.end(), static_cast<int>(lines.size()));
    for (const Hypothesis& best : model.translate(make_batch(pairs, which).source, options))
      lines.push_back(translator.target_tokenizer.decode(best.tokens));
  }
  return lines;
}

}  // namespace

Marked marked(const Translator& translator, const Switches& switches, Fields& request) {
  const std::vector<SentencePair>& unseen = language().held_out;
  const auto all = static_cast<int>(unseen.size());
  const int first = request.integer("first", 0, all - 1, 0);
  const int count = std::min(request.integer("count", 1, all, 50), all - first);
  request.done();
  const auto begin = unseen.begin() + first;
  const ParallelText text = lesson_07::parallel_text({begin, begin + count});
  const std::vector<std::string> written =
      translated(translator, SwitchedModel(translator.model, switches), text,
                 {.extra_length = least_extra_length(translator, text)});
  Marked marked{.right = {}, .wrong = {}, .held_out = all};
  for (std::size_t i = 0; i < written.size(); ++i)
    (written[i] == text.target[i] ? marked.right : marked.wrong)
        .push_back({{"number", first + static_cast<int>(i)},
                    {"source", text.source[i]},
                    {"expected", text.target[i]},
                    {"written", written[i]}});
  return marked;
}

Json broken(const Subject& subject, Fields& request) {
  const Switches switches = subject.switches(request.object("switches"));
  const Marked found = marked(subject.translator, switches, request);
  return {{"of", found.right.size() + found.wrong.size()},
          {"held_out", found.held_out},
          {"wrong", found.wrong}};
}

}  // namespace xf::live
