#include "live/fields.hpp"

#include <algorithm>

#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf::live {

namespace {

const Json nothing = Json::object(), no_list = Json::array();

// "1 to 100"
std::string range(double low, double high) { return formatted("%g to %g", low, high); }

// A value as quoted in a message.
std::string quoted(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : "\"...\"";
}

}  // namespace

Json matrix(int rows, int columns, const float* numbers) {
  const std::vector<float> values(numbers, numbers + std::ptrdiff_t(rows) * columns);
  return {{"shape", {rows, columns}}, {"values", values}};
}

Json matrix(const Tensor& x) { return matrix(x.size(-2), x.size(-1), x.values().begin()); }

Fields::Fields(const Json& object, std::string name) : object_(object), name_(std::move(name)) {
  if (!object_.is_object()) fail("must be an object {...}, not " + quoted(object_));
}

const Json* Fields::find(const char* key) {
  asked_.push_back(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool Fields::has(const char* key) { return find(key) != nullptr; }

int Fields::integer(const char* key, int low, int high, std::optional<int> otherwise) {
  const Json* value = find(key);
  if (!value && otherwise) return *otherwise;
  const bool fits = value && value->is_number_integer() && value->get<double>() >= low &&
                    value->get<double>() <= high;
  if (!fits) refuse(key, "an integer from " + range(low, high), value);
  return value->get<int>();
}

double Fields::number(const char* key, double low, double high, std::optional<double> otherwise) {
  const Json* value = find(key);
  if (!value && otherwise) return *otherwise;
  const bool fits =
      value && value->is_number() && value->get<double>() >= low && value->get<double>() <= high;
  if (!fits) refuse(key, "a number from " + range(low, high), value);
  return value->get<double>();
}

bool Fields::boolean(const char* key, bool otherwise) {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_boolean()) refuse(key, "true or false", value);
  return value->get<bool>();
}

std::string Fields::text(const char* key) {
  const Json* value = find(key);
  if (!value || !value->is_string()) refuse(key, "a text", value);
  return value->get<std::string>();
}

int Fields::choice(const char* key, std::initializer_list<std::string_view> choices) {
  const Json* value = find(key);
  if (!value) return 0;
  const auto found = std::find(choices.begin(), choices.end(),
                               value->is_string() ? value->get<std::string>() : std::string());
  if (found != choices.end()) return static_cast<int>(found - choices.begin());
  refuse(key, "one of " + joined(choices, ", "), value);
}

Fields Fields::object(const char* key) {
  const Json* value = find(key);
  return {value ? *value : nothing, name_ + ": \"" + key + "\""};
}

const Json& Fields::list(const char* key) {
  const Json* value = find(key);
  if (value && !value->is_array()) refuse(key, "a list [...]", value);
  return value ? *value : no_list;
}

std::vector<std::string> Fields::keys() const {
  std::vector<std::string> names;
  for (const auto& item : object_.items()) names.push_back(item.key());
  return names;
}

void Fields::done() const {
  for (const std::string& key : keys())
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
      fail("there is no \"" + key + "\"");
}

void Fields::fail(const std::string& what) const { throw UserError(name_ + ": " + what); }

void Fields::refuse(const char* key, const std::string& wanted, const Json* value) const {
  fail("\"" + std::string(key) + "\" must be " + wanted +
       (value ? ", not " + quoted(*value) : "; it is missing"));
}

}  // namespace xf::live
