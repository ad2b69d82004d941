#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/language.hpp"

namespace xf {

// A JSON object in a file that another program wrote. Unknown keys are allowed; a null value counts
// as missing. All functions throw UserError naming the file and the key, inner ones with their
// objects: "config.json: rope_scaling.factor: ...".
class JsonObject {
 public:
  // An object or list in the file whose members are not kept, because there may be very many:
  // `take` gets each as it is read, with its key (its number from 0 in a list).
  struct Taken {
    std::string at;  // "model.vocab"; "" is the whole file
    std::function<void(const std::string& key, const nlohmann::json& value)> take;
    bool objects = false;  // may the members of an object be lists and objects?
  };
  // Reads the file. Refused are more than `max_bytes`, a key that occurs twice except among the
  // members taken, brackets nested deeper than 32, a text of more than 64 KiB, and what would need
  // more memory than twice the file and a mebibyte, as lists of digits would.
  static constexpr std::size_t settings = std::size_t{1} << 20, tables = std::size_t{64} << 20;
  static JsonObject read(const std::string& path, std::size_t max_bytes,
                         const std::vector<Taken>& taken = {});
  static JsonObject parse(std::string_view text, const std::string& path,
                          const std::vector<Taken>& taken = {});
  // The content of a file of another format, as if it were JSON.
  static JsonObject of(nlohmann::json object, const std::string& path) {
    return {std::make_shared<const nlohmann::json>(std::move(object)), path, ""};
  }
  // The file's bytes, as read() takes them.
  static std::string content(const std::string& path, std::size_t max_bytes);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  const nlohmann::json& json() const { return *json_; }

  // The value of a required key; the second form gives `fallback` where the key is missing.
  int integer(const std::string& key, int least) const;
  int integer(const std::string& key, int least, int fallback) const {
    return has(key) ? integer(key, least) : fallback;
  }
  double number(const std::string& key) const { return need(key, a_number).get<double>(); }
  double number(const std::string& key, double fallback) const {
    return has(key) ? number(key) : fallback;
  }
  bool flag(const std::string& key, bool fallback) const {
    return has(key) ? need(key, a_flag).get<bool>() : fallback;
  }
  std::string text(const std::string& key) const { return need(key, a_text).get<std::string>(); }
  std::string text(const std::string& key, const std::string& fallback) const {
    return has(key) ? text(key) : fallback;
  }
  JsonObject object(const std::string& key) const { return inner(need(key), key); }
  std::optional<JsonObject> object_if_any(const std::string& key) const {
    return has(key) ? std::optional(object(key)) : std::nullopt;
  }
  // The i-th of a list of objects; the key must hold a list that is longer.
  JsonObject element(const std::string& key, std::size_t i) const;
  // A member that `take` got, by its place: "added_tokens[3]".
  static JsonObject taken(const nlohmann::json& value, const std::string& path,
                          const std::string& place);
  // An integer, or a list of them, each at least 0; none where the key is missing.
  std::vector<int> integers(const std::string& key) const;
  // The value as an integer from `least` on; the error begins with `name`.
  static int integer_of(const nlohmann::json& value, int least, const std::string& name);
  // The raw value, or null where there is none.
  const nlohmann::json* find(const std::string& key) const;

  [[noreturn]] void fail(const std::string& key, const Phrase& problem) const;

 private:
  // What a value must be, as the library tells it, and what messages call it.
  struct Kind {
    bool (nlohmann::json::*holds)() const noexcept;
    const char* name;
  };
  static constexpr Kind a_number{&nlohmann::json::is_number, "a number"},
      a_flag{&nlohmann::json::is_boolean, "true or false"},
      a_text{&nlohmann::json::is_string, "a text in quotes"},
      an_object{&nlohmann::json::is_object, "a JSON object {...}"},
      a_list{&nlohmann::json::is_array, "an integer or a list of them"};

  JsonObject(std::shared_ptr<const nlohmann::json> json, std::string path, std::string prefix)
      : json_(std::move(json)), path_(std::move(path)), prefix_(std::move(prefix)) {}
  const nlohmann::json& need(const std::string& key) const;
  const nlohmann::json& need(const std::string& key, const Kind& kind) const;
  const nlohmann::json& checked(const nlohmann::json& value, const std::string& key,
                                const Kind& kind) const;
  JsonObject inner(const nlohmann::json& value, const std::string& place) const;

  std::shared_ptr<const nlohmann::json> json_;
  std::string path_, prefix_;
};

}  // namespace xf
