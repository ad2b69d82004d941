#include "io/stored_tensors.hpp"

#include <cmath>
#include <limits>

#include "io/safetensors_header.hpp"
#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;

const StoredFormat f32_format{"F32", 4, read_each<from_f32, 4>};
const StoredFormat f64_format{"F64", 8, read_each<from_f64, 8>};
constexpr StoredFormat unread_formats[] = {
    {"BOOL", 1, nullptr},    {"U8", 1, nullptr},  {"I8", 1, nullptr},  {"F8_E4M3", 1, nullptr},
    {"F8_E5M2", 1, nullptr}, {"I16", 2, nullptr}, {"U16", 2, nullptr}, {"I32", 4, nullptr},
    {"U32", 4, nullptr},     {"I64", 8, nullptr}, {"U64", 8, nullptr}};

const StoredFormat* format_named(const std::string& dtype) {
  for (const StoredFormat* known : {&f32_format, &f16_format, &bf16_format, &f64_format})
    if (dtype == known->dtype) return known;
  for (const StoredFormat& known : unread_formats)
    if (dtype == known.dtype) return &known;
  return nullptr;
}

// Reads one file; every message begins with its path.
struct Reader {
  std::string path;

  [[noreturn]] void fail(const Phrase& what) const { throw UserError("{}: {}", path, what); }

  // The header's text, without its padding.
  std::string_view header(std::string_view file) const {
    if (file.size() < length_bytes) fail("too short to be a safetensors file");
    const auto length = bits_at<std::uint64_t>(file.data());
    if (length > longest_header)
      fail(words("not a safetensors file (its header would have {} bytes)", length));
    if (length > file.size() - length_bytes) fail("truncated inside the header");
    return file.substr(length_bytes, static_cast<std::size_t>(length));
  }

  const StoredFormat* format(const std::string& name, const Json& json) const {
    if (!json.contains("dtype") || !json["dtype"].is_string()) fail(words("{} has no dtype", name));
    const auto dtype = json["dtype"].get<std::string>();
    if (const StoredFormat* known = format_named(dtype)) return known;
    fail(words("{} has the unknown dtype {}", name, dtype.substr(0, 20)));
  }

  Shape shape(const std::string& name, const Json& json) const {
    if (!json.contains("shape") || !json["shape"].is_array()) fail(words("{} has no shape", name));
    const Json& sizes = json["shape"];
    if (sizes.size() > Shape::max_rank)
      fail(words("{} has {} axes; at most 5 can be read", name, sizes.size()));
    Shape result;
    std::uint64_t product = 1;  // nonzero sizes only: a zero must not hide an overflow
    for (const Json& size : sizes) {
      if (!size.is_number_unsigned() ||
          size.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        fail(words("{} has a bad shape {}", name, sizes.dump().substr(0, 60)));
      result.append(size.get<int>());
      const auto factor = std::max<std::uint64_t>(1, size.get<std::uint64_t>());
      if (factor > (std::uint64_t{1} << 40) / product)
        fail(words("{} has a bad shape {}", name, sizes.dump()));
      product *= factor;
    }
    return result;
  }

  // The number of elements; in WebAssembly, int and std::ptrdiff_t have 32 bits.
  static std::uint64_t count_of(const Shape& shape) {
    std::uint64_t count = 1;
    for (int axis = 0; axis < shape.rank(); ++axis)
      count *= static_cast<std::uint64_t>(shape[axis]);
    return count;
  }

  StoredTensor entry(const std::string& name, const Json& json) const {
    StoredTensor found{name, format(name, json), shape(name, json), 0, 0};
    const Json offsets = json.value("data_offsets", Json());
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
      fail(words("{} has no data_offsets [first, last]", name));
    found.first = offsets[0].get<std::uint64_t>();
    found.last = offsets[1].get<std::uint64_t>();
    const auto wanted = count_of(found.shape) * found.format->bytes;
    if (found.last < found.first || found.last - found.first != wanted)
      fail(words("{} {} {} needs {} bytes, but its data_offsets are {}", name, found.shape.str(),
                 found.format->dtype, wanted, offsets.dump()));
    return found;
  }
};

}  // namespace

void StoredTensors::check_readable(const StoredTensor& entry) const {
  if (!entry.format->read)
    throw UserError("{}: {} has dtype {}; F32, F16, BF16 and F64 can be read", path, entry.name,
                    entry.format->dtype);
}

Tensor StoredTensors::tensor(const StoredTensor& entry) const {
  check_readable(entry);
  Tensor result = Tensor::empty(entry.shape);
  each_piece(entry, [&](std::span<const float> piece, std::ptrdiff_t first) {
    copy_into(result, piece, first);
  });
  return result;
}

bool StoredTensors::finite(const StoredTensor& entry) const {
  bool all = true;
  each_piece(entry, [&](std::span<const float> piece, std::ptrdiff_t) {
    all = all && std::all_of(piece.begin(), piece.end(), [](float x) { return std::isfinite(x); });
  });
  return all;
}

std::uint64_t StoredTensors::check_places(const PlaceCheck& check) const {
  std::vector<StoredTensor> sorted = entries;
  std::sort(sorted.begin(), sorted.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.first, a.last) < std::pair(b.first, b.last);
  });
  std::uint64_t end = 0;
  for (const StoredTensor& entry : sorted) {
    if (entry.last > data.size())
      throw UserError("{}: {}", path,
                      words("truncated: the file ends before the end of {}", entry.name));
    if (entry.first < end)
      throw UserError("{}: {}", path, words("{} overlaps the tensor before it", entry.name));
    check(entry, end);
    end = entry.last;
  }
  return end;
}

StoredTensors stored_tensors(std::string_view file, const std::string& path) {
  const Reader reader{path};
  const std::string_view text = reader.header(file);
  StoredTensors result{.path = path, .data = file.substr(length_bytes + text.size())};
  const auto take = [&](const std::string& name, const Json& value) {
    if (name != "__metadata__") return result.entries.push_back(reader.entry(name, value));
    for (const auto& [key, member] : value.items()) {
      if (!member.is_string()) reader.fail(words("__metadata__ \"{}\" is not a string", key));
      result.metadata[key] = member.get<std::string>();
    }
  };
  read_header(text, take, [&](const Phrase& problem) { reader.fail(problem); });
  const std::uint64_t end = result.check_places([&](const StoredTensor& entry, auto before) {
    if (entry.first > before) reader.fail(words("there is a gap before {}", entry.name));
  });
  if (end != result.data.size())
    reader.fail(words("{} bytes follow the last tensor", result.data.size() - end));
  return result;
}

}  // namespace xf
