#include <algorithm>
#include <vector>

#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/embedding/kernels.hpp"

namespace xf::kernel {

namespace {

using cuda::column_step, cuda::first_column, cuda::warp_number;

// Row i of y, (N, D), is the row of the table for ids[i].
__global__ void gather_rows(const std::int32_t* ids, const float* table, float* y,
                            std::ptrdiff_t count, int columns) {
  const std::ptrdiff_t i = warp_number();
  if (i >= count) return;
  const float* from = table + std::ptrdiff_t(ids[i]) * columns;
  for (std::ptrdiff_t c = first_column(); c < columns; c += column_step())
    y[i * columns + c] = from[c];
}

// The rows of dy, (N, D), grouped by id: those of one id follow each other in their original order,
// cut into pieces. Each piece is summed separately; if an id has several, a second pass adds their
// sums. No two warps write the same numbers, so no atomics are needed, and the order of the sum,
// and thus its rounding, is the same in every run.
constexpr int longest_piece = 32;

struct Pieces {
  std::vector<int> rows;        // of dy, by id
  std::vector<int> first;       // piece p has rows[first[p]] up to rows[first[p + 1]]
  std::vector<int> to;          // its id, or ~s: its sum is stored as number s of the sums
  std::vector<int> ids;         // ids with several pieces
  std::vector<int> sums_of{0};  // ids[i] has the sums sums_of[i] up to sums_of[i + 1]
};

Pieces pieces_of(std::span<const std::int32_t> ids) {
  std::vector<int> first_of(static_cast<std::size_t>(*std::ranges::max_element(ids)) + 2);
  for (const std::int32_t id : ids) ++first_of[static_cast<std::size_t>(id) + 1];
  for (std::size_t id = 1; id < first_of.size(); ++id) first_of[id] += first_of[id - 1];
  std::vector<int> next = first_of;
  Pieces found;
  found.rows.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    found.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(ids[i])]++)] =
        static_cast<int>(i);
  for (std::size_t id = 0; id + 1 < first_of.size(); ++id) {
    const int last = first_of[id + 1];
    const bool several = last - first_of[id] > longest_piece;
    int sums = found.sums_of.back();
    for (int first = first_of[id]; first < last; first += longest_piece) {
      found.first.push_back(first);
      found.to.push_back(several ? ~sums++ : static_cast<int>(id));
    }
    if (!several) continue;
    found.ids.push_back(static_cast<int>(id));
    found.sums_of.push_back(sums);
  }
  found.first.push_back(static_cast<int>(ids.size()));
  return found;
}

// All lists of Pieces, on the device.
struct PieceLists {
  const int *rows, *first, *to, *ids, *sums_of;
};

__global__ void sum_pieces(PieceLists lists, int pieces, const float* dy, float* dtable,
                           float* sums, int columns) {
  const std::ptrdiff_t p = warp_number();
  if (p >= pieces) return;
  const int first = lists.first[p], last = lists.first[p + 1], to = lists.to[p];
  float* const row = to < 0 ? sums + std::ptrdiff_t(~to) * columns  //
                            : dtable + std::ptrdiff_t(to) * columns;
  for (std::ptrdiff_t c = first_column(); c < columns; c += column_step()) {
    float sum = to < 0 ? 0 : row[c];
    for (int i = first; i < last; ++i) sum += dy[std::ptrdiff_t(lists.rows[i]) * columns + c];
    row[c] = sum;
  }
}

__global__ void add_sums(PieceLists lists, int ids, const float* sums, float* dtable, int columns) {
  const std::ptrdiff_t i = warp_number();
  if (i >= ids) return;
  float* const row = dtable + std::ptrdiff_t(lists.ids[i]) * columns;
  for (std::ptrdiff_t c = first_column(); c < columns; c += column_step()) {
    float sum = row[c];
    for (int s = lists.sums_of[i]; s < lists.sums_of[i + 1]; ++s)
      sum += sums[std::ptrdiff_t(s) * columns + c];
    row[c] = sum;
  }
}

}  // namespace

template <>
void gather(Cuda, const std::int32_t* ids, const float* table, float* y, std::ptrdiff_t count,
            int columns) {
  cuda::launch(cuda::one_warp_each_stretch("gather_rows", count, columns), gather_rows, ids, table,
               y, count, columns);
}

template <>
void scatter_add(Cuda, std::span<const std::int32_t> ids, const float* dy, float* dtable,
                 int columns) {
  if (ids.empty()) return;
  const Pieces pieces = pieces_of(ids);
  std::vector<int> all;
  std::vector<std::size_t> begins;
  for (const auto* list : {&pieces.rows, &pieces.first, &pieces.to, &pieces.ids, &pieces.sums_of}) {
    begins.push_back(all.size());
    all.insert(all.end(), list->begin(), list->end());
  }
  const int* const there = cuda::mirrored_now(all);
  const PieceLists lists{there + begins[0], there + begins[1], there + begins[2], there + begins[3],
                         there + begins[4]};
  const auto count = static_cast<int>(pieces.to.size()),
             several = static_cast<int>(pieces.ids.size());
  const cuda::Launch first = cuda::one_warp_each_stretch("sum_pieces", count, columns);
  if (several == 0) {
    cuda::launch(first, sum_pieces, lists, count, dy, dtable, nullptr, columns);
    return;
  }
  cuda::Buffer<float> sums(static_cast<std::size_t>(pieces.sums_of.back()) *
                           static_cast<std::size_t>(columns));
  cuda::launch(first, sum_pieces, lists, count, dy, dtable, sums.data(), columns);
  cuda::launch(cuda::one_warp_each_stretch("add_sums", several, columns), add_sums, lists, several,
               sums.data(), dtable, columns);
}

}  // namespace xf::kernel
