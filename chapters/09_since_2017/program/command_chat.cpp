#include <unistd.h>

#include <algorithm>
#include <CLI/App.hpp>
#include <csignal>
#include <iostream>
#include <limits>
#include <memory>

#include "09_since_2017/program/chat_template.hpp"
#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/utf8.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"
#include "text/line_reader.hpp"

namespace xf::since_2017 {

namespace {

struct ChatFlags {
  std::string model, system;
  int length = 512;
  TokenChoice choice{.temperature = 0.7, .top_p = 0.9};
  WeightPrecision precision = WeightPrecision::float32;
};

// A conversation: what has been said so far, and the model that answers.
class Chat {
 public:
  Chat(const ChatFlags& f, std::uint64_t seed)
      : flags_(f),
        published_(load_published_model(f.model)),
        tokenizer_(load_published_tokenizer(f.model, published_)),
        template_(ChatTemplate::of_model(f.model, published_, tokenizer_)),
        system_(f.system.empty() ? template_.usual_system() : f.system),
        positions_(published_.max_positions > 0 ? published_.max_positions
                                                : std::numeric_limits<int>::max()),
        ends_(published_.ends),
        random_(seed) {
    if (const int end = tokenizer_.added(template_.end_of_turn()); end >= 0) ends_.push_back(end);
  }

  const DecoderOnly& model() const { return published_.model; }

  // Reads the beginning of every conversation in advance, so that the first answer comes sooner.
  void read_ahead() {
    const ChatTurn empty[] = {{}};
    const std::vector<int> ids = tokens_of(empty);
    if (!ids.empty() && std::ssize(ids) <= positions_) read_on(model(), rest_of(ids, read_), read_);
  }

  // Writes the answer as it is generated. Throws UserError if the line itself is too long.
  void answer(const std::string& line) {
    turns_.push_back({line});
    const std::vector<int> prompt = prompt_that_fits();
    const auto left = positions_ - static_cast<int>(prompt.size()) + 1;
    TokenText text = tokenizer_.text();
    std::string& said = turns_.back().answer;
    const auto write = [&](const std::string& more) {
      said += more;
      std::cout << more << std::flush;
    };
    generate(
        published_.model, prompt, std::min(flags_.length, left), flags_.choice, random_,
        [&](int id) {
          if (std::count(ends_.begin(), ends_.end(), id)) return false;
          std::string more;
          tokenizer_.append(id, text, more);
          write(more);
          return !interrupted();
        },
        read_);
    write(text.end());
    std::cout << "\n\n" << std::flush;
  }

 private:
  std::vector<int> tokens_of(std::span<const ChatTurn> turns) const {
    return tokenizer_.encode(template_.text(system_, turns), false);
  }

  // The conversation as tokens. The oldest turns are dropped if there is no room for an answer.
  std::vector<int> prompt_that_fits() {
    const int room = positions_ - std::min(flags_.length, positions_ / 4);
    std::size_t gone = 0;
    std::vector<int> ids = tokens_of(turns_);
    while (std::ssize(ids) > room) {
      if (gone + 1 == turns_.size()) {
        turns_.pop_back();
        throw UserError("this turn has {} tokens, too many for {} positions", ids.size(),
                        positions_);
      }
      ids = tokens_of(std::span(turns_).subspan(++gone));
    }
    turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(gone));
    if (gone > 0)
      std::cerr
          << words("the oldest turns ({}) are left out, because the model has only {} positions",
                   gone, positions_)
                 .str()
          << '\n';
    return ids;
  }

  const ChatFlags& flags_;
  PublishedModel published_;
  PublishedTokenizer tokenizer_;
  ChatTemplate template_;
  std::string system_;
  int positions_;
  std::vector<int> ends_;
  Random random_;
  std::vector<ChatTurn> turns_;
  TextSoFar read_;  // of earlier turns, a prefix of the next prompt
};

// The user's next line; false at the end of the input.
bool next_line(LineReader& lines, std::string& line) {
  line.clear();
  do {
    if (!lines.next()) return !line.empty();
    line += lines.piece();
  } while (!lines.ends());
  return true;
}

// In a terminal, Ctrl-C stops the answer; at the input prompt, it ends the program.
int run_chat(const ChatFlags& f, const CommonOptions& common) {
  check_utf8(f.system, "--system");
  Chat chat(f, common.seed);
  const DecodingSession session(weights(chat.model()), f.precision);
  chat.read_ahead();
  const bool asks = ::isatty(STDIN_FILENO) == 1;
  LineReader lines = LineReader::of_standard_input();
  catch_interrupts();
  for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // nothing to save
  int code = 0;
  std::string line;
  while (true) {
    interrupted() = asks;  // so that Ctrl-C now ends the program
    if (asks) std::cout << "> " << std::flush;
    if (!next_line(lines, line) || !std::cout) break;
    interrupted() = false;
    if (split_words(line).empty()) continue;
    try {
      chat.answer(line);
    } catch (const UserError& error) {
      say_error(error.message);
      code = asks ? 0 : 2;
    }
    if (!asks && interrupted()) break;
  }
  if (asks) std::cout << '\n';
  interrupted() = false;
  return code;
}

}  // namespace

Command add_chat(CLI::App& app) {
  auto f = std::make_shared<ChatFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--system", f->system, "what the model is told first (default: the model's own)");
  integer_flag(app, "--length", f->length, "maximum tokens of an answer", 1);
  add_choice_flags(app, f->choice);
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions& common) { return run_chat(*f, common); };
}

}  // namespace xf::since_2017
