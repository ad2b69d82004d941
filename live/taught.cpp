#include "live/taught.hpp"

#include "07_transformer/program/evaluation.hpp"
#include "07_transformer/search.hpp"
#include "live/language.hpp"
#include "live/maps.hpp"
#include "live/translation.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/portable_math.hpp"
#include "text/batches.hpp"

namespace xf::live {

namespace {

// The softmax probability of each right token.   logits: (1, T, V)   target: T ids
std::vector<double> p_of(const Tensor& logits, const std::vector<int>& target) {
  const Tensor log_p = log_softmax(logits);
  const Values values = log_p.values();
  const auto width = static_cast<std::size_t>(log_p.size(2));
  std::vector<double> p;
  for (std::size_t t = 0; t < target.size(); ++t)
    p.push_back(portable::exp(values[t * width + static_cast<std::size_t>(target[t])]));
  return p;
}

}  // namespace

Json taught(const Subject& subject, Fields& request) {
  const Translator& translator = subject.translator;
  const std::vector<SentencePair>& unseen = language().held_out;
  const int number = request.integer("number", 0, static_cast<int>(unseen.size()) - 1, 0);
  request.done();
  const SwitchedModel model(translator.model, subject.trained);
  const SentencePair& pair = unseen[static_cast<std::size_t>(number)];
  const std::vector<int> source = translator.encode_source(pair.english);
  std::vector<int> target = translator.target_tokenizer.encode(pair.chinese);
  std::vector<int> read = {bos_id};
  read.insert(read.end(), target.begin(), target.end());
  target.push_back(eos_id);

  const Ids source_ids({1, static_cast<int>(source.size())}, source);
  Recorder recorder({"scores", "weights"});
  const Tensor logits = model(source_ids, Ids({1, static_cast<int>(read.size())}, read));
  const std::string self = "decoder.layers.*.self_attention.";
  const Json scores = maps(recorder, self + "scores"), weights = maps(recorder, self + "weights");
  const auto most = target.size() + 2;
  const std::vector<int> written =
      model.translate(source_ids, {.max_length = static_cast<int>(most)}).front().tokens;
  return {{"source", named(translator.source_tokenizer, source)},
          {"read", named(translator.target_tokenizer, read)},
          {"target", named(translator.target_tokenizer, target)},
          {"p", p_of(logits, target)},
          {"causal", model.mask},
          {"scores", scores},
          {"weights", weights},
          {"written", named(translator.target_tokenizer, written)},
          {"ended", written.size() < most}};
}

}  // namespace xf::live
