#pragma once

#include <span>
#include <string>

#include "09_since_2017/program/published_model.hpp"

namespace xf {

// What a user says and what the model answers; the last turn has no answer yet.
struct ChatTurn {
  std::string user, answer = {};
};

// The format of conversations in a model's training. Models publish it as a Jinja template; the
// known ones are recognised by keywords.
class ChatTemplate {
 public:
  enum class Kind { chatml, llama2, llama3, zephyr };

  // The template in a model's own files: tokenizer.chat_template of GGUF, chat_template.jinja, or
  // chat_template in tokenizer_config.json. Throws UserError naming the file if there is none, or
  // no known one.
  static ChatTemplate of_model(const std::string& path, const PublishedModel& model,
                               const PublishedTokenizer& tokenizer);
  // The template with this source, found in `place`; texts begin and end with these tokens.
  static ChatTemplate of(const std::string& source, const std::string& place, std::string begin,
                         std::string end);

  Kind kind() const { return kind_; }
  // The system prompt if the user gives none; "": no system prompt.
  const std::string& usual_system() const { return usual_system_; }
  // The conversation up to where the next answer begins.
  std::string text(const std::string& system, std::span<const ChatTurn> turns) const;
  // The token that ends an answer.
  std::string end_of_turn() const;

 private:
  Kind kind_ = Kind::chatml;
  std::string begin_, end_, usual_system_;
  // Of ChatML's variants: the text begins with begin_; earlier answers are repeated without their
  // <think>...</think>; an answer begins within one.
  bool begins_ = false, forgets_thoughts_ = false, opens_thought_ = false;
};

}  // namespace xf
