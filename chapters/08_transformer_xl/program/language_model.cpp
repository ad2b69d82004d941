#include "08_transformer_xl/program/language_model.hpp"

#include <algorithm>

#include "distributed/shared_work.hpp"
#include "io/config.hpp"
#include "io/files.hpp"
#include "io/free_memory.hpp"
#include "io/safetensors.hpp"
#include "ops/shape/shape_ops.hpp"
#include "text/likeliest.hpp"
#include "train/data_parallel.hpp"

namespace xf::language {

namespace {

constexpr const char* stem = "text";  // of the vocabulary's file name

// A lower bound on the number of weights in the matrices. A double, because a damaged config may
// ask for more than an integer holds.
double weight_count(const TransformerXlConfig& c) {
  const double d = c.d_model, heads = double(c.heads) * c.head_size();  // total width of all heads
  const double layer = c.kind == ModelKind::lstm ? 9 * d * c.d_ff : 4 * d * heads + 2 * d * c.d_ff;
  const std::vector<int> widths = word_widths(c);
  std::vector<int> begins = cutoff_list(c.cutoffs, c.vocabulary);
  begins.push_back(c.vocabulary);
  double words = double(begins[0]) * widths[0];
  for (std::size_t i = 1; i < widths.size(); ++i)
    words += double(begins[i] - begins[i - 1]) * widths[i];
  return c.layers * layer + words;
}

// A model of the config with the directory's tokenizer; its parameters are not filled in.
LanguageModel load(const std::string& directory, const TransformerXlConfig& config) {
  return make_model(config,
                    load_tokenizer(directory, stem, config.level, config.vocabulary, "vocabulary"),
                    Random::none());
}

// The sum of -log p over one group of streams.
double nats_of(const AnySegmentModel& model, const Streams& streams, int first, int last,
               const Done& done) {
  const TransformerXlConfig& c = model.config;
  Memory memory = model.start(Remembered::keys);
  double nats = 0;
  for (std::ptrdiff_t begin = 0; begin < streams.length(); begin += c.segment) {
    const Streams::Piece piece = streams.piece(first, last, begin, c.segment, c.extended);
    const Tensor h = model.hidden(piece.ids, memory);  // (B, E + T, D)
    const int t = piece.expected.size(1);
    for (float log_p : model.output.log_likelihood(slice(h, 1, h.size(1) - t, t), piece.expected))
      nats -= log_p;
    if (done) done(piece.counted);
  }
  return nats;
}

// Reads a text piece by piece and predicts what comes next: returns logits (1, T, V), where the
// last row is for the token after `ids`. Between pieces it keeps the keys and values, or the state
// of an LSTM.
class SegmentReader {
 public:
  explicit SegmentReader(const AnySegmentModel& model)
      : model_(model), memory_(model.start(Remembered::keys)) {
    memory_.extended_length = 0;  // every token is read once
  }

  Tensor read(const std::vector<std::int32_t>& ids) {
    const auto count = static_cast<std::ptrdiff_t>(ids.size());
    Tensor last;
    for (std::ptrdiff_t begin = 0; begin < count; begin += model_.config.segment) {
      const auto t = std::min<std::ptrdiff_t>(model_.config.segment, count - begin);
      const std::span<const std::int32_t> piece(ids.data() + begin, static_cast<std::size_t>(t));
      last = model_(Ids({1, static_cast<int>(t)}, piece), memory_);
    }
    return last;
  }

 private:
  const AnySegmentModel& model_;
  Memory memory_;
};

// The same for absolute positions: a key depends on its position in the window and is recomputed
// when the window moves. With recurrence, the window is the segment that is not full yet.
class WindowReader {
 public:
  explicit WindowReader(const AnySegmentModel& model) : model_(model), memory_(model.start()) {
    memory_.extended_length = 0;
  }

  Tensor read(const std::vector<std::int32_t>& ids) {
    const auto segment = static_cast<std::size_t>(model_.config.segment);
    if (model_.config.kind == ModelKind::vanilla) {
      window_.insert(window_.end(), ids.begin(), ids.end());
      if (window_.size() > segment)
        window_.erase(window_.begin(), window_.end() - model_.config.segment);
      return logits();
    }
    Tensor last;
    for (auto next = ids.begin(); next != ids.end();) {
      if (window_.size() < segment)
        memory_ = before_;
      else
        before_ = memory_, window_.clear();
      const auto take =
          std::min(static_cast<std::ptrdiff_t>(segment - window_.size()), ids.end() - next);
      window_.insert(window_.end(), next, next + take);
      next += take;
      last = logits();
    }
    return last;
  }

 private:
  Tensor logits() { return model_(Ids({1, static_cast<int>(window_.size())}, window_), memory_); }

  const AnySegmentModel& model_;
  Memory memory_, before_ = memory_;  // after and before the tokens of the window
  std::vector<std::int32_t> window_;  // the tokens that are read at once
};

// Samples the token after the last one.   logits: (1, T, V)
int sample(const Tensor& logits, const Sampling& sampling, Random& random) {
  const bool greedy = sampling.temperature == 0;
  const int most = greedy ? 1 : sampling.top_k > 0 ? sampling.top_k : logits.size(-1);
  const Tensor last = slice(logits, 1, logits.size(1) - 1, 1);  // (1, 1, V)
  const std::vector<Placed> best = likeliest(last, most).front();
  if (greedy) return best[0].index;
  double total = 0;
  std::vector<double> weights;
  for (const Placed& token : best) {
    weights.push_back(portable::exp(double(token.value - best[0].value) / sampling.temperature));
    total += weights.back();
  }
  double kept = 0;
  std::size_t count = 0;
  while (count == 0 || (count < weights.size() && kept < sampling.top_p * total))
    kept += weights[count++];
  double left = random.uniform() * kept;
  for (std::size_t i = 0; i < count; ++i)
    if ((left -= weights[i]) < 0) return best[i].index;
  return best[count - 1].index;
}

template <class Reader>
std::vector<int> go_on(Reader reader, const std::vector<std::int32_t>& prompt,
                       const Sampling& sampling, const std::function<bool(int)>& take) {
  Tensor logits = reader.read(prompt);
  Random random(sampling.seed);
  std::vector<int> made;
  while (true) {
    made.push_back(sample(logits, sampling, random));
    if (!take(made.back()) || static_cast<int>(made.size()) == sampling.length) return made;
    logits = reader.read({made.back()});
  }
}

}  // namespace

LanguageModel make_model(TransformerXlConfig config, Tokenizer tokenizer, Random random) {
  config.vocabulary = tokenizer.size();
  config.level = tokenizer.kind();
  return {std::move(tokenizer), AnySegmentModel(config, random)};
}

void check_flags(const TransformerXlConfig& config) {
  as_flags([&] { checked(config); });
}

void check_sizes(TransformerXlConfig config, int rows) {
  config.vocabulary = special_count;
  config.cutoffs = "";  // the vocabulary is not known yet
  check_flags(config);
  check_fits(config, rows, true);
}

void check_fits(const TransformerXlConfig& c, int rows, bool training, const char* memory_flag) {
  check_memory("--d-model, --d-ff, --layers and the vocabulary: such a model",
               (training ? bytes_of_trained_weight : sizeof(float)) * weight_count(c));
  const double keys = double(c.memory) + c.extended + c.segment, queries = c.extended + c.segment;
  const double width = std::max(double(c.d_model), double(c.heads) * c.head_size());
  const double remembered = 2.0 * c.layers * rows * c.memory * width;
  const double positions = (2.0 + c.layers) * keys * width;
  const double a_layer = rows * (3 * keys * width + 3.0 * c.heads * queries * keys);
  const double bytes = 4 * (remembered + positions + a_layer * (training ? c.layers : 1));
  const std::pair<int, const char*> lengths[] = {{c.memory, memory_flag},
                                                 {c.segment, "--segment"},
                                                 {c.extended, "--extended"},
                                                 {rows, "--batch"}};
  const auto [most, flag] =
      *std::max_element(std::begin(lengths), std::end(lengths),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
  check_memory(words("{} {}:", std::string(flag), most), bytes);
}

LanguageModel load_model(const std::string& directory, const Lengths& lengths, int rows) {
  auto config = read_config<TransformerXlConfig>(directory, checked);
  if (lengths.segment >= 0) config.segment = lengths.segment;
  if (lengths.memory >= 0) config.memory = lengths.memory;
  if (lengths.extended >= 0) config.extended = lengths.extended;
  if (lengths.clamp >= 0) config.clamp = lengths.clamp;
  if (lengths.same_length >= 0) config.same_length = lengths.same_length > 0;
  check_flags(config);
  check_file_size(directory, weights_path(directory), weight_count(config));
  check_fits(config, rows, false);
  LanguageModel model = load(directory, config);
  load_parameters(weights_path(directory), parameters(model.model));
  return model;
}

LanguageModel load_description(const std::string& directory, const std::string& weights) {
  const auto config = read_config<TransformerXlConfig>(directory, checked);
  check_file_size(directory, weights, weight_count(config));
  return load(directory, config);
}

void save_description(const std::string& directory, const LanguageModel& model) {
  make_directory(directory);
  model.tokenizer.save(directory, stem);
  write_file_atomically(config_path(directory), to_json(model.model.config));
}

Loss evaluate(const AnySegmentModel& model, const LanguageText& text, int rows, const Done& done) {
  const Streams streams{text.ids, rows};
  const int groups = std::min(rows, shards_of_batch());
  const auto nats = share_numbers(groups, [&](int i) {
    const int first = rows * i / groups, last = rows * (i + 1) / groups;
    return std::vector{nats_of(model, streams, first, last, done)};
  });
  Loss loss{.tokens = double(text.predictions()), .characters = text.characters};
  for (const std::vector<double>& part : nats) loss.nats += part[0];
  return loss;
}

std::vector<int> generate(const AnySegmentModel& model, const std::vector<std::int32_t>& prompt,
                          const Sampling& sampling, const std::function<bool(int)>& take) {
  if (model.stack.is<Vanilla>()) return go_on(WindowReader(model), prompt, sampling, take);
  return go_on(SegmentReader(model), prompt, sampling, take);
}

}  // namespace xf::language
