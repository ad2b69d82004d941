#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/mapped_file.hpp"
#include "io/stored_tensors.hpp"

namespace xf {

// The weights of a published model in a directory: model.safetensors, or the files that
// model.safetensors.index.json names for each tensor,
//   {"weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors", ...}}
// or a single file, which may also be GGUF (gguf.hpp).
// The files are mapped, not read: float32 numbers stay in the file, and so do matrices of the
// kinds that products read directly (tensor/stored_rows.hpp). Others are converted when they are
// taken, and their memory is released.
class PublishedWeights {
 public:
  // Throws UserError naming the file, and the tensor or the key, unless it is such a directory or
  // file.
  explicit PublishedWeights(const std::string& path);

  // The names of all tensors, sorted.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return places_.contains(name); }
  const Shape& shape(const std::string& name) const { return entry(name).shape; }
  // The memory in bytes that the weights need once all are taken, not counting those that stay in
  // the files.
  double memory() const;
  // Callers always see float32 numbers. The overload with a shape throws UserError naming the file
  // and both shapes if the tensor's differs; both throw for a missing name, a dtype that cannot be
  // read, and numbers that are not finite.
  Tensor take(const std::string& name);
  Tensor take(const std::string& name, const Shape& shape);
  // The numbers have been copied: the system may reclaim the memory of the file's pages.
  void drop(const std::string& name) const;
  // Marks tensors that need not be taken.
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

// Our "layers.3.attention.w_q.weight" under its published name: pairs of our parts and theirs.
using Renaming = std::vector<std::pair<const char*, const char*>>;
std::string renamed(std::string name, const Renaming& renaming);

}  // namespace xf
