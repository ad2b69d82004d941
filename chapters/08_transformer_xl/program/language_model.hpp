#pragma once

#include <functional>
#include <string>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "08_transformer_xl/program/language_text.hpp"
#include "tensor/portable_math.hpp"
#include "train/model_directory.hpp"

namespace xf::language {

// A model with its tokenizer: what a model directory holds.
//   config.json   model.safetensors   text.vocab.txt or text.model
struct LanguageModel {
  Tokenizer tokenizer;
  AnySegmentModel model;
};

// Lengths that override those of the training; -1: as trained. None affects a parameter.
struct Lengths {
  int segment = -1, memory = -1, extended = -1;
  int clamp = -1;
  int same_length = -1;  // or 0, 1
};

// A fresh model, its vocabulary size taken from the tokenizer.
LanguageModel make_model(TransformerXlConfig config, Tokenizer tokenizer, Random random);

// Throws UserError naming the file, and the key or tensor in it, that is missing or wrong; also for
// lengths that exceed the free memory, before anything is allocated.
LanguageModel load_model(const std::string& directory, const Lengths& lengths, int rows);
// The same without the parameters' values; `weights` is the file that they will be loaded from.
LanguageModel load_description(const std::string& directory, const std::string& weights);
void save_description(const std::string& directory, const LanguageModel& model);

// Throws UserError naming the flag of a field with an impossible value.
void check_flags(const TransformerXlConfig& config);
// The same, and check_fits(), for everything that is known before the text is read.
void check_sizes(TransformerXlConfig config, int rows);

// Throws UserError when `rows` streams need more memory than is free, naming the flag of the
// largest length; the memory's flag is `memory_flag`.
//   remembered: N B M D numbers, twice while they are replaced;   scores: B H T (M + T) a layer
void check_fits(const TransformerXlConfig& config, int rows, bool training,
                const char* memory_flag = "--memory");

// The sum of -log p over a text, in nats, and the number of its tokens and characters.
struct Loss {
  double nats = 0, tokens = 0, characters = 0;

  double per_token() const { return nats / tokens; }
  double bits_per_character() const { return nats / characters / portable::log(2.0); }
};
// Predicts every token but the first <eos> once, regardless of the segment length. With more than
// one stream, each begins without a memory. done(n) reports n more tokens, from any thread.
using Done = std::function<void(double tokens)>;
Loss evaluate(const AnySegmentModel& model, const LanguageText& text, int rows = 1,
              const Done& done = {});

struct Sampling {
  int length = 200;
  double temperature = 1;  // 0: always the likeliest token
  int top_k = 0;           // only the k likeliest tokens; 0: all
  double top_p = 1;        // of these, the fewest that together have this probability
  std::uint64_t seed = 1;
};
// Samples the ids that follow `prompt` autoregressively, advancing the memory. With relative
// positions, each costs one step; a vanilla model recomputes up to a segment of tokens for each,
// and a model with memory and absolute positions the current segment so far. `take` is called with
// each id as soon as it is sampled, and returns whether to continue.
std::vector<int> generate(
    const AnySegmentModel& model, const std::vector<std::int32_t>& prompt, const Sampling& sampling,
    const std::function<bool(int)>& take = [](int) { return true; });

}  // namespace xf::language
