#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_object.hpp"
#include "io/mapped_file.hpp"
#include "io/stored_tensors.hpp"

namespace xf {

// GGUF, the file format of llama.cpp (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md),
// versions 2 and 3: "GGUF", the version, the numbers of tensors and of keys; the keys, each with a
// value or a list; for each tensor its name, sizes, kind and offset; then the numbers, aligned.
// A tensor's sizes are in reverse order: the first is the number of columns.
class GgufFile {
 public:
  // Maps the file and reads its header. Throws UserError naming the file, and the key or tensor if
  // applicable, unless the file is complete and well-formed.
  static GgufFile open(const std::string& path);
  // The same for bytes already in memory, which must outlive the result.
  static GgufFile parse(std::string_view bytes, const std::string& path);

  const std::string& path() const { return tensors_.path; }
  // All keys whose values are not lists: "llama.block_count".
  const JsonObject& settings() const { return settings_; }
  const StoredTensors& tensors() const { return tensors_; }
  const StoredTensor* find(const std::string& name) const;

  // A list of texts (views into the file), integers or floats; empty if the key is missing. Throws
  // UserError naming the key if it holds something else.
  std::vector<std::string_view> texts(const std::string& key) const;
  std::vector<int> integers(const std::string& key) const;
  std::vector<float> numbers(const std::string& key) const;

  // The GGUF file of a model: `path` itself unless it is a directory, or the only *.gguf in a
  // directory without config.json; else "". Throws UserError for a directory with several.
  static std::string of_model(const std::string& path);
  static constexpr std::string_view magic = "GGUF";

 private:
  struct List {
    std::uint32_t type;
    std::size_t count;
    std::string_view bytes;
  };
  GgufFile(JsonObject settings, std::map<std::string, List> lists, StoredTensors tensors)
      : settings_(std::move(settings)), lists_(std::move(lists)), tensors_(std::move(tensors)) {}
  const List* list(const std::string& key, std::uint32_t first_type, std::uint32_t last_type) const;

  std::shared_ptr<const MappedFile> mapped_;
  JsonObject settings_;
  std::map<std::string, List> lists_;
  StoredTensors tensors_;
};

}  // namespace xf
