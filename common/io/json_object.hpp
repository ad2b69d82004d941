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
// as missing. All functions throw UserError naming the file and the full path of the key:
// "config.json: rope_scaling.factor: ...".
class JsonObject {
 public:
  // An object or list in the file whose members are not kept, because there may be very many:
  // `take` receives each as it is read, with its key (in a list, its index, counted from 0).
  struct Taken {
    std::string at;  // "model.vocab"; "" is the whole file
    std::function<void(const std::string& key, const nlohmann::json& value)> take;
    bool objects = false;  // may the members of an object be lists and objects?
  };
  // Reads the file. Rejects files of more than `max_bytes`, keys that occur twice except among
  // taken members, nesting deeper than 32, texts of more than 64 KiB, and content that would need
  // more memory than twice the file size plus a mebibyte, as lists of digits would.
  static constexpr std::size_t settings = std::size_t{1} << 20, tables = std::size_t{64} << 20;
  static JsonObject read(const std::string& path, std::size_t max_bytes,
                         const std::vector<Taken>& taken = {});
  static JsonObject parse(std::string_view text, const std::string& path,
                          const std::vector<Taken>& taken = {});
  // The content of a file of another format, as if it were JSON.
  static JsonObject of(nlohmann::json object, const std::string& path) {
    return {std::make_shared<const nlohmann::json>(std::move(object)), path, ""};
  }
  // The file's bytes, with the same limit as read().
  static std::string content(const std::string& path, std::size_t max_bytes);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  const nlohmann::json& json() const { return *json_; }

  // The value of a required key; the second form returns `fallback` if the key is missing.
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
  // The i-th element of a list of objects; the key must hold a list that is long enough.
  JsonObject element(const std::string& key, std::size_t i) const;
  // A member that `take` received, with its path for messages: "added_tokens[3]".
  static JsonObject taken(const nlohmann::json& value, const std::string& path,
                          const std::string& place);
  // An integer or a list of integers, each at least 0; empty if the key is missing.
  std::vector<int> integers(const std::string& key) const;
  // Whether the value is an integer of at least `least` that an int can hold.
  static bool is_integer(const nlohmann::json& value, int least);
  // The value as such an integer; errors begin with `name`.
  static int integer_of(const nlohmann::json& value, int least, const std::string& name);
  // The raw value, or null if there is none.
  const nlohmann::json* find(const std::string& key) const;

  [[noreturn]] void fail(const std::string& key, const Phrase& problem) const;

 private:
  // The type that a value must have: the library's test for it, and its name in messages.
  struct Kind {
    bool (nlohmann::json::*holds)() const noexcept;
    const char* name;
  };
  static constexpr Kind a_number{&nlohmann::json::is_number, "a number"},
      a_flag{&nlohmann::json::is_boolean, "true or false"},
      a_text{&nlohmann::json::is_string, "a string in quotes"},
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
