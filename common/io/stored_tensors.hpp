#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.hpp"
#include "tensor/stored_rows.hpp"

namespace xf {

// A tensor as the header describes it; its bytes are data[first, last).
struct StoredTensor {
  std::string name;
  const StoredFormat* format;
  Shape shape;
  std::uint64_t first, last;
};

// A file whose header was read; `data` is a view into the file's bytes.
struct StoredTensors {
  std::string path;
  Metadata metadata = {};
  std::vector<StoredTensor> entries = {};
  std::string_view data = {};

  std::string_view bytes(const StoredTensor& entry) const {
    return data.substr(static_cast<std::size_t>(entry.first),
                       static_cast<std::size_t>(entry.last - entry.first));
  }
  // Calls take(floats, index of the first) for each piece of the tensor.
  // Throws UserError naming the file and the tensor for a dtype that cannot be read.
  template <class Take>
  void each_piece(const StoredTensor& entry, const Take& take) const {
    check_readable(entry);
    constexpr std::ptrdiff_t most = 1 << 18;  // whole blocks
    std::vector<float> piece(static_cast<std::size_t>(std::min(most, entry.shape.count())));
    const char* from = bytes(entry).data();
    for (std::ptrdiff_t first = 0; first < entry.shape.count(); first += most) {
      const std::ptrdiff_t count = std::min(most, entry.shape.count() - first);
      entry.format->read(from, count, piece.data());
      from += count / entry.format->block * static_cast<std::ptrdiff_t>(entry.format->bytes);
      take(std::span<const float>(piece).first(static_cast<std::size_t>(count)), first);
    }
  }
  // The whole tensor, as float32.
  Tensor tensor(const StoredTensor& entry) const;
  bool finite(const StoredTensor& entry) const;

  // Calls check(tensor, end of the one before it) in the order of their bytes, and returns the end
  // of the last one. Throws UserError for a tensor that overlaps another or ends after the data.
  using PlaceCheck = std::function<void(const StoredTensor& entry, std::uint64_t end)>;
  std::uint64_t check_places(const PlaceCheck& check) const;

 private:
  void check_readable(const StoredTensor& entry) const;
};

// Reads the header of the file whose bytes are `file`, and checks that its tensors fill the rest
// without gap or overlap. Throws UserError naming the file at `path`, and the tensor if applicable.
StoredTensors stored_tensors(std::string_view file, const std::string& path);

}  // namespace xf
