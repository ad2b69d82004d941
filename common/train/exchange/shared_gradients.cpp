#include "train/exchange/shared_gradients.hpp"

#include <algorithm>

#include "distributed/neighbours.hpp"
#include "train/exchange/kernels.hpp"

namespace xf {

namespace {

using kernel::stretch;

std::size_t size_of(const SharedGradients::Slice& slice) {
  return static_cast<std::size_t>(slice.count);
}

std::vector<std::ptrdiff_t> counts_of(const std::vector<NamedParameter>& parameters) {
  std::vector<std::ptrdiff_t> counts;
  for (const NamedParameter& parameter : parameters) counts.push_back(parameter.tensor->count());
  return counts;
}

}  // namespace

SharedGradients::SharedGradients(const std::vector<NamedParameter>& parameters)
    : SharedGradients(counts_of(parameters)) {}

// The shares consist of whole stretches, and are as equal as possible.
SharedGradients::SharedGradients(std::vector<std::ptrdiff_t> counts, Endpoint& self)
    : self_(&self), counts_(std::move(counts)) {
  std::vector<std::ptrdiff_t> begins;  // of the stretches
  std::ptrdiff_t all = 0;
  for (const std::ptrdiff_t count : counts_) {
    offsets_.push_back(all);
    for (std::ptrdiff_t at = 0; at < count; at += stretch) begins.push_back(all + at);
    all += count;
  }
  begins.push_back(all);
  const auto begin = [&](std::ptrdiff_t number) {
    return begins[static_cast<std::size_t>(number)];
  };
  for (int rank = 0; rank < self_->ranks(); ++rank) {
    const Range own = share_of(std::ssize(begins) - 1, rank, self_->ranks());
    ranges_.push_back({begin(own.first), begin(own.last)});
  }
  row_.resize(static_cast<std::size_t>(all));
}

std::vector<SharedGradients::Slice> SharedGradients::slices(int rank) const {
  const Range& range = ranges_[static_cast<std::size_t>(rank)];
  std::vector<Slice> all;
  for (std::size_t p = 0; p < counts_.size(); ++p) {
    const std::ptrdiff_t first = std::max(range.first, offsets_[p]),
                         last = std::min(range.last, offsets_[p] + counts_[p]);
    if (first < last) all.push_back({p, first - offsets_[p], last - first, first});
  }
  return all;
}

void SharedGradients::ask_who_has_what(const ShardGradients& own) {
  std::string has;
  for (const std::vector<Tensor>& shards : own)
    for (const Tensor& gradient : shards) has += gradient.defined() ? '1' : '0';
  has_ = bytes_of_all(*self_, has);
  first_shard_ = {0};
  for (const std::string& one : has_)
    first_shard_.push_back(first_shard_.back() + static_cast<int>(one.size() / own.size()));
  present_.assign(own.size(), false);
  for (std::size_t p = 0; p < own.size(); ++p)
    for (const std::string& one : has_) {
      const std::size_t shards = one.size() / own.size();
      if (one.substr(p * shards, shards).find('1') != one.npos) present_[p] = true;
    }
}

std::vector<std::vector<int>> SharedGradients::left_over(int rank) const {
  const std::string& has = has_[static_cast<std::size_t>(rank)];
  const int first = first_shard_[static_cast<std::size_t>(rank)],
            last = first_shard_[static_cast<std::size_t>(rank) + 1];
  std::vector<std::vector<int>> left;
  for (std::size_t p = 0; p < counts_.size(); ++p) {
    std::vector<char> slots(static_cast<std::size_t>(first_shard_.back()), 0);
    for (int shard = first; shard < last; ++shard)
      slots[static_cast<std::size_t>(shard)] = has[p * static_cast<std::size_t>(last - first) +
                                                   static_cast<std::size_t>(shard - first)] == '1';
    add_neighbours(std::span(slots), first, last, [](char, char) {});
    std::vector<int>& of_this = left.emplace_back();
    for (int shard = first; shard < last; ++shard)
      if (slots[static_cast<std::size_t>(shard)]) of_this.push_back(shard);
  }
  return left;
}

std::vector<double> SharedGradients::add_up(const ShardGradients& gradients) {
  return dispatch_on_host([&](auto on) { return add_up_on(on, gradients); });
}

template <class On>
std::vector<double> SharedGradients::add_up_on(On on, const ShardGradients& own) {
  ask_who_has_what(own);
  const int rank = self_->rank(), ranks = self_->ranks();
  const auto all_shards = static_cast<std::size_t>(first_shard_.back());
  const int first = first_shard_[static_cast<std::size_t>(rank)],
            last = first_shard_[static_cast<std::size_t>(rank) + 1];

  // Adds up this process's shards as far as the order of summation allows.
  std::vector<kernel::ShardSums> here;
  for (std::size_t p = 0; p < counts_.size(); ++p) {
    Slots slots(all_shards, nullptr);
    for (std::size_t i = 0; Tensor gradient : own[p])
      slots[static_cast<std::size_t>(first) + i++] =
          gradient.defined() ? gradient.data(on) : nullptr;
    here.push_back({slots, counts_[p]});
  }
  kernel::add_shards(on, here, first, last);

  // Every process receives the parts of its share.
  got_.resize(static_cast<std::size_t>(ranks));
  std::vector<Endpoint::Outgoing> out;
  std::vector<Endpoint::Incoming> in;
  const std::vector<Slice> own_slices = slices(rank);
  std::vector<std::vector<std::vector<int>>> left;
  for (int other = 0; other < ranks; ++other) left.push_back(left_over(other));
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    for (const Slice& slice : slices(other))
      for (const int shard : left[static_cast<std::size_t>(rank)][slice.parameter]) {
        const float* sum = here[slice.parameter].shards[static_cast<std::size_t>(shard)];
        out.push_back({other, std::as_bytes(std::span(sum + slice.first, size_of(slice)))});
      }
    std::size_t expected = 0, begin = 0;
    const auto shards_of = [&](const Slice& slice) {
      return left[static_cast<std::size_t>(other)][slice.parameter].size();
    };
    for (const Slice& slice : own_slices) expected += shards_of(slice) * size_of(slice);
    std::vector<float>& from = got_[static_cast<std::size_t>(other)];
    from.resize(expected);
    for (const Slice& slice : own_slices)
      for (std::size_t i = 0; i < shards_of(slice); ++i, begin += size_of(slice))
        in.push_back(
            {other, std::as_writable_bytes(std::span(from).subspan(begin, size_of(slice)))});
  }
  self_->exchange(out, in);

  // And adds them up.
  std::vector<kernel::ShardSums> share;
  std::vector<std::size_t> taken(got_.size(), 0);
  for (const Slice& slice : own_slices) {
    if (!present_[slice.parameter]) continue;
    Slots slots(all_shards, nullptr);
    for (int other = 0; other < ranks; ++other)
      for (const int shard : left[static_cast<std::size_t>(other)][slice.parameter]) {
        float*& slot = slots[static_cast<std::size_t>(shard)];
        if (other == rank) {
          slot = here[slice.parameter].shards[static_cast<std::size_t>(shard)] + slice.first;
          continue;
        }
        std::size_t& begin = taken[static_cast<std::size_t>(other)];
        slot = got_[static_cast<std::size_t>(other)].data() + begin;
        begin += static_cast<std::size_t>(slice.count);
      }
    share.push_back({slots, slice.count, row_.data() + slice.offset});
  }
  const std::vector<double> squares = kernel::add_all_shards(on, share);

  // The stretches of all processes, one after the other, are in the order of the row.
  const std::string bytes(reinterpret_cast<const char*>(squares.data()),
                          squares.size() * sizeof(double));
  std::vector<double> all;
  for (const std::string& one : bytes_of_all(*self_, bytes)) {
    const auto* numbers = reinterpret_cast<const double*>(one.data());
    all.insert(all.end(), numbers, numbers + one.size() / sizeof(double));
  }
  return all;
}

}  // namespace xf
