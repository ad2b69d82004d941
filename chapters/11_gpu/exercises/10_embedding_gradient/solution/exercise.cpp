#include "exercise.hpp"

namespace xf::exercise {

// The positions, those of a word one after another and in their order. Group g is that of
// words[g], and has positions[first[g]] up to positions[first[g + 1]].
struct Groups {
  std::vector<int> words, first, positions;
};

static Groups grouped(const std::vector<int>& ids) {
  Groups all{{}, {}, std::vector<int>(ids.size())};
  std::iota(all.positions.begin(), all.positions.end(), 0);
  const auto id = [&](int position) { return ids[static_cast<std::size_t>(position)]; };
  std::stable_sort(all.positions.begin(), all.positions.end(),
                   [&](int a, int b) { return id(a) < id(b); });
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (all.words.empty() || id(all.positions[i]) != all.words.back()) {
      all.words.push_back(id(all.positions[i]));
      all.first.push_back(static_cast<int>(i));
    }
  all.first.push_back(static_cast<int>(ids.size()));
  return all;
}

// Block g adds the rows of group g to that of its word.
static __global__ void add_rows(const int* words, const int* first, const int* positions,
                                const float* dy, float* dtable, int columns) {
  const int g = static_cast<int>(blockIdx.x);
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += block_threads) {
    float sum = 0;
    for (int i = first[g]; i < first[g + 1]; ++i) sum += dy[positions[i] * columns + c];
    dtable[words[g] * columns + c] += sum;
  }
}

void embedding_gradient(const std::vector<int>& ids, const float* dy, float* dtable, int words,
                        int columns) {
  const Groups all = grouped(ids);
  List word_of(all.words), first(all.first), positions(all.positions);
  cuda::launch({"add_rows", static_cast<unsigned>(all.words.size()), block_threads}, add_rows,
               word_of.data(), first.data(), positions.data(), dy, dtable, columns);
}

}  // namespace xf::exercise
