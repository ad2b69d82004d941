#include "io/published_weights.hpp"

#include "io/files.hpp"
#include "io/gguf.hpp"
#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"

namespace xf {

PublishedWeights::File::File(const std::string& path)
    : mapped(path),
      tensors(mapped.bytes().starts_with(GgufFile::magic)
                  ? GgufFile::parse(mapped.bytes(), path).tensors()
                  : stored_tensors(mapped.bytes(), path)) {}

PublishedWeights::PublishedWeights(const std::string& path) {
  if (exists(path) && !is_directory(path)) {
    add_all(path_ = path);
    return;
  }
  const std::string single = path + "/model.safetensors", index = single + ".index.json";
  const bool sharded = !exists(single) && exists(index);
  path_ = sharded ? index : single;
  sharded ? add_shards(path) : add_all(single);
}

void PublishedWeights::add_all(const std::string& path) {
  const File& file = files_.emplace(path, path).first->second;
  for (const StoredTensor& entry : file.tensors.entries) places_[entry.name] = {&file, &entry};
}

void PublishedWeights::add_shards(const std::string& directory) {
  const JsonObject map = JsonObject::read(path_, JsonObject::tables).object("weight_map");
  std::map<std::string, std::map<std::string, const StoredTensor*>> tensors;  // of each file
  for (const auto& [name, value] : map.json().items()) {
    const std::string shard = map.text(name);
    if (shard.empty() || shard.find('/') != shard.npos || shard.find('\0') != shard.npos)
      map.fail(name, words("expected the name of a file beside it, not {}", shortened(shard)));
    if (!files_.contains(shard) && !exists(directory + "/" + shard))
      map.fail(name, words("there is no file {} beside it", shard));
    const auto [known, is_new] = files_.try_emplace(shard, directory + "/" + shard);
    const File& file = known->second;
    if (is_new)
      for (const StoredTensor& entry : file.tensors.entries) tensors[shard][entry.name] = &entry;
    const auto found = tensors[shard].find(name);
    if (found == tensors[shard].end()) map.fail(name, words("missing from {}", shard));
    places_[name] = {&file, found->second};
  }
}

// Does it keep its stored kind? Products on the CPU read whole matrices in that form directly.
bool PublishedWeights::stays(const StoredTensor& stored) {
  return stored.format->stays && default_device() == Device::cpu && stored.shape.rank() == 2 &&
         stored.shape.count() > 0;
}

std::vector<std::string> PublishedWeights::names() const {
  std::vector<std::string> all;
  for (const auto& [name, place] : places_) all.push_back(name);
  return all;
}

double PublishedWeights::memory() const {
  double bytes = 0;
  for (const auto& [name, place] : places_)
    bytes += stays(*place.entry) ? static_cast<double>(place.entry->last - place.entry->first)
                                 : static_cast<double>(place.entry->shape.count()) * sizeof(float);
  return bytes;
}

void PublishedWeights::fail(const std::string& name, const Phrase& what) const {
  const auto found = places_.find(name);
  const std::string& path = found == places_.end() ? path_ : found->second.file->tensors.path;
  throw UserError("{}: {}", path, what);
}

const StoredTensor& PublishedWeights::entry(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) fail(name, words("{} is missing", name));
  return *found->second.entry;
}

Tensor PublishedWeights::take(const std::string& name) {
  const StoredTensor& stored = entry(name);
  taken_.insert(name);
  const File& file = *places_.at(name).file;
  const std::string_view bytes = file.tensors.bytes(stored);
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(float) == 0;
  const bool in_place = stored.format->dtype == std::string_view("F32") && aligned &&
                        default_device() == Device::cpu && stored.shape.count() > 0;
  if (!file.tensors.finite(stored)) fail(name, words("{} holds NaN or infinity", name));
  if (in_place) return Tensor::over(stored.shape, file.mapped.lend(bytes));
  if (stays(stored)) {
    file.mapped.drop(bytes);
    return Tensor::over(stored.shape, {stored.format, bytes.data(), stored.shape[1]},
                        file.mapped.lend(bytes),
                        [mapped = file.mapped, bytes] { mapped.drop(bytes); });
  }
  const Tensor converted = file.tensors.tensor(stored);
  file.mapped.drop(bytes);
  return converted;
}

Tensor PublishedWeights::take(const std::string& name, const Shape& shape) {
  if (const Shape& stored = entry(name).shape; !(stored == shape))
    fail(name, words("{} is {}, but the model needs {}", name, stored.str(), shape.str()));
  return take(name);
}

void PublishedWeights::drop(const std::string& name) const {
  const File& file = *places_.at(name).file;
  file.mapped.drop(file.tensors.bytes(entry(name)));
}

void PublishedWeights::check_all_taken() const {
  for (const auto& [name, place] : places_)
    if (!taken_.contains(name)) fail(name, words("this kind of model has no {}", name));
}

std::string renamed(std::string name, const Renaming& renaming) {
  for (const auto& [ours, theirs] : renaming) name = replaced(name, ours, theirs);
  return name;
}

}  // namespace xf
