#include "io/state_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/safetensors.hpp"

namespace xf {

namespace {

int rows_of(const StateBlock& block) { return block.rows < 0 ? block.tensor->size(0) : block.rows; }

Shape shape_of(const StateEntry& entry) {
  if (entry.blocks.empty()) return entry.computed.shape();
  int rows = 0;
  for (const StateBlock& block : entry.blocks) rows += rows_of(block);
  const Tensor& first = *entry.blocks[0].tensor;
  return first.rank() == 1 ? Shape{rows} : Shape{rows, first.size(1)};
}

// Calls visit(index in the file's block, index in our tensor) for every number of the block;
// returns how many there are.
template <class Visit>
std::size_t each_number(const StateBlock& block, const Visit& visit) {
  const int rows = rows_of(block), columns = block.tensor->rank() == 1 ? 1 : block.tensor->size(1);
  const bool halves = block.order == StateOrder::columns_in_halves;
  const bool reversed = block.order == StateOrder::rows_reversed;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const int row = block.first + (reversed ? rows - 1 - r : r), half = columns / 2;
      const int column = !halves ? c : c < half ? 2 * c : 2 * (c - half) + 1;
      visit(std::size_t(r) * std::size_t(columns) + std::size_t(c),
            std::size_t(row) * std::size_t(columns) + std::size_t(column));
    }
  return std::size_t(rows) * std::size_t(columns);
}

// The file's tensor under one of the entry's names; null if it is missing but optional.
const Tensor* stored_as(const StateEntry& entry, const std::map<std::string, Tensor>& stored,
                        const std::string& path) {
  std::vector<std::string> names{entry.name};
  names.insert(names.end(), entry.also.begin(), entry.also.end());
  const Tensor* found = nullptr;
  std::string first;
  for (const std::string& name : names) {
    const auto at = stored.find(name);
    if (at == stored.end()) continue;
    const Tensor& tensor = at->second;
    if (const Shape wanted = shape_of(entry); !(tensor.shape() == wanted))
      throw UserError(
          "{}: {}", path,
          words("{} is {}, but the model needs {}", name, tensor.shape().str(), wanted.str()));
    check_finite(path, name, tensor);
    const Values values = tensor.values();
    if (found && !std::equal(values.begin(), values.end(), found->values().begin()))
      throw UserError("{}: {} and {} differ, but are the same tensor in the model", path, first,
                      name);
    if (!found) found = &tensor, first = name;
  }
  if (!found && !entry.blocks.empty()) throw UserError("{}: no tensor {}", path, entry.name);
  return found;
}

void check_computed(const StateEntry& entry, const Tensor& stored, const std::string& path) {
  constexpr float rounding = 1e-5f;
  const auto close = [](float a, float b) { return std::abs(a - b) <= rounding * std::abs(b); };
  const Values values = stored.values();
  if (!std::equal(values.begin(), values.end(), entry.computed.values().begin(), close))
    throw UserError("{}: {} is not what the model computes", path, entry.name);
}

}  // namespace

void save_state(const std::string& path, const std::vector<StateEntry>& entries) {
  NamedTensors tensors;
  for (const StateEntry& entry : entries) {
    if (entry.blocks.empty()) {
      tensors.emplace_back(entry.name, entry.computed);
      continue;
    }
    const Shape shape = shape_of(entry);
    std::vector<float> numbers(static_cast<std::size_t>(shape.count()));
    std::size_t begin = 0;
    for (const StateBlock& block : entry.blocks) {
      const Values ours = block.tensor->values();
      begin += each_number(block, [&](std::size_t theirs, std::size_t at) {
        numbers[begin + theirs] = ours.begin()[at];
      });
    }
    tensors.emplace_back(entry.name, Tensor::from(shape, numbers));
  }
  save_safetensors(path, tensors, {{"format", "pt"}});
}

void load_state(const std::string& path, const std::vector<StateEntry>& entries) {
  const std::map<std::string, Tensor> stored = load_safetensors(path).tensors;
  std::vector<const Tensor*> found;
  std::set<std::string> known;
  for (const StateEntry& entry : entries) {
    known.insert(entry.name);
    known.insert(entry.also.begin(), entry.also.end());
    found.push_back(stored_as(entry, stored, path));
    if (found.back() && entry.blocks.empty()) check_computed(entry, *found.back(), path);
  }
  for (const auto& [name, tensor] : stored)
    if (!known.contains(name)) throw UserError("{}: the model has no tensor {}", path, name);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::size_t begin = 0;
    for (const StateBlock& block : entries[i].blocks) {
      const Values theirs = found[i]->values(), before = block.tensor->values();
      std::vector<float> numbers(before.begin(), before.end());
      begin += each_number(block, [&](std::size_t at, std::size_t ours) {
        numbers[ours] = theirs.begin()[begin + at];
      });
      copy_into(*block.tensor, numbers);
    }
  }
}

}  // namespace xf
