#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/config_error.hpp"
#include "io/kinds.hpp"

namespace xf {

// A config is an aggregate that lists its fields once; its JSON file and its command-line flags are
// derived from that list (program/config_flags.hpp):
//
//   struct TransformerConfig {
//     int d_model = 512;
//     bool tied = true;
//     NormOrder norm = NormOrder::post;
//     template <class Visitor> void visit(Visitor&& v) {
//       v("d_model", d_model, "width of the model");      // --d-model 512
//       v("tied", tied, "output shares the embedding");   // --tied, --no-tied
//       v("norm", norm, "norm order: post or pre");       // --norm post (kinds.hpp)
//     }
//   };
//
// A field that was added later is `optional`: older files lack it, and it gets its default.
enum class Presence { required, optional };
struct ConfigField {
  std::string name;
  std::variant<int*, float*, double*, bool*, std::string*, KindField> value;
  std::string help;
  Presence presence = Presence::required;
};

template <class Config>
std::vector<ConfigField> config_fields(Config& config) {
  std::vector<ConfigField> fields;
  config.visit(
      [&](const char* name, auto& value, const char* help, Presence presence = Presence::required) {
        fields.push_back({name, &value, help, presence});
      });
  return fields;
}

// All fields except those with these names.
std::vector<ConfigField> fields_without(const std::vector<ConfigField>& fields,
                                        const std::vector<std::string>& names);

// The two functions below for a list of fields, e.g. those of two configs in one file.
std::string fields_to_json(const std::vector<ConfigField>& fields);
void fields_from_json(std::string_view text, const std::string& path,
                      const std::vector<ConfigField>& fields);

// A JSON object with the fields in order, one per line.
template <class Config>
std::string to_json(const Config& config) {
  Config copy = config;
  return fields_to_json(config_fields(copy));
}

// The inverse. Strict: throws UserError naming the file and the key for an unknown, missing or
// repeated key, for a value of the wrong type and for more than 64 KiB; `path` is for these
// messages.
template <class Config>
Config from_json(std::string_view text, const std::string& path) {
  Config config;
  fields_from_json(text, path, config_fields(config));
  return config;
}

}  // namespace xf
