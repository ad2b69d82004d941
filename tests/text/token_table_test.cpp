#include "text/token_table.hpp"

#include <doctest/doctest.h>
#include <malloc.h>

#include "io/json_object.hpp"
#include "support/errors.hpp"
#include "support/peak_memory.hpp"
#include "support/repeated.hpp"
#include "support/sanitized.hpp"
#include "support/temporary.hpp"
#include "text/marian_vocabulary.hpp"
#include "text/published_tokenizer.hpp"

namespace xf::test {

namespace {

// A name that no smaller number has, as short as letters allow.
std::string short_name(int number) {
  std::string name;
  for (; number >= 0; number = number / 52 - 1)
    name += static_cast<char>((number % 52 < 26 ? 'a' : 'A' - 26) + number % 52);
  return name;
}

// {"a":0,"b":1,...} of so many tokens, `more` before it.
std::string vocabulary(int tokens, const std::string& more = "") {
  std::string json = "{" + more;
  for (int id = 0; id < tokens; ++id)
    json +=
        (id ? ",\"" : "\"") + short_name(id) + "\":" + std::to_string(id + (more.empty() ? 0 : 3));
  return json + "}";
}
// What reading takes at most, while it reads and whatever comes of it, is four times the file's
// size, and what every process has for itself.
enum class Wanted { read, refused };
template <class Read>
void expect_little_memory(const std::string& what, const std::string& json, Wanted wanted,
                          const Read& read) {
  malloc_trim(0);
  reset_peak_memory();
  const double before = peak_mebibytes(), size = double(json.size()) / (1 << 20);
  Wanted found = Wanted::read;
  try {
    read();
  } catch (const UserError&) {
    found = Wanted::refused;
  }
  CHECK_MESSAGE(found == wanted, what);
  const double taken = peak_mebibytes() - before;
  MESSAGE(what << ": " << size << " MiB, " << taken << " MiB to read it");
  CHECK_MESSAGE(taken < 4 * slowdown * size + 1.5 * slowdown, what);
}

}  // namespace

TEST_CASE("token_table: ids with gaps, there and back") {
  TokenTable table;
  table.add("b", 7);
  table.add("", 9);
  table.add("ab", 2);
  table.finish("hand");
  CHECK(table.count() == 3);
  CHECK(table.last() == 9);
  CHECK(table.find("ab") == 2);
  CHECK(table.find("b") == 7);
  CHECK(table.find("") == 9);
  CHECK(table.find("a") == -1);
  CHECK(table.token(7) == "b");
  CHECK(table.token(3).empty());
  CHECK(TokenTable().find("a") == -1);
  CHECK(TokenTable().last() == -1);
}

TEST_CASE("token_table: every token of many is found") {
  std::vector<std::string> tokens;
  for (int i = 0; i < 10'000; ++i) tokens.push_back(short_name(i));
  const TokenTable table(tokens);
  for (int i = 0; i < 10'000; ++i) {
    CHECK(table.find(tokens[std::size_t(i)]) == i);
    CHECK(table.token(i) == tokens[std::size_t(i)]);
  }
}

TEST_CASE("token_table: what is wrong is named") {
  const auto of = [](const std::string& json) {
    TokenTable table;
    const auto take = [&](const std::string& token, const nlohmann::json& id) {
      table.take("t.json: model.vocab.", token, id);
    };
    JsonObject::parse(json, "t.json", {{"model.vocab", take}});
    table.finish("t.json");
    return table;
  };
  const auto refused = [&](const std::string& json, const std::string& problem) {
    expect_user_error([&] { of(json); }, {problem.c_str()});
  };
  refused(R"({"model":{"vocab":{"a":0,"a":1}}})", "t.json: the key \"a\" occurs twice");
  refused(R"({"model":{"vocab":{"a":4,"b":4}}})", "t.json: a and b have the same id, 4");
  refused(R"({"model":{"vocab":{"a":-1}}})",
          "t.json: model.vocab.a: expected an integer of at least 0, not -1");
  refused(R"({"model":{"vocab":{"a":99999999}}})", "t.json: model.vocab.a: the id 99999999");
  refused(R"({"model":{"vocab":{"a":[1]}}})", "t.json: model.vocab.a: a list or an object");
  const TokenTable elsewhere =
      of(R"({"model.vocab":{"a":1},"vocab":{"b":1},"model":[{"vocab":{"c":1}}]})");
  CHECK(elsewhere.count() == 0);
}

TEST_CASE("published tables: reading them takes at most four times their size") {
  const TemporaryDirectory folder, two;
  const auto tokenizer = [&](const std::string& what, Wanted wanted, const std::string& tokens,
                             const std::string& merges, const std::string& more = "") {
    const std::string json = "{" + more + R"("model":{"type":"BPE","merges":[)" + merges +
                             R"(],"vocab":)" + tokens + "}}";
    folder.file("tokenizer.json", json);
    expect_little_memory(what, json, wanted, [&] { PublishedTokenizer::load(folder.path, {}); });
  };
  constexpr int many = 300'000;
  const auto list = [](const std::string& part, int times) {
    return repeated(part + ",", times) + part;
  };
  const std::string few = R"({"a":0,"b":1,"ab":2})";
  tokenizer("short tokens", Wanted::read, vocabulary(many), "");
  tokenizer("short merges", Wanted::read, few, list("\"a b\"", many));
  tokenizer("merges as pairs", Wanted::read, few, list("[\"a\",\"b\"]", many));
  tokenizer("merges that are none", Wanted::refused, few, list("[]", many));
  tokenizer("one long token", Wanted::refused, "{\"" + std::string(many * 10, 'x') + "\":0}", "");
  tokenizer("digits beside it", Wanted::refused, few, "", "\"note\":[" + list("1", many) + "],");
  tokenizer("objects beside it", Wanted::refused, few, "", "\"note\":[" + list("{}", many) + "],");
  tokenizer("one added token", Wanted::read, few, "",
            "\"added_tokens\":[" + list(R"({"id":3,"content":"x"})", many / 3) + "],");
  std::string added;
  for (int id = 3; id < many / 10; ++id)  // as they are written
    added += (id > 3 ? "," : "") +
             ("{\"id\":" + std::to_string(id) + ",\"content\":\"<|x_" + std::to_string(id) +
              "|>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":"
              "false,\"normalized\":false,\"special\":false}");
  tokenizer("added tokens", Wanted::read, few, "", "\"added_tokens\":[" + added + "],");
  tokenizer("a thousand added tokens", Wanted::read, few, "",
            "\"added_tokens\":[" + list(R"({"id":3,"content":"x","special":true})", 1000) + "],");

  const std::string own = vocabulary(many, R"("</s>":0,"<unk>":1,"<pad>":2,)");
  const std::string marian = folder.file("vocab.json", own);
  expect_little_memory("vocab.json of Marian", own, Wanted::read,
                       [&] { MarianVocabulary::read(marian); });
  two.file("vocab.json", few);
  const std::string lines = repeated("a b\n", 10 * many);
  two.file("merges.txt", lines);
  expect_little_memory("merges.txt", lines, Wanted::read,
                       [&] { PublishedTokenizer::load(two.path, PublishedTokenizer::Usual{}); });

  const std::string digits = "{\"list\":[" + list("1", 500'000) + "]}";
  expect_little_memory("a list of digits", digits, Wanted::refused,
                       [&] { JsonObject::parse(digits, "c"); });
  std::string within = "1";
  for (int depth = 0; depth < 30; ++depth)
    within = "{\"" + std::string(60'000, 'a') + "\":" + within + "}";
  expect_little_memory("long keys within each other", within, Wanted::read,
                       [&] { JsonObject::parse(within, "c"); });
  const std::string keys = vocabulary(100'000);
  expect_little_memory("short keys", keys, Wanted::refused, [&] { JsonObject::parse(keys, "c"); });
}

}  // namespace xf::test
