// `./learn mine`: chapter 7's commands and chapter 9's `generate`, made of the learner's parts, and
// the commands that compare them.

#include <CLI/App.hpp>
#include <span>

#include "00_foundations/lesson.hpp"
#include "02_attention/lesson.hpp"
#include "05_encoder/lesson.hpp"
#include "07_transformer/experiments/own_language.hpp"
#include "07_transformer/program/commands.hpp"
#include "08_transformer_xl/experiments/lesson.hpp"
#include "09_since_2017/program/commands.hpp"
#include "io/files.hpp"
#include "language/language.hpp"

namespace xf {

Command add_compare(CLI::App& app);  // compare.cpp

namespace {

// Writes the little language of lesson 7 to files for `./learn mine train`.
Command add_language(CLI::App&) {
  return [](const CommonOptions& common) {
    const CorpusSplit split = lesson_07::language_split();
    const auto write = [&](const char* name, std::span<const SentencePair> pairs, auto line_of) {
      std::string text;
      for (const SentencePair& pair : pairs) text += line_of(pair) + "\n";
      write_file_atomically(output_path(common, name), text);
    };
    const auto both = [](const SentencePair& p) { return p.english + "\t" + p.chinese; };
    const std::span held_out(split.held_out);
    write("train.tsv", split.train, both);
    write("valid.tsv", held_out.first(100), both);
    write("test.en", held_out.subspan(100, 500), [](const SentencePair& p) { return p.english; });
    write("test.zh", held_out.subspan(100, 500), [](const SentencePair& p) { return p.chinese; });
    return 0;
  };
}

// A section of a lesson, in the language of the run, but with the learner's parts. It loads the
// chapter's own catalogue, because a few short names are translated differently in different
// chapters.
Command told(const char* chapter, void (*run)(const CommonOptions&)) {
  return [=](const CommonOptions& common) {
    add_catalogue(read_file(std::string(XF_CHAPTERS "/") + chapter + "/zh.po"),
                  Entries::may_replace);
    return alone(run)(common);
  };
}

Command add_letters(CLI::App&) { return told("00_foundations", lesson_00::training); }
Command add_alignment(CLI::App&) {
  return told("02_attention", [](const CommonOptions& common) { lesson_02::alignment({common}); });
}
Command add_games(CLI::App&) {
  return told("05_encoder",
              [](const CommonOptions& common) { lesson_05::ambiguous_word(common.seed); });
}
Command add_recall(CLI::App&) { return told("08_transformer_xl", lesson_08::recall); }

}  // namespace

}  // namespace xf

int main(int argc, char** argv) {
  using namespace xf;
  const auto none = [](const CommonOptions&) -> int {
    throw UserError("which command? --help lists them");
  };
  return run_commands(
      argc, argv, "Chapter 7's program, and chapter 9's generate, made of your own parts",
      "out/mine",
      {{"language", "write the little language of lesson 7 as files", add_language},
       {"train", "train a translator on sentence pairs; --out is the model directory", add_train,
        Arithmetic::same},
       {"translate", "translate standard input, one sentence per line", add_translate,
        Arithmetic::same},
       {"evaluate", "BLEU and perplexity on a parallel text", add_evaluate, Arithmetic::same},
       {"score", "log p(target | source) of every pair of a parallel text", add_score,
        Arithmetic::same},
       {"attend", "draw the attention of every layer and head for a sentence", add_attend,
        Arithmetic::same},
       {"generate",
        "continue a prompt with a published model: GPT-2, Llama, Mistral, Qwen2 or Qwen3",
        since_2017::add_generate},
       {"compare", "train with your parts and with the book's, and name what differs", add_compare,
        Arithmetic::same},
       {"letters", "what training is: letters counted and learned, as in lesson 0", add_letters,
        Arithmetic::same},
       {"alignment", "a recurrent translator with one vector, and with attention, as in lesson 2",
        add_alignment, Arithmetic::same},
       {"games", "an encoder that tells which Games are meant, as in lesson 5", add_games,
        Arithmetic::same},
       {"recall", "Transformer-XL recalls what came before the segment, as in lesson 8", add_recall,
        Arithmetic::same}},
      none, 1);
}
