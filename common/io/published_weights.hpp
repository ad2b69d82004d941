#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/mapped_file.hpp"
#include "io/stored_tensors.hpp"

namespace xf {

// The weights of a model that somebody published in a directory: model.safetensors, or the files
// that model.safetensors.index.json names for each tensor,
//   {"weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors", ...}}
// or a single file, also of the kind GGUF (gguf.hpp).
// The files are mapped, not read: float32 numbers stay where they are, and so do matrices of the
// kinds that products read as they lie (tensor/stored_rows.hpp). Others are converted when they are
// taken, and their memory is given back.
class PublishedWeights {
 public:
  // Throws UserError naming the file, and the tensor or the key, for what is no such directory or
  // file.
  explicit PublishedWeights(const std::string& path);

  // The names of all tensors, sorted.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return places_.contains(name); }
  const Shape& shape(const std::string& name) const { return entry(name).shape; }
  // How many bytes of memory the weights take once all are taken: those that stay in the files
  // count as little as they are looked at.
  double memory() const;
  // For others float32 numbers, whatever they stay. The form with a shape throws UserError naming
  // the file and both shapes when the tensor has another; both do for a name that is not there, a
  // dtype that cannot be read, and numbers that are not finite.
  Tensor take(const std::string& name);
  Tensor take(const std::string& name, const Shape& shape);
  // Its numbers were copied: the memory in which the file's lie is free for others.
  void drop(const std::string& name) const;
  // These need not be taken.
  void leave(const std::vector<std::string>& names) { taken_.insert(names.begin(), names.end()); }
  // Throws UserError naming the file and the first tensor that was neither taken nor left.
  void check_all_taken() const;
  // The file that names all tensors: model.safetensors, or the index.
  const std::string& path() const { return path_; }
  // Throws UserError: "model.safetensors: NAME what".
  [[noreturn]] void fail(const std::string& name, const Phrase& what) const;

 private:
  struct File {
    MappedFile mapped;
    StoredTensors tensors;

    explicit File(const std::string& path);
  };
  struct Place {
    const File* file;
    const StoredTensor* entry;
  };
  static bool stays(const StoredTensor& stored);
  const StoredTensor& entry(const std::string& name) const;
  void add_all(const std::string& file);
  void add_shards(const std::string& directory);

  std::string path_;
  std::map<std::string, File> files_;
  std::map<std::string, Place> places_;
  std::set<std::string> taken_;
};

// "layers.3.attention.w_q.weight" as others call it: each part of our names, and theirs.
using Renaming = std::vector<std::pair<const char*, const char*>>;
std::string renamed(std::string name, const Renaming& renaming);

// A parameter that a model keeps.
Tensor own(Tensor tensor);

}  // namespace xf
