#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/parameters.hpp"
#include "tensor/error.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// The safetensors format (https://github.com/huggingface/safetensors): 8 bytes, the length N of
// the header, little-endian; N bytes of JSON, padded with spaces,
//   {"__metadata__": {"key": "text"},
//    "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
// and the numbers, row-major, without gaps. Offsets count from the end of the header.

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
using Metadata = std::map<std::string, std::string>;

struct SafeTensors {
  std::map<std::string, Tensor> tensors;
  Metadata metadata;
};

// Writes the tensors as F32, in the given order, atomically (io/files.hpp). Throws
// std::invalid_argument for an undefined tensor or a name that occurs twice, UserError when the
// file cannot be written.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = {});

// Reads F32, F16, BF16 and F64, converting all to float32. Throws UserError naming the file, and
// the tensor if applicable, unless the file is complete and well-formed, with tensors of at most 5
// axes.
SafeTensors load_safetensors(const std::string& path);
// The same for the bytes of a file that is already in memory; `path` is for the messages.
SafeTensors parse_safetensors(std::string_view bytes, const std::string& path);

// Throws UserError naming the file and the tensor when a number of it is NaN or infinite.
void check_finite(const std::string& path, const std::string& name, const Tensor& tensor);

// A model's parameters, under the names of parameters(model); a tied one is stored once.
void save_parameters(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Metadata& metadata = {});
// The bytes of such a file, in memory.
std::string parameters_as_file(const std::vector<NamedParameter>& parameters);

// Copies the file's numbers into the parameters (which live on the CPU) and returns the metadata.
// Strict: throws UserError in one line when a name is missing in the file, is not known to the
// model, has another shape or numbers that are not finite; then no parameter has changed.
//   model.safetensors: encoder.w_1.weight is (4, 3), the model needs (3, 4)
Metadata load_parameters(const std::string& path, const std::vector<NamedParameter>& parameters);
// The same for the bytes of a file that is already in memory.
Metadata parse_parameters(std::string_view bytes, const std::string& path,
                          const std::vector<NamedParameter>& parameters);

}  // namespace xf
