#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "06_decoder/decoder.hpp"
#include "program/program.hpp"

namespace xf::lesson_06 {

struct Options : CommonOptions {
  bool no_timing = false;  // timings are the only difference between two runs
};

constexpr std::int32_t pad = 0, bos = 1, eos = 2;
inline const std::vector<std::string> english = {"<pad>", "<bos>",   "<eos>", "<unk>", "I",
                                                 "love",  "Beijing", "in",    "the",   "winter"};

// The sections of the lesson, in order.
// lesson_targets.cpp
void shifted_right();
void the_mask(const Options& options);
// lesson_layer.cpp
void one_layer(std::uint64_t seed);
void cross_attention(std::uint64_t seed);
// lesson_causal.cpp
void the_past_stays(const Options& options);
// lesson_cache.cpp
void cache_equals_recomputation(const Options& options);
void cost_of_a_step(const Options& options);
// lesson_pictures.cpp: for sections 2 and 6
void shifted_target(const Options& options);
void cache_steps(const Options& options);
// lesson_decoding.cpp
void teacher_forcing(std::uint64_t seed);
void when_to_stop(std::uint64_t seed);

}  // namespace xf::lesson_06
