#include "io/gguf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/files.hpp"
#include "io/gguf_kinds.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

// The types of values: unsigned and signed integers of 8, 16 and 32 bits, a float, a flag, a text,
// a list, and the types of 64 bits.
enum Type { u8, i8, u16, i16, u32, i32, f32, a_flag, a_text, a_list, u64, i64, f64 };

constexpr std::uint64_t max_keys = 1 << 12, max_tensors = 1 << 16;
constexpr std::uint32_t usual_alignment = 32, max_alignment = 1 << 16;

template <class Number>
Json number_at(const char* bytes) {
  return bits_at<Number>(bytes);
}
Json flag_at(const char* bytes) { return *bytes != 0; }

// How a value of each type is read, and its size in bytes; null and 0 if the size varies.
constexpr Json (*readers[])(const char*) = {number_at<std::uint8_t>,
                                            number_at<std::int8_t>,
                                            number_at<std::uint16_t>,
                                            number_at<std::int16_t>,
                                            number_at<std::uint32_t>,
                                            number_at<std::int32_t>,
                                            number_at<float>,
                                            flag_at,
                                            nullptr,
                                            nullptr,
                                            number_at<std::uint64_t>,
                                            number_at<std::int64_t>,
                                            number_at<double>};
std::size_t bytes_of_type(std::uint32_t type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(sizes) ? sizes[type] : 0;
}

// Reads the header from front to back; every message begins with the file's path.
class GgufHeader {
 public:
  GgufHeader(std::string_view file, const std::string& path) : rest_(file), path_(path) {}

  [[noreturn]] void fail(const Phrase& what) const { throw UserError("{}: {}", path_, what); }

  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) fail("truncated inside the header");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(bytes));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  template <class Number>
  Number number() {
    return bits_at<Number>(take(sizeof(Number)).data());
  }
  // A length, followed by that many bytes.
  std::string_view counted() { return take(number<std::uint64_t>()); }
  std::string name(const char* what) {
    const std::string_view found = counted();
    if (found.empty() || found.size() > std::size_t{1} << 16 || !valid_utf8(found))
      fail(words("the name of a {} is empty, longer than 65536 bytes or not UTF-8", what));
    return std::string(found);
  }
  std::string_view rest() const { return rest_; }

  Json value(std::uint32_t type, const std::string& key) {
    if (type == a_text) {
      const std::string_view found = counted();
      if (!valid_utf8(found)) fail(words("{}: the text is not UTF-8", key));
      return found;
    }
    const std::size_t size = bytes_of_type(type);
    if (size == 0) fail(words("{}: its value has the unknown type {}", key, type));
    const Json found = readers[type](take(size).data());
    if (found.is_number_float() && !std::isfinite(found.get<double>()))
      fail(words("{}: {}", key, "NaN or infinity"));
    return found;
  }

  // Skips `count` values of a list.
  void pass(std::uint32_t type, std::uint64_t count, const std::string& key) {
    if (type == a_text) {
      for (std::uint64_t i = 0; i < count; ++i) counted();
    } else if (const std::size_t size = bytes_of_type(type); size > 0) {
      if (count > rest_.size() / size) fail("truncated inside the header");
      take(count * size);
    } else {
      fail(words("{}: a list of values of type {} cannot be read", key, type));
    }
  }

 private:
  std::string_view rest_;
  const std::string& path_;
};

StoredTensor read_tensor(GgufHeader& reader) {
  const std::string name = reader.name("tensor");
  const auto axes = reader.number<std::uint32_t>();
  if (axes > Shape::max_rank)
    reader.fail(words("{} has {} axes; at most 5 can be read", name, axes));
  std::vector<std::uint64_t> sizes;
  std::uint64_t count = 1;
  for (std::uint32_t axis = 0; axis < axes; ++axis) {
    const auto size = reader.number<std::uint64_t>();
    if (size == 0 || size > std::uint64_t(std::numeric_limits<int>::max()) ||
        size > (std::uint64_t{1} << 40) / count)
      reader.fail(words("{} has an axis of size {}", name, size));
    count *= size;
    sizes.insert(sizes.begin(), size);
  }
  const auto id = reader.number<std::uint32_t>();
  const StoredFormat* format = gguf_kind(id);
  if (!format)
    reader.fail(
        words("{} has kind {}; F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K "
              "can be read",
              name, gguf_kind_name(id)));
  const auto block = static_cast<std::uint64_t>(format->block);
  if ((sizes.empty() ? 1 : sizes.back()) % block != 0)
    reader.fail(words("{} has rows of {} numbers, which is not a multiple of {}", name,
                      sizes.empty() ? 1 : sizes.back(), block));
  Shape shape;
  for (const std::uint64_t size : sizes) shape.append(static_cast<int>(size));
  const auto first = reader.number<std::uint64_t>();
  const std::uint64_t bytes = count / block * format->bytes;
  if (first > std::numeric_limits<std::uint64_t>::max() - bytes)
    reader.fail(words("truncated: the file ends before the end of {}", name));
  return {name, format, shape, first, first + bytes};
}

}  // namespace

GgufFile GgufFile::open(const std::string& path) {
  const auto mapped = std::make_shared<const MappedFile>(path);
  GgufFile file = parse(mapped->bytes(), path);
  file.mapped_ = mapped;
  return file;
}

GgufFile GgufFile::parse(std::string_view bytes, const std::string& path) {
  GgufHeader reader(bytes, path);
  if (!bytes.starts_with(magic)) reader.fail("not a GGUF file");
  reader.take(magic.size());
  if (const auto version = reader.number<std::uint32_t>(); version != 2 && version != 3)
    reader.fail(words("GGUF version {}; only 2 and 3 can be read", version));
  const auto tensors = reader.number<std::uint64_t>(), keys = reader.number<std::uint64_t>();
  if (tensors > max_tensors || keys > max_keys)
    reader.fail(words("its header would have {} tensors and {} keys", tensors, keys));
  Json settings = Json::object();
  std::map<std::string, List> lists;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::string key = reader.name("key");
    if (settings.contains(key) || lists.contains(key)) reader.fail(words("{} occurs twice", key));
    const auto type = reader.number<std::uint32_t>();
    if (type != a_list) {
      settings[key] = reader.value(type, key);
      continue;
    }
    const auto of = reader.number<std::uint32_t>();
    const auto count = reader.number<std::uint64_t>();
    const std::string_view begin = reader.rest();
    reader.pass(of, count, key);
    lists[key] = {of, static_cast<std::size_t>(count),
                  begin.substr(0, begin.size() - reader.rest().size())};
  }
  StoredTensors stored{.path = path};
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    stored.entries.push_back(read_tensor(reader));
    if (!names.insert(stored.entries.back().name).second)
      reader.fail(words("{} occurs twice", stored.entries.back().name));
  }
  const JsonObject known = JsonObject::of(std::move(settings), path);
  const std::string key = "general.alignment";
  const auto alignment = static_cast<std::uint32_t>(known.integer(key, 1, usual_alignment));
  if (alignment > max_alignment || (alignment & (alignment - 1)) != 0)
    known.fail(key, words("expected a power of 2 up to {}", max_alignment));
  const std::size_t header = bytes.size() - reader.rest().size();
  const std::size_t begin = (header + alignment - 1) / alignment * alignment;
  if (tensors > 0 && begin > bytes.size()) reader.fail("truncated inside the header");
  stored.data = bytes.substr(std::min(begin, bytes.size()));
  stored.check_places([&](const StoredTensor& entry, std::uint64_t) {
    if (entry.first % alignment != 0) reader.fail(words("{} is not aligned", entry.name));
  });
  return {known, std::move(lists), std::move(stored)};
}

const StoredTensor* GgufFile::find(const std::string& name) const {
  for (const StoredTensor& entry : tensors_.entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

const GgufFile::List* GgufFile::list(const std::string& key, std::uint32_t first_type,
                                     std::uint32_t last_type) const {
  const auto found = lists_.find(key);
  if (found == lists_.end() && !settings_.has(key)) return nullptr;
  if (found == lists_.end() || found->second.type < first_type || found->second.type > last_type)
    settings_.fail(key, "expected a list of another kind");
  return &found->second;
}

std::vector<std::string_view> GgufFile::texts(const std::string& key) const {
  std::vector<std::string_view> all;
  const List* found = list(key, a_text, a_text);
  if (!found) return all;
  GgufHeader reader(found->bytes, path());
  for (std::size_t i = 0; i < found->count; ++i) {
    all.push_back(reader.counted());
    if (!valid_utf8(all.back())) settings_.fail(key, words("entry {} is not UTF-8", i + 1));
  }
  return all;
}

std::vector<int> GgufFile::integers(const std::string& key) const {
  std::vector<int> all;
  const List* found = list(key, u32, i32);
  for (std::size_t i = 0; found && i < found->count; ++i)
    all.push_back(bits_at<std::int32_t>(found->bytes.data() + 4 * i));
  return all;
}

std::vector<float> GgufFile::numbers(const std::string& key) const {
  std::vector<float> all;
  const List* found = list(key, f32, f32);
  for (std::size_t i = 0; found && i < found->count; ++i)
    all.push_back(from_f32(found->bytes.data() + 4 * i));
  if (!std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); }))
    settings_.fail(key, "NaN or infinity");
  return all;
}

std::string GgufFile::of_model(const std::string& path) {
  if (!is_directory(path)) return exists(path) || path.ends_with(".gguf") ? path : "";
  std::string only;
  if (exists(path + "/config.json")) return only;
  for (const std::string& name : directory_entries(path)) {
    if (!name.ends_with(".gguf")) continue;
    if (!only.empty()) throw UserError("{}: holds {} and {}; name one of them", path, only, name);
    only = name;
  }
  return only.empty() ? only : path + "/" + only;
}

}  // namespace xf
