#include "09_since_2017/program/chat_template.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "support/errors.hpp"

// golden/chat_templates.json: what Jinja writes (golden/chat_templates.py).
namespace xf::test {

TEST_CASE("chat_template: a conversation is written as the model's own template writes it") {
  const auto golden = nlohmann::json::parse(read_file(XF_TEST_DATA "/chat_templates.json"));
  CHECK(golden.size() == 9);
  for (const auto& [name, model] : golden.items()) {
    CAPTURE(name);
    const auto text = [&](const char* key) { return model[key].get<std::string>(); };
    const ChatTemplate chat = ChatTemplate::of(text("source"), "m", text("begin"), text("end"));
    CHECK(chat.end_of_turn() == text("end"));
    for (const auto& one : model["texts"]) {
      std::vector<ChatTurn> turns;
      for (std::size_t i = 0; i < one["words"].size(); i += 2)
        turns.push_back(
            {one["words"][i].get<std::string>(),
             i + 1 < one["words"].size() ? one["words"][i + 1].get<std::string>() : ""});
      const auto system = one["system"].get<std::string>();
      CHECK(chat.text(system.empty() ? chat.usual_system() : system, turns) ==
            one["text"].get<std::string>());
    }
  }
}

TEST_CASE("chat_template: another one is named, and none is guessed") {
  const auto said = [](const std::string& source) {
    return user_error([&] { ChatTemplate::of(source, "f: chat_template", "", "</s>"); });
  };
  CHECK(said("").starts_with("f: chat_template: there is none"));
  for (const char* source : {"{{ '[INST] ' + content + ' [/INST]' }}",
                             "<|user|>{{ content }}<|end|><|assistant|>eos_token",
                             "<|start_header_id|>{{ date_string }}", "<start_of_turn>user",
                             "<|im_start|>{{ content }}</s>"})
    CHECK(
        said(source).starts_with("f: chat_template: only ChatML, Llama 2, Llama 3 and Zephyr are"));
}

}  // namespace xf::test
