#include "io/config.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/json_object.hpp"
#include "io/printable.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

// A float as the double with its shortest decimal form: 0.1f is written 0.1, not 0.10000000149.
double shortest(float value) {
  double result = 0;
  for (int digits = 1; digits <= std::numeric_limits<float>::max_digits10; ++digits) {
    result = std::strtod(formatted("%.*g", digits, static_cast<double>(value)).c_str(), nullptr);
    if (static_cast<float>(result) == value) break;
  }
  return result;
}

struct ToJson {
  Ordered operator()(const auto* value) const { return *value; }
  Ordered operator()(const float* value) const { return shortest(*value); }
  Ordered operator()(const KindField& kind) const { return kind.name(); }
};

// Stores a JSON value in a field; returns the expected type if the value has another, else "".
// Throws ConfigError for an unknown kind's name.
struct FromJson {
  const std::string& key;
  const Json& json;

  template <class Value>
  Phrase take(Value* field, bool fits, const Phrase& wanted) const {
    if (!fits) return wanted;
    *field = json.get<Value>();
    return {};
  }
  Phrase operator()(int* field) const {
    constexpr int least = std::numeric_limits<int>::min();
    return take(field, JsonObject::is_integer(json, least), words("a 32-bit integer"));
  }
  Phrase operator()(float* field) const {
    double value = 0;
    Phrase wanted = (*this)(&value);
    if (wanted.empty() && !std::isfinite(static_cast<float>(value)))
      wanted = words("a smaller number");
    if (wanted.empty()) *field = static_cast<float>(value);
    return wanted;
  }
  Phrase operator()(double* field) const {
    return take(field, json.is_number(), words("a number"));
  }
  Phrase operator()(bool* field) const {
    return take(field, json.is_boolean(), words("true or false"));
  }
  Phrase operator()(std::string* field) const {
    return take(field, json.is_string(), words("a string in quotes"));
  }
  Phrase operator()(const KindField& field) const {
    std::string name;
    const Phrase wanted = (*this)(&name);
    if (!wanted.empty()) return wanted;
    if (const Phrase problem = field.take(name); !problem.empty()) throw ConfigError(key, problem);
    return {};
  }
};

constexpr std::size_t longest_text = 1 << 16;

}  // namespace

std::vector<ConfigField> fields_without(const std::vector<ConfigField>& fields,
                                        const std::vector<std::string>& names) {
  std::vector<ConfigField> left;
  for (const ConfigField& field : fields)
    if (std::find(names.begin(), names.end(), field.name) == names.end()) left.push_back(field);
  return left;
}

std::string fields_to_json(const std::vector<ConfigField>& fields) {
  Ordered json = Ordered::object();
  for (const ConfigField& field : fields) {
    json[field.name] = std::visit(ToJson{}, field.value);
    if (json[field.name].is_number_float() && !std::isfinite(json[field.name].get<double>()))
      throw std::invalid_argument("to_json: " + field.name + " is not finite");
  }
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

void fields_from_json(std::string_view text, const std::string& path,
                      const std::vector<ConfigField>& fields) {
  if (text.size() > longest_text)
    throw UserError("{}: {} bytes; a config has at most {}", path, text.size(), longest_text);
  const JsonObject object = JsonObject::parse(text, path);
  const Json& json = object.json();
  for (const auto& item : json.items()) {
    const auto is_key = [&](const ConfigField& field) { return field.name == item.key(); };
    if (std::none_of(fields.begin(), fields.end(), is_key))
      throw UserError("{}: unknown key \"{}\"", path, item.key());
  }
  for (const ConfigField& field : fields) {
    if (!json.contains(field.name)) {
      if (field.presence == Presence::optional) continue;
      throw UserError("{}: no key \"{}\"", path, field.name);
    }
    const Json& value = json[field.name];
    const Phrase wanted = as_keys_of(path, [&] {
      return std::visit(FromJson{field.name, value}, field.value);
    });
    if (!wanted.empty())
      throw UserError("{}: \"{}\" must be {}, not {}", path, field.name, wanted,
                      value.dump().substr(0, 60));
  }
}

}  // namespace xf
