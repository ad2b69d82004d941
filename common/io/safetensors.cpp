#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>

#include "io/files.hpp"
#include "io/stored_tensors.hpp"
#include "io/utf8.hpp"
#include "tensor/bit_cast.hpp"

namespace xf {

namespace {

// Joins the parts with the format `pair`, two at a time: "{}, {}".
Phrase listed(std::span<const Phrase> parts, const char* pair) {
  Phrase all = parts.front();
  for (const Phrase& part : parts.subspan(1)) all = filled(pair, {all, part});
  return all;
}

// "a, b, c and 4 more"
Phrase first_three(const std::vector<Phrase>& names, const char* pair) {
  if (names.size() <= 3) return listed(names, pair);
  return words("{} and {} more", listed(std::span(names).first(3), pair), names.size() - 3);
}

// Why the file's tensors do not match these parameters; empty if they do.
Phrase mismatch(const std::map<std::string, const StoredTensor*>& tensors,
                const std::vector<NamedParameter>& parameters) {
  std::vector<Phrase> missing, unexpected, misshapen, all;
  std::set<std::string> known;
  for (const auto& [name, tensor] : parameters) {
    known.insert(name);
    const auto found = tensors.find(name);
    if (found == tensors.end())
      missing.push_back(name);
    else if (!(found->second->shape == tensor->shape()))
      misshapen.push_back(words("{} is {}, but the model needs {}", name,
                                found->second->shape.str(), tensor->shape().str()));
  }
  for (const auto& [name, entry] : tensors)
    if (!known.contains(name)) unexpected.push_back(name);
  if (!missing.empty())
    all.push_back(words("the model also needs {}", first_three(missing, "{}, {}")));
  if (!unexpected.empty())
    all.push_back(words("the model has no {}", first_three(unexpected, "{}, {}")));
  if (!misshapen.empty()) all.push_back(first_three(misshapen, "{}; {}"));
  return all.empty() ? Phrase() : listed(all, "{}; {}");
}

std::string_view bytes_of(const Values& numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(float)};
}

// The parts of a file, in order.
struct FileParts {
  std::string header;  // preceded by its length
  std::vector<Values> numbers;

  std::vector<std::string_view> all() const {
    std::vector<std::string_view> parts{header};
    for (const Values& each : numbers) parts.push_back(bytes_of(each));
    return parts;
  }
};

FileParts parts_of(const NamedTensors& tensors, const Metadata& metadata) {
  using Json = nlohmann::ordered_json;
  Json::object_t header;
  if (!metadata.empty()) header.emplace_back("__metadata__", metadata);
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
    header.emplace_back(name,
                        Json{{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {offset, end}}});
    offset = end;
  }
  std::string text = Json(std::move(header)).dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
  const auto length = bit_cast<std::array<char, 8>>(std::uint64_t{text.size()});
  return {std::string(length.data(), length.size()) + text, std::move(numbers)};
}

NamedTensors named(const std::vector<NamedParameter>& parameters) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : parameters) tensors.emplace_back(name, *tensor);
  return tensors;
}

UserError not_finite(const std::string& path, const std::string& name) {
  return UserError("{}: {}", path, words("{} holds NaN or infinity", name));
}

}  // namespace

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  write_file_atomically(path, parts_of(tensors, metadata).all());
}

SafeTensors load_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path), path);
}

SafeTensors parse_safetensors(std::string_view bytes, const std::string& path) {
  StoredTensors file = stored_tensors(bytes, path);
  SafeTensors result{.tensors = {}, .metadata = std::move(file.metadata)};
  for (const StoredTensor& entry : file.entries) result.tensors[entry.name] = file.tensor(entry);
  return result;
}

void check_finite(const std::string& path, const std::string& name, const Tensor& tensor) {
  const Values values = tensor.values();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
    throw not_finite(path, name);
}

void save_parameters(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Metadata& metadata) {
  save_safetensors(path, named(parameters), metadata);
}

std::string parameters_as_file(const std::vector<NamedParameter>& parameters) {
  return joined(parts_of(named(parameters), {}).all(), "");
}

Metadata load_parameters(const std::string& path, const std::vector<NamedParameter>& parameters) {
  return parse_parameters(read_file(path), path, parameters);
}

Metadata parse_parameters(std::string_view bytes, const std::string& path,
                          const std::vector<NamedParameter>& parameters) {
  // Copied into the parameters one at a time, so that the model is never in memory twice.
  const StoredTensors file = stored_tensors(bytes, path);
  std::map<std::string, const StoredTensor*> entries;
  for (const StoredTensor& entry : file.entries) entries[entry.name] = &entry;
  const Phrase problem = mismatch(entries, parameters);
  if (!problem.empty()) throw UserError("{}: {}", path, problem);
  for (const auto& [name, entry] : entries)
    if (!file.finite(*entry)) throw not_finite(path, name);
  for (const auto& [name, tensor] : parameters)
    file.each_piece(*entries.at(name), [to = tensor](auto piece, std::ptrdiff_t first) {
      copy_into(*to, piece, first);
    });
  return file.metadata;
}

}  // namespace xf
