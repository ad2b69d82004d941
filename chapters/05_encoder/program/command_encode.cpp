#include <algorithm>
#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <numeric>

#include "05_encoder/program/commands.hpp"
#include "05_encoder/program/sentence_encoder.hpp"
#include "05_encoder/program/sentence_map.hpp"
#include "io/printable.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/top_k/top_k.hpp"
#include "speech/show.hpp"
#include "text/corpus.hpp"
#include "train/progress.hpp"

namespace xf::lesson_05 {

namespace {

struct EncodeFlags {
  std::string model, text, file, word;
  int nearest = 3;
  bool vectors = false, map = false;
};

struct Sentence {
  std::string text, place;  // "names.txt:12"
  std::size_t group = 0;    // blank lines separate the groups of a file
  std::vector<int> ids = {};
  Stretch stretch = {};  // the tokens to average over
};

// --text, and the lines of --text-file that are not blank.
std::vector<Sentence> sentences_of(const EncodeFlags& f) {
  std::vector<Sentence> all;
  if (!f.text.empty()) all.push_back({f.text, "--text"});
  if (f.file.empty()) return all;
  const std::vector<std::string> lines = read_lines(f.file);
  bool is_apart = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_blank = split_words(lines[i]).empty();
    if (!is_blank)
      all.push_back({lines[i], f.file + ":" + std::to_string(i + 1),
                     all.empty() ? 0 : all.back().group + is_apart});
    is_apart = is_blank;
  }
  if (std::ssize(all) < (f.text.empty() ? 1 : 2)) throw UserError("{}: no sentences in it", f.file);
  return all;
}

// All tokens, or those of the word's first occurrence.
Stretch stretch_of(const Sentence& sentence, const std::string& word,
                   const std::vector<int>& word_ids) {
  const std::vector<int>& ids = sentence.ids;
  if (word.empty()) return {0, static_cast<int>(ids.size())};
  const auto at = std::search(ids.begin(), ids.end(), word_ids.begin(), word_ids.end());
  if (at == ids.end()) throw UserError("{}: does not contain \"{}\"", sentence.place, word);
  const auto begin = static_cast<int>(at - ids.begin());
  return {begin, begin + static_cast<int>(word_ids.size())};
}

void cut(std::vector<Sentence>& sentences, const PublishedEncoder& encoder,
         const std::string& word) {
  check_utf8(word, "--word");
  const std::vector<int> word_ids = encoder.tokenizer.encode(word, false);
  if (!word.empty() && word_ids.empty()) throw UserError("{}: no tokens", "--word");
  for (Sentence& sentence : sentences) {
    sentence.ids = encoder.tokens(sentence.text, sentence.place);
    sentence.stretch = stretch_of(sentence, word, word_ids);
  }
}

// A direction for each sentence. Sentences of similar length share a batch, to keep padding small.
//   returns (N, D)
Tensor directions(const PublishedEncoder& encoder, const std::vector<Sentence>& sentences) {
  constexpr std::size_t max_tokens = 4096;
  std::vector<std::size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto length = [&](std::size_t i) { return sentences[i].ids.size(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return length(a) < length(b); });
  const int width = encoder.model.words.weight.size(1);
  Tensor all = Tensor::empty({static_cast<int>(sentences.size()), width});
  Meanwhile meanwhile(double(sentences.size()), "sentences");
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    std::vector<std::vector<int>> batch;
    std::vector<Stretch> stretches;
    for (; end < order.size(); ++end) {
      if (end > first && (end + 1 - first) * length(order[end]) > max_tokens) break;
      batch.push_back(sentences[order[end]].ids);
      stretches.push_back(sentences[order[end]].stretch);
    }
    const Values numbers = mean_directions(encoder.states(batch), stretches).values();
    for (std::size_t i = first; i < end; ++i)
      copy_into(all,
                std::span(numbers.data() + (i - first) * std::size_t(width), std::size_t(width)),
                std::ptrdiff_t(order[i]) * width);
    meanwhile.add(double(end - first));
  }
  return all;
}

void print_vectors(const Tensor& vectors) {
  const Values numbers = vectors.values();
  const int width = vectors.size(1);
  for (int row = 0; row < vectors.size(0); ++row)
    for (int i = 0; i < width; ++i)
      std::cout << formatted("%.7f", double(numbers[row * width + i]))
                << (i + 1 < width ? ' ' : '\n');
}

// For some of the sentences, their nearest neighbours among the others: all vectors have norm 1, so
// the cosine of two is their dot product.
void print_nearest(const std::vector<Sentence>& sentences, const Tensor& vectors, int asked,
                   int count) {
  constexpr int rows = 64;  // at a time: all at once would need N x N
  for (int first = 0; first < asked; first += rows) {
    const Tensor some = slice(vectors, 0, first, std::min(rows, asked - first));
    const Tensor cosines = matmul(some, vectors, Transpose::yes);  // (rows, N)
    const std::vector<Placed> near = top_k(cosines, count + 1);    // itself, too
    const std::size_t each = near.size() / std::size_t(some.size(0));
    for (std::size_t row = 0; row < std::size_t(some.size(0)); ++row) {
      std::cout << sentences[std::size_t(first) + row].text << '\n';
      int left = count;
      for (std::size_t i = row * each; i < (row + 1) * each; ++i)
        if (near[i].index != first + int(row) && left-- > 0)
          std::cout << formatted("  %6.3f  ", double(near[i].value))
                    << sentences[std::size_t(near[i].index)].text << '\n';
    }
  }
}

// The maximum number of sentences: each step of the map compares all pairs.
constexpr std::size_t max_mapped = 2000;

void write_map(const std::vector<Sentence>& sentences, const Tensor& vectors,
               const CommonOptions& common) {
  std::vector<MappedSentence> all;
  for (const Sentence& one : sentences) all.push_back({one.text, one.group});
  const std::vector<Placed> near = top_k(matmul(vectors, vectors, Transpose::yes), 2);
  std::size_t alike = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_itself = near[2 * i].index == int(i);
    alike += all[std::size_t(near[2 * i + is_itself].index)].group == all[i].group;
  }
  if (all.back().group > 0)
    say("Of {} sentences, {} have their nearest sentence in their own group.", all.size(), alike);
  write_picture(common, "sentences.svg", sentence_map_svg(all, vectors, common.seed));
}

void check_map(const EncodeFlags& f, const std::vector<Sentence>& sentences) {
  if (!f.map) return;
  if (f.file.empty()) throw UserError("--map: give --text-file, with the sentences to draw");
  if (sentences.size() < 3 || sentences.size() > max_mapped)
    throw UserError("{}: {} sentences, but --map takes 3 to {}", f.file, sentences.size(),
                    max_mapped);
}

int run_encode(const EncodeFlags& f, const CommonOptions& common) {
  if (f.text.empty() && f.file.empty()) throw UserError("encode: give --text or --text-file");
  std::vector<Sentence> sentences = sentences_of(f);
  check_map(f, sentences);
  const PublishedEncoder encoder = PublishedEncoder::load(f.model);
  cut(sentences, encoder, f.word);
  const Tensor vectors = directions(encoder, sentences);
  if (f.map)
    write_map(sentences, vectors, common);
  else if (f.vectors || f.file.empty())
    print_vectors(vectors);
  else
    print_nearest(sentences, vectors, f.text.empty() ? int(sentences.size()) : 1, f.nearest);
  return 0;
}

}  // namespace

void add_encoder_flag(CLI::App& app, std::string& path) {
  app.add_option("--model", path, "the directory of a published BERT-like encoder")
      ->type_name("DIR")
      ->required();
}

Command add_encode(CLI::App& app) {
  auto f = std::make_shared<EncodeFlags>();
  add_encoder_flag(app, f->model);
  app.add_option("--text", f->text, "a sentence; its vector is printed if it is given alone");
  app.add_option("--text-file", f->file,
                 "sentences, one per line; prints those nearest to each, or those nearest to "
                 "--text")
      ->type_name("FILE");
  integer_flag(app, "--nearest", f->nearest, "how many of them", 1);
  auto* const vectors = app.add_flag("--vectors", f->vectors, "the vectors instead, one per line");
  app.add_flag("--map", f->map, "a picture of all sentences; blank lines separate their groups")
      ->excludes(vectors);
  app.add_option("--word", f->word,
                 "compare this word as the sentences use it, instead of the sentences")
      ->type_name("WORD");
  return [f](const CommonOptions& common) { return run_encode(*f, common); };
}

}  // namespace xf::lesson_05
