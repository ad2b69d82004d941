#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf::live {

// JSON with float as its number type: written with just enough digits to read the same float back.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                  std::int64_t, std::uint64_t, float>;

// One matrix in row-major order: {"shape": [rows, columns], "values": [...]}.
Json matrix(int rows, int columns, const float* numbers);
//   x: (M, N), or with all other axes of size 1
Json matrix(const Tensor& x);

// Reads the members of a JSON object and keeps track of which ones were read. All member functions
// throw UserError with a one-line message that begins with the object's name:
//   translate: "beam" must be an integer from 1 to 100, not "wide"
class Fields {
 public:
  Fields(const Json& object, std::string name);

  bool has(const char* key);
  int integer(const char* key, int low, int high, std::optional<int> otherwise = {});
  double number(const char* key, double low, double high, std::optional<double> otherwise = {});
  bool boolean(const char* key, bool otherwise);
  std::string text(const char* key);
  // The index in `choices` of the member's text; 0 if the member is absent.
  int choice(const char* key, std::initializer_list<std::string_view> choices);
  // A nested object; empty if the member is absent.
  Fields object(const char* key);
  const Json& list(const char* key);
  std::vector<std::string> keys() const;

  // Throws if there are members that were never read.
  void done() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const Json* find(const char* key);
  // Throws UserError: the member must be `wanted`.
  [[noreturn]] void refuse(const char* key, const std::string& wanted, const Json* value) const;

  Json object_;
  std::string name_;
  std::vector<std::string> asked_;
};

}  // namespace xf::live
