#include "text/packed_batch.hpp"

#include <stdexcept>
#include <string>

#include "text/vocabulary.hpp"

namespace xf {

namespace {

struct Row {
  std::vector<std::int32_t> ids;
  std::vector<int> starts = {0};

  void end_sentence() { starts.push_back(static_cast<int>(ids.size())); }
  Ids as_ids() const { return Ids({1, static_cast<int>(ids.size())}, ids); }
  Sentences sentences() const { return Sentences::end_to_end(as_ids(), starts); }
};

long tokens_of(const Example& e) {  // plus the <bos> or <eos> of the target
  return static_cast<long>(e.source.size() + e.target.size()) + 1;
}

}  // namespace

PackedBatch make_packed_batch(const std::vector<Example>& examples, std::span<const int> which) {
  if (which.empty()) throw std::invalid_argument("make_packed_batch: no examples");
  Row source, in, out;
  for (int i : which) {
    if (i < 0 || i >= static_cast<int>(examples.size()))
      throw std::invalid_argument("make_packed_batch: example " + std::to_string(i) + " of " +
                                  std::to_string(examples.size()));
    const Example& e = examples[static_cast<std::size_t>(i)];
    source.ids.insert(source.ids.end(), e.source.begin(), e.source.end());
    in.ids.push_back(bos_id);
    in.ids.insert(in.ids.end(), e.target.begin(), e.target.end());
    out.ids.insert(out.ids.end(), e.target.begin(), e.target.end());
    out.ids.push_back(eos_id);
    source.end_sentence();
    in.end_sentence();
  }
  return {source.sentences(), in.sentences(), out.as_ids()};
}

std::vector<PackedBatch> split_packed_batch(const std::vector<Example>& examples,
                                            std::span<const int> which, int shards) {
  if (shards < 1)
    throw std::invalid_argument("split_packed_batch: " + std::to_string(shards) + " shards");
  if (which.empty()) throw std::invalid_argument("split_packed_batch: no examples");
  long all = 0, before = 0;
  for (int i : which) all += tokens_of(examples.at(static_cast<std::size_t>(i)));
  std::vector<std::vector<int>> parts(static_cast<std::size_t>(shards));
  for (int i : which) {  // a sentence goes to the part that contains its middle token
    const long tokens = tokens_of(examples[static_cast<std::size_t>(i)]);
    parts[static_cast<std::size_t>((before + tokens / 2) * shards / all)].push_back(i);
    before += tokens;
  }
  std::vector<PackedBatch> batches;
  for (const std::vector<int>& part : parts)
    if (!part.empty()) batches.push_back(make_packed_batch(examples, part));
  return batches;
}

}  // namespace xf
