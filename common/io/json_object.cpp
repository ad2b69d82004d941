#include "io/json_object.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/files.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr int deepest = 32;

bool is_integer(const Json& value, int least) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most)) return false;
  return value.is_number_integer() && value.get<std::int64_t>() >= least &&
         value.get<std::int64_t>() <= most;
}

// Follows the parser: how deep it is, and which keys each open object has.
struct Rules {
  const std::string& path;
  std::vector<std::set<std::string>> open = {};

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) throw UserError(path + ": nested too deeply");
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty())
      if (const auto key = parsed.get<std::string>(); !open.back().insert(key).second)
        throw UserError(path + ": the key \"" + shortened(key) + "\" occurs twice");
    return true;
  }
};

}  // namespace

JsonObject JsonObject::read(const std::string& path, std::size_t most_bytes) {
  const std::size_t size = InputFile(path).size();
  if (size > most_bytes)
    throw UserError(path + ": " + std::to_string(size) + " bytes; at most " +
                    std::to_string(most_bytes) + " can be read");
  return parse(read_file(path), path);
}

JsonObject JsonObject::parse(std::string_view text, const std::string& path) {
  const auto line = [&](std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return "line " + std::to_string(1 + std::count(text.begin(), end, '\n')) + " is not JSON";
  };
  if (const std::size_t nul = text.find('\0'); nul != text.npos)  // the parser would stop there
    throw UserError(path + ": " + line(nul));
  try {
    auto json = std::make_shared<const Json>(Json::parse(text, Rules{path}));
    if (!json->is_object()) throw UserError(path + ": not a JSON object {...}");
    return {std::move(json), path, ""};
  } catch (const Json::parse_error& error) {
    throw UserError(path + ": " + line(error.byte));
  } catch (const Json::exception&) {  // a number beyond all bounds
    throw UserError(path + ": not JSON");
  }
}

void JsonObject::fail(const std::string& key, const std::string& problem) const {
  throw UserError(path_ + ": " + prefix_ + key + ": " + problem);
}

const Json* JsonObject::find(const std::string& key) const {
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonObject::need(const std::string& key) const {
  const Json* value = find(key);
  if (!value) fail(key, "the key is missing");
  return *value;
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : json_->items()) names.push_back(key);
  return names;
}

int JsonObject::integer(const std::string& key, int least) const {
  const Json& value = need(key);
  if (!is_integer(value, least))
    fail(key, "an integer from " + std::to_string(least) + " on, not " + shortened(value.dump()));
  return value.get<int>();
}

int JsonObject::integer(const std::string& key, int least, int fallback) const {
  return has(key) ? integer(key, least) : fallback;
}

double JsonObject::number(const std::string& key) const {
  const Json& value = need(key);
  if (!value.is_number()) fail(key, "a number, not " + shortened(value.dump()));
  return value.get<double>();
}

double JsonObject::number(const std::string& key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

bool JsonObject::flag(const std::string& key, bool fallback) const {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_boolean()) fail(key, "true or false, not " + shortened(value->dump()));
  return value->get<bool>();
}

std::string JsonObject::text(const std::string& key) const {
  const Json& value = need(key);
  if (!value.is_string()) fail(key, "a text in quotes, not " + shortened(value.dump()));
  return value.get<std::string>();
}

std::string JsonObject::text(const std::string& key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

JsonObject JsonObject::object(const std::string& key) const {
  const Json& value = need(key);
  if (!value.is_object()) fail(key, "a JSON object {...}, not " + shortened(value.dump()));
  return {std::shared_ptr<const Json>(json_, &value), path_, prefix_ + key + "."};
}

std::optional<JsonObject> JsonObject::object_if_any(const std::string& key) const {
  return has(key) ? std::optional(object(key)) : std::nullopt;
}

JsonObject JsonObject::element(const std::string& key, std::size_t i) const {
  const Json& value = need(key).at(i);
  const std::string place = key + "[" + std::to_string(i) + "]";
  if (!value.is_object()) fail(place, "a JSON object {...}, not " + shortened(value.dump()));
  return {std::shared_ptr<const Json>(json_, &value), path_, prefix_ + place + "."};
}

std::vector<int> JsonObject::integers(const std::string& key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (is_integer(*value, 0)) return {value->get<int>()};
  std::vector<int> list;
  if (!value->is_array())
    fail(key, "an integer or a list of them, not " + shortened(value->dump()));
  for (const Json& each : *value) {
    if (!is_integer(each, 0)) fail(key, "integers from 0 on, not " + shortened(each.dump()));
    list.push_back(each.get<int>());
  }
  return list;
}

}  // namespace xf
