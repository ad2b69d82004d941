#include "support/checks.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <typeinfo>

#include "support/report.hpp"

namespace xf::exercise {

struct Unwritten : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void TODO(const char* where) { throw Unwritten("TODO(\"" + std::string(where) + "\")"); }

static std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

// An error of an xtensor check begins with its source location, which varies between machines.
static std::string without_place(const std::string& message) {
  const std::string mark = "check failed";
  const std::size_t at = message.find(mark);
  const std::size_t begin =
      at == std::string::npos ? 0 : message.find_first_not_of(" \n\t", at + mark.size());
  return begin == std::string::npos ? message : message.substr(begin);
}

std::optional<std::string> refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Unwritten&) {
    throw;
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const std::exception& error) {
    throw std::runtime_error(name_of(typeid(error)) +
                             ", wanted std::invalid_argument: " + without_place(error.what()));
  }
  return std::nullopt;
}

// Selects other inputs; 0 for the usual ones.
static std::uint64_t salt() {
  static const char* const text = std::getenv("XF_SALT");
  static const std::uint64_t value = text ? std::strtoull(text, nullptr, 16) : 0;
  return value;
}

constexpr int turns = 3;    // number of salts: the same as TURNS of tools/exercises/build.py
constexpr int large = 100;  // larger sizes at most double; smaller ones may triple

std::uint64_t salted(std::uint64_t seed) { return seed ^ salt(); }

Tensor random(const Shape& shape, std::uint64_t seed, float deviation) {
  Random source(salted(seed));
  Tensor tensor = Tensor::zeros(shape);
  replace_each(tensor, [&](float) { return deviation * static_cast<float>(source.normal()); });
  return tensor;
}

Tensor given(const Shape& shape, const std::vector<float>& values) {
  Tensor tensor = Tensor::from(shape, values);
  const float part = salt() ? static_cast<float>(Random(salt()).uniform(0.6, 0.95)) : 1.0f;
  replace_each(tensor, [&](float x) { return part * x; });
  return tensor;
}

static std::uint64_t seed_of(int usual, int low, int high) {
  return static_cast<std::uint64_t>((usual * 100 + low) * 100 + high);
}

int within(int usual, int low, int high) {
  return salt() ? low + Random(salted(seed_of(usual, low, high))).below(high - low + 1) : usual;
}

int given(int usual, int low, int high) {
  const std::uint64_t seed = seed_of(usual, low, high);
  const bool is_far = salt() && salt() % turns == Random(seed).below(turns);
  if (!is_far) return within(usual, low, high);
  const int beyond = high > large ? high : 2 * high + 8;
  return high + 1 + Random(salted(~seed)).below(beyond);
}

int given(int usual) { return given(usual, usual, usual + 4); }

float given(float usual, float low, float high) {
  const auto seed = static_cast<std::uint64_t>(1000 * (usual + 10 * (low + 10 * high)));
  return salt() ? static_cast<float>(Random(salted(seed)).uniform(low, high)) : usual;
}

bool either(bool usual) {
  static std::uint64_t asked = 0;  // so that two calls can give two answers
  return salt() ? Random(salted(++asked)).below(2) == 0 : usual;
}

Targets given(const std::vector<int>& usual, int words, int padding) {
  if (!salt()) return {usual, padding};
  Random source(salted(usual.size()));
  Targets targets{usual, padding < 0 ? padding : source.below(words)};
  for (int& id : targets.ids) {
    const bool word = id != padding;
    id = word ? source.below(padding < 0 ? words : words - 1) : targets.padding;
    if (word && padding >= 0 && id >= targets.padding) ++id;
  }
  return targets;
}

Ids shuffled(const Ids& usual) {
  if (!salt()) return usual;
  Ids ids = Ids::full(usual.shape(), 0);
  std::copy(usual.begin(), usual.end(), ids.begin());
  const int length = ids.size(-1);
  Random source(salted(static_cast<std::uint64_t>(ids.count())));
  for (std::int32_t* row = ids.begin(); row != ids.end(); row += length)
    for (int i = length - 1; i > 0; --i) std::swap(row[i], row[source.below(i + 1)]);
  return ids;
}

Ids given(const Ids& usual, int words, int padding) {
  if (!salt()) return usual;
  Ids ids = Ids::full(usual.shape(), padding);
  Random source(salted(static_cast<std::uint64_t>(ids.count())));
  const int length = ids.size(1);
  for (int row = 0; row < ids.size(0); ++row) {
    const int used = padding < 0 ? length : 1 + source.below(length);
    for (int t = 0; t < used; ++t) {
      const int id = source.below(padding < 0 ? words : words - 1);  // among the ids that are words
      ids[row * length + t] = padding < 0 || id < padding ? id : id + 1;
    }
  }
  return ids;
}

std::vector<int> order(int count, std::uint64_t seed) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  Random source(salted(seed));
  if (salt()) source.shuffle(all.begin(), all.end());
  return all;
}

void send_expected(const std::string& name, const std::string& kind, const Tensor& expected) {
  report("{\"check\": " + quoted(name) + ", \"kind\": " + quoted(kind) +
         ", \"expected\": " + numbers(expected) + "}");
}

void send_actual(const std::string& name, const Tensor& actual) {
  report("{\"check\": " + quoted(name) + ", \"actual\": " + numbers(actual) + "}");
}

}  // namespace xf::exercise
