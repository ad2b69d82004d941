#include "io/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>

#include "io/files.hpp"
#include "io/safetensors_header.hpp"
#include "tensor/bit_cast.hpp"

namespace xf {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;

// One element of the file, at any alignment, as a float.
template <class Stored>
Stored bits_at(const char* bytes) {
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  return stored;
}

float from_f32(const char* bytes) { return bits_at<float>(bytes); }
float from_f64(const char* bytes) { return static_cast<float>(bits_at<double>(bytes)); }
// The upper half of a float.
float from_bf16(const char* bytes) {
  return bit_cast<float>(std::uint32_t{bits_at<std::uint16_t>(bytes)} << 16);
}
// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float from_f16(const char* bytes) {
  const unsigned half = bits_at<std::uint16_t>(bytes);
  const unsigned exponent = half >> 10 & 31, fraction = half & 1023;
  const unsigned sign = (half & 0x8000u) << 16;
  if (exponent == 0) {  // zero or subnormal: fraction 2^-24
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  const unsigned wide = exponent == 31 ? 255 : exponent + 112;  // infinity and NaN stay so
  return bit_cast<float>(sign | wide << 23 | fraction << 13);
}

struct Format {
  const char* dtype;
  std::size_t bytes;
  float (*read)(const char*);
};
constexpr Format formats[] = {
    {"F32", 4, from_f32}, {"F16", 2, from_f16}, {"BF16", 2, from_bf16}, {"F64", 8, from_f64}};

// A tensor as the header describes it; its bytes are data[first, last).
struct Entry {
  std::string name;
  const Format* format;
  Shape shape;
  std::uint64_t first, last;
};

// A file whose header was read.
struct Contents {
  Metadata metadata = {};
  std::vector<Entry> entries = {};
  std::string_view data;

  std::vector<float> numbers(const Entry& entry) const {
    const char* bytes = data.data() + entry.first;
    std::vector<float> result(static_cast<std::size_t>(entry.shape.count()));
    for (float& number : result) {
      number = entry.format->read(bytes);
      bytes += entry.format->bytes;
    }
    return result;
  }

  bool finite(const Entry& entry) const {
    const char* bytes = data.data() + entry.first;
    const auto size = static_cast<int>(entry.format->bytes);
    for (std::ptrdiff_t i = 0; i < entry.shape.count(); ++i)
      if (!std::isfinite(entry.format->read(bytes + i * size))) return false;
    return true;
  }
};

// Reads one file; every message begins with its path.
struct Reader {
  std::string path;

  [[noreturn]] void fail(const std::string& what) const { throw UserError(path + ": " + what); }

  // The header's text, without its padding.
  std::string_view header(std::string_view file) const {
    if (file.size() < length_bytes) fail("too short to be a safetensors file");
    const auto length = bits_at<std::uint64_t>(file.data());
    if (length > longest_header)
      fail("not a safetensors file (its header would have " + std::to_string(length) + " bytes)");
    if (length > file.size() - length_bytes) fail("truncated inside the header");
    return file.substr(length_bytes, static_cast<std::size_t>(length));
  }

  Metadata metadata(const Json& json) const {
    Metadata result;
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) fail("__metadata__ \"" + key + "\" is not a text");
      result[key] = value.get<std::string>();
    }
    return result;
  }

  const Format* format(const std::string& name, const Json& json) const {
    if (!json.contains("dtype") || !json["dtype"].is_string()) fail(name + " has no dtype");
    const auto dtype = json["dtype"].get<std::string>();
    for (const Format& known : formats)
      if (dtype == known.dtype) return &known;
    fail(name + " has dtype " + dtype + "; F32, F16, BF16 and F64 can be read");
  }

  Shape shape(const std::string& name, const Json& json) const {
    if (!json.contains("shape") || !json["shape"].is_array()) fail(name + " has no shape");
    const Json& sizes = json["shape"];
    if (sizes.size() > Shape::max_rank)
      fail(name + " has " + std::to_string(sizes.size()) + " axes; at most 5 can be read");
    Shape result;
    std::uint64_t product = 1;  // of the sizes above zero: no overflow hides behind a zero
    for (const Json& size : sizes) {
      if (!size.is_number_unsigned() ||
          size.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        fail(name + " has a bad shape " + sizes.dump().substr(0, 60));
      result.append(size.get<int>());
      product *= std::max<std::uint64_t>(1, size.get<std::uint64_t>());
      if (product > std::uint64_t{1} << 40) fail(name + " has a bad shape " + sizes.dump());
    }
    return result;
  }

  Entry entry(const std::string& name, const Json& json) const {
    Entry found{name, format(name, json), shape(name, json), 0, 0};
    const Json offsets = json.value("data_offsets", Json());
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
      fail(name + " has no data_offsets [first, last]");
    found.first = offsets[0].get<std::uint64_t>();
    found.last = offsets[1].get<std::uint64_t>();
    const auto wanted = static_cast<std::uint64_t>(found.shape.count()) * found.format->bytes;
    if (found.last < found.first || found.last - found.first != wanted)
      fail(name + " " + found.shape.str() + " " + found.format->dtype + " needs " +
           std::to_string(wanted) + " bytes, its data_offsets are " + offsets.dump());
    return found;
  }

  // The tensors must fill the data without gap or overlap.
  void check_offsets(std::vector<Entry> entries, std::uint64_t data_size) const {
    const auto in_file = [](const Entry& a, const Entry& b) {
      return std::pair(a.first, a.last) < std::pair(b.first, b.last);
    };
    std::sort(entries.begin(), entries.end(), in_file);
    std::uint64_t end = 0;
    for (const Entry& entry : entries) {
      if (entry.last > data_size) fail("truncated: the file ends before the end of " + entry.name);
      if (entry.first < end) fail(entry.name + " overlaps the tensor before it");
      if (entry.first > end) fail("there is a gap before " + entry.name);
      end = entry.last;
    }
    if (end != data_size)
      fail(std::to_string(data_size - end) + " bytes follow after the last tensor");
  }

  Contents read(std::string_view file) const {
    const std::string_view text = header(file);
    Contents result{.data = file.substr(length_bytes + text.size())};
    const auto take = [&](const std::string& name, const Json& value) {
      if (name == "__metadata__")
        result.metadata = metadata(value);
      else
        result.entries.push_back(entry(name, value));
    };
    read_header(text, take, [this](const std::string& problem) { fail(problem); });
    check_offsets(result.entries, result.data.size());
    return result;
  }
};

// "a, b, c and 4 more"
std::string first_three(const std::vector<std::string>& names, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i)
    text += (i ? separator : "") + names[i];
  return text + (names.size() > 3 ? " and " + std::to_string(names.size() - 3) + " more" : "");
}

// What keeps the file's tensors from being these parameters; empty when nothing does.
std::string mismatch(const std::map<std::string, const Entry*>& tensors,
                     const std::vector<NamedParameter>& parameters) {
  std::vector<std::string> missing, unexpected, misshapen;
  std::set<std::string> known;
  for (const auto& [name, tensor] : parameters) {
    known.insert(name);
    const auto found = tensors.find(name);
    if (found == tensors.end())
      missing.push_back(name);
    else if (!(found->second->shape == tensor->shape()))
      misshapen.push_back(name + " is " + found->second->shape.str() + ", the model needs " +
                          tensor->shape().str());
  }
  for (const auto& [name, entry] : tensors)
    if (!known.contains(name)) unexpected.push_back(name);
  std::string text;
  if (!missing.empty()) text += "; the model also needs " + first_three(missing, ", ");
  if (!unexpected.empty()) text += "; the model does not know " + first_three(unexpected, ", ");
  if (!misshapen.empty()) text += "; " + first_three(misshapen, "; ");
  return text.empty() ? text : text.substr(2);
}

// The header as it grows, member by member; the closing brace is still to come.
struct HeaderText {
  std::string text = "{";

  void add(const std::string& name, const nlohmann::ordered_json& value) {
    if (text.size() > 1) text += ',';
    text += dumped(name) + ":" + dumped(value);
  }

 private:
  static std::string dumped(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
};

std::string_view bytes_of(const Values& numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(float)};
}

}  // namespace

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  HeaderText header;
  if (!metadata.empty()) header.add("__metadata__", metadata);
  std::set<std::string> names{"__metadata__"};
  std::vector<Values> numbers;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined())
      throw std::invalid_argument("save_safetensors: " + name + " is undefined");
    if (!names.insert(name).second)
      throw std::invalid_argument("save_safetensors: " + name + " occurs twice");
    numbers.push_back(tensor.values());
    std::vector<int> shape;
    for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.size(axis));
    const std::size_t end = offset + bytes_of(numbers.back()).size();
    header.add(name, {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {offset, end}}});
    offset = end;
  }
  std::string text = header.text + "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
  const auto length = bit_cast<std::array<char, length_bytes>>(std::uint64_t{text.size()});
  std::vector<std::string_view> parts{{length.data(), length.size()}, text};
  for (const Values& each : numbers) parts.push_back(bytes_of(each));
  write_file_atomically(path, parts);
}

SafeTensors load_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path), path);
}

SafeTensors parse_safetensors(std::string_view bytes, const std::string& path) {
  Contents file = Reader{path}.read(bytes);
  SafeTensors result{.tensors = {}, .metadata = std::move(file.metadata)};
  for (const Entry& entry : file.entries)
    result.tensors[entry.name] = Tensor::from(entry.shape, file.numbers(entry));
  return result;
}

namespace {

UserError not_finite(const std::string& path, const std::string& name) {
  return UserError(path + ": " + name + " holds NaN or infinity");
}

}  // namespace

void check_finite(const std::string& path, const std::string& name, const Tensor& tensor) {
  const Values values = tensor.values();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
    throw not_finite(path, name);
}

void save_parameters(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Metadata& metadata) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : parameters) tensors.emplace_back(name, *tensor);
  save_safetensors(path, tensors, metadata);
}

Metadata load_parameters(const std::string& path, const std::vector<NamedParameter>& parameters) {
  return parse_parameters(read_file(path), path, parameters);
}

Metadata parse_parameters(std::string_view bytes, const std::string& path,
                          const std::vector<NamedParameter>& parameters) {
  // One after the other into the parameters: a model is not twice in memory, but for the file.
  const Contents file = Reader{path}.read(bytes);
  std::map<std::string, const Entry*> entries;
  for (const Entry& entry : file.entries) entries[entry.name] = &entry;
  const std::string problem = mismatch(entries, parameters);
  if (!problem.empty()) throw UserError(path + ": " + problem);
  for (const auto& [name, entry] : entries)
    if (!file.finite(*entry)) throw not_finite(path, name);
  for (const auto& [name, tensor] : parameters) copy_into(*tensor, file.numbers(*entries.at(name)));
  return file.metadata;
}

}  // namespace xf
