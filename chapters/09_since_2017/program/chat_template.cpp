#include "09_since_2017/program/chat_template.hpp"

#include <algorithm>
#include <utility>

#include "io/files.hpp"
#include "io/gguf.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"

namespace xf {

namespace {

bool has(const std::string& source, std::string_view word) {
  return source.find(word) != source.npos;
}

// The system prompt within ChatML's marks in the template itself, such as Qwen's "You are a helpful
// assistant.": plain text, not an expression.
std::string system_within(const std::string& source) {
  const std::string text = replaced(source, "\\n", "\n"), mark = "<|im_start|>system\n";
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size(), end = text.find("<|im_end|>", begin);
    if (end == text.npos) return "";
    const std::string words = text.substr(begin, end - begin);
    if (!words.empty() && words.find_first_of("{}'\"") == words.npos) return words;
  }
  return "";
}

std::string trimmed(const std::string& text) {
  const auto kept = [](char c) { return !ascii_space(c); };
  const auto first = std::find_if(text.begin(), text.end(), kept);
  const auto last = std::find_if(text.rbegin(), text.rend(), kept).base();
  return first < last ? std::string(first, last) : "";
}

// What an answer says after it has thought: Qwen3's template drops earlier <think>...</think>.
std::string without_thoughts(const std::string& answer) {
  const std::string mark = "</think>";
  const std::size_t at = answer.rfind(mark);
  if (at == answer.npos) return answer;
  const std::size_t first = answer.find_first_not_of('\n', at + mark.size());
  return first == answer.npos ? "" : answer.substr(first);
}

// The template's source and its location.
std::pair<std::string, std::string> source_of(const std::string& path) {
  const std::string key = "chat_template";
  if (const std::string file = GgufFile::of_model(path); !file.empty()) {
    const JsonObject settings = GgufFile::open(file).settings();
    return {settings.text("tokenizer." + key, ""), file + ": tokenizer." + key};
  }
  const std::string alone = path + "/chat_template.jinja";
  if (exists(alone)) return {read_file(alone), alone};
  const std::string within = path + "/tokenizer_config.json";
  if (!exists(within)) return {"", within + ": " + key};
  const JsonObject settings = JsonObject::read(within, JsonObject::tables);
  const nlohmann::json* several = settings.find(key);
  if (several && several->is_array())  // each with a name
    for (std::size_t i = 0; i < several->size(); ++i)
      if (const JsonObject one = settings.element(key, i); one.text("name") == "default")
        return {one.text("template"), within + ": " + key};
  return {several && several->is_array() ? "" : settings.text(key, ""), within + ": " + key};
}

}  // namespace

ChatTemplate ChatTemplate::of(const std::string& source, const std::string& place,
                              std::string begin, std::string end) {
  ChatTemplate found;
  found.begin_ = std::move(begin);
  found.end_ = std::move(end);
  if (has(source, "<|im_start|>") && has(source, "<|im_end|>")) {
    found.kind_ = Kind::chatml;
    found.begins_ = has(replaced(replaced(source, " ", ""), "-", ""), "{{bos_token");
    found.forgets_thoughts_ = has(source, "split('</think>')");
    found.opens_thought_ = has(replaced(source, "\\n", "\n"), "<|im_start|>assistant\n<think>\n");
    found.usual_system_ = system_within(source);
  } else if (has(source, "<|start_header_id|>") && !has(source, "date_string")) {
    found.kind_ = Kind::llama3;
  } else if (has(source, "[INST]") && has(source, "<<SYS>>")) {
    found.kind_ = Kind::llama2;
  } else if (has(source, "<|user|>") && has(source, "<|assistant|>") && has(source, "eos_token") &&
             !has(source, "<|end|>")) {
    found.kind_ = Kind::zephyr;
  } else if (source.empty()) {
    throw UserError("{}: there is none; this model was not made for conversations", place);
  } else {
    throw UserError("{}: only ChatML, Llama 2, Llama 3 and Zephyr are known, not {}", place,
                    shortened(source));
  }
  return found;
}

ChatTemplate ChatTemplate::of_model(const std::string& path, const PublishedModel& model,
                                    const PublishedTokenizer& tokenizer) {
  const auto [source, place] = source_of(path);
  return of(source, place, std::string(tokenizer.token(model.begin)),
            std::string(model.ends.empty() ? "" : tokenizer.token(model.ends.front())));
}

std::string ChatTemplate::end_of_turn() const {
  if (kind_ == Kind::chatml) return "<|im_end|>";
  return kind_ == Kind::llama3 ? "<|eot_id|>" : end_;
}

std::string ChatTemplate::text(const std::string& system, std::span<const ChatTurn> turns) const {
  std::string all;
  if (kind_ == Kind::llama2) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const bool told = i == 0 && !system.empty();
      const std::string words =
          (told ? "<<SYS>>\n" + system + "\n<</SYS>>\n\n" : "") + turns[i].user;
      all += begin_ + "[INST] " + trimmed(words) + " [/INST]";
      if (i + 1 < turns.size()) all += " " + trimmed(turns[i].answer) + " " + end_;
    }
    return all;
  }
  const auto say = [&](const std::string& role, const std::string& words, bool open = false) {
    if (kind_ == Kind::chatml)
      all += "<|im_start|>" + role + "\n" + words + (open ? "" : "<|im_end|>\n");
    else if (kind_ == Kind::llama3)
      all += "<|start_header_id|>" + role + "<|end_header_id|>\n\n" + trimmed(words) +
             (open ? "" : "<|eot_id|>");
    else
      all += "<|" + role + "|>\n" + words + (open ? "" : end_ + "\n");  // Zephyr
  };
  if (kind_ == Kind::llama3 || begins_) all += begin_;
  if (!system.empty()) say("system", system);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    say("user", turns[i].user);
    if (i + 1 < turns.size())
      say("assistant", forgets_thoughts_ ? without_thoughts(turns[i].answer) : turns[i].answer);
  }
  say("assistant", "", true);
  return opens_thought_ ? all + "<think>\n" : all;
}

}  // namespace xf
