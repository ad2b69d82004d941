#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf::live {

// JSON whose fractions are floats: written with the digits that give the same float again.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                  std::int64_t, std::uint64_t, float>;

// The numbers of one matrix, {"shape": [rows, columns], "values": [...]}, row by row.
Json matrix(int rows, int columns, const float* numbers);
//   x: (M, N), or anything whose other axes are 1
Json matrix(const Tensor& x);

// Reads the members of a JSON object, and knows which ones it was asked for. All of these throw
// UserError with one line that begins with the object's name:
//   translate: "beam" must be an integer from 1 to 100, not "wide"
class Fields {
 public:
  Fields(const Json& object, std::string name);

  bool has(const char* key);
  int integer(const char* key, int low, int high, std::optional<int> otherwise = {});
  double number(const char* key, double low, double high, std::optional<double> otherwise = {});
  bool boolean(const char* key, bool otherwise);
  std::string text(const char* key);
  // Which of `choices` the text is; without the member, the first of them.
  int choice(const char* key, std::initializer_list<std::string_view> choices);
  // An object; an empty one where there is none.
  Fields object(const char* key);
  const Json& list(const char* key);
  std::vector<std::string> keys() const;

  // What was not asked for is refused.
  void done() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const Json* find(const char* key);
  // Throws that the member must be `wanted`.
  [[noreturn]] void refuse(const char* key, const std::string& wanted, const Json* value) const;

  Json object_;
  std::string name_;
  std::vector<std::string> asked_;
};

}  // namespace xf::live
