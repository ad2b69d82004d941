#include "cuda/counts.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/watch/address_table.hpp"
#include "cuda/watch/sites.hpp"
#include "cuda/watch/stretches.hpp"
#include "cuda/watch/warp_accesses.hpp"

namespace xf::watch {

namespace {

using cuda::KernelCounts;

// The n-th time that a lane reaches a place in the code since it last synchronised with its warp.
struct Visit {
  std::uint32_t site = 0, meeting = 0, number = 0;
  friend bool operator==(const Visit&, const Visit&) = default;
};
struct Hash {
  std::size_t operator()(const Visit& v) const {
    const std::uint64_t all =
        (std::uint64_t{v.site} << 40) ^ (std::uint64_t{v.meeting} << 20) ^ v.number;
    return static_cast<std::size_t>((all * 0x9e3779b97f4a7c15ull) >> 17);
  }
};

// Where the lanes of a warp went after a basic block.
struct Branch {
  std::uint32_t next = 0;
  unsigned lanes = 0;
  bool parted = false;
};

struct Warp {
  unsigned lanes = 0;  // that it has
  std::unordered_map<Visit, WarpAccess, Hash> accesses;
  std::unordered_map<Visit, Branch, Hash> branches;
};

struct Lane {
  struct Times {
    std::uint32_t meeting = 0, number = 0;
  };
  std::uint32_t meeting = 0;
  Visit block;               // the lane's current basic block
  std::vector<Times> times;  // by site: visits since the last meeting
};

// For each sector of device memory, the last launch that touched it.
class Sectors {
 public:
  static constexpr std::size_t bytes = 32;

  // Is this the first access to the sector in this launch?
  bool first(std::size_t sector, std::uint32_t launch) {
    return std::exchange(launches_[sector], launch) != launch;
  }

 private:
  AddressTable<std::uint32_t> launches_{cuda::reserved_addresses() / bytes};
};

class Counter : public emulator::Watcher {
 public:
  cuda::Counts counts;

  // ---- the host ---------------------------------------------------------------------------------

  void allocated(void*, std::size_t bytes) override {
    ++counts.allocations;
    counts.bytes_allocated += static_cast<long>(bytes);
  }
  void copied(Copy direction, const void*, const void*, std::size_t bytes) override {
    const long size = static_cast<long>(bytes);
    if (direction == Copy::to_device) ++counts.uploads, counts.bytes_uploaded += size;
    if (direction == Copy::to_host) ++counts.downloads, counts.bytes_downloaded += size;
    if (direction == Copy::on_device) ++counts.device_copies;
  }
  void library_reads(const void* first, std::size_t bytes) override { touch(first, bytes, false); }
  void library_writes(const void* first, std::size_t bytes) override { touch(first, bytes, true); }

  // ---- a kernel ---------------------------------------------------------------------------------

  void kernel_begins(const emulator::Grid& grid) override {
    kernel_ = &counts.kernels[grid.kernel];
    const auto all = [](const dim3& n) { return long(n.x) * n.y * n.z; };
    ++launch_;
    ++kernel_->launches;
    kernel_->blocks += all(grid.blocks);
    kernel_->threads += all(grid.blocks) * all(grid.threads);
  }

  void block_begins(std::size_t threads) override {
    ++meetings_;
    warps_.resize((threads + warpSize - 1) / warpSize);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      const std::size_t left = threads - w * warpSize;
      warps_[w].lanes = left < warpSize ? (1u << left) - 1 : ~0u;
    }
    if (lanes_.size() < threads) lanes_.resize(threads);
    threads_ = threads;
    for (std::size_t t = 0; t < threads; ++t) {
      lanes_[t].meeting = meetings_;
      lanes_[t].block = {};
    }
  }

  // Accesses that some lanes have skipped are counted now, although they are incomplete.
  void block_ends() override {
    for (std::size_t t = 0; t < threads_; ++t) go_on(t, 0);
    for (Warp& warp : warps_) {
      for (const auto& [visit, access] : warp.accesses) count(access);
      warp.accesses.clear();
      warp.branches.clear();
    }
  }

  void block_meets() override {
    ++kernel_->barriers;
    ++meetings_;
    for (std::size_t t = 0; t < threads_; ++t) lanes_[t].meeting = meetings_;
  }
  void lanes_meet(std::size_t first, unsigned lanes, bool) override {
    ++meetings_;
    for (std::size_t lane = 0; lane < warpSize; ++lane)
      if ((lanes >> lane & 1) != 0) lanes_[first + lane].meeting = meetings_;
  }

  // ---- the running thread -----------------------------------------------------------------------

  void access(void* place, std::size_t bytes, bool write, const void* site) override {
    if (memory_of(place) == Memory::elsewhere) return check_elsewhere(place, write);
    const std::size_t self = emulator::running_thread(), lane = self % warpSize;
    Warp& warp = warps_[self / warpSize];
    const auto found = warp.accesses.try_emplace(visit(self, sites_.number(site))).first;
    WarpAccess& all = found->second;
    all.places[lane] = place;
    all.lanes |= 1u << lane;
    all.bytes = bytes;
    all.write = write;
    if (all.lanes != warp.lanes) return;
    count(all);
    warp.accesses.erase(found);
  }

  void enters(const void* basic_block) override {
    const std::size_t self = emulator::running_thread();
    const std::uint32_t site = sites_.number(basic_block);
    go_on(self, site);
    lanes_[self].block = visit(self, site);
  }

  void atomic(void* place, std::size_t) override {
    ++kernel_->atomics;
    if (cuda::on_device(place)) ++kernel_->device_atomics;
  }

 private:
  Visit visit(std::size_t thread, std::uint32_t site) {
    Lane& lane = lanes_[thread];
    if (lane.times.size() <= site) lane.times.resize(site + 256);
    Lane::Times& times = lane.times[site];
    if (times.meeting != lane.meeting) times = {lane.meeting, 0};
    return {site, lane.meeting, times.number++};
  }

  // Moves the thread from its current basic block to the one at `site`; 0: to the kernel's end.
  void go_on(std::size_t thread, std::uint32_t site) {
    const Visit& from = lanes_[thread].block;
    if (from.site == 0) return;
    Warp& warp = warps_[thread / warpSize];
    const auto found = warp.branches.try_emplace(from).first;
    Branch& branch = found->second;
    if (branch.lanes == 0) branch.next = site;
    if (branch.next != site && !branch.parted) branch.parted = true, ++kernel_->branches;
    branch.lanes |= 1u << thread % warpSize;
    if (branch.lanes == warp.lanes) warp.branches.erase(found);
  }

  void count(const WarpAccess& access) {
    if (!cuda::on_device(access.places[std::size_t(std::countr_zero(access.lanes))])) {
      ++kernel_->shared_accesses;
      kernel_->conflicts += bank_conflicts(access);
      return;
    }
    ++kernel_->accesses;
    kernel_->transactions += transactions(access);
    access.each_lane(
        [&](std::size_t lane) { touch(access.places[lane], access.bytes, access.write); });
  }

  void touch(const void* place, std::size_t bytes, bool write) {
    long& total = write ? kernel_->bytes_written : kernel_->bytes_read;
    Sectors& sectors = write ? written_ : read_;
    const std::size_t first = cuda::device_offset(place);
    for (std::size_t at = first / Sectors::bytes; at <= (first + bytes - 1) / Sectors::bytes; ++at)
      if (sectors.first(at, launch_)) total += long(Sectors::bytes);
  }

  KernelCounts* kernel_ = nullptr;
  std::uint32_t launch_ = 0, meetings_ = 0;
  std::size_t threads_ = 0;
  std::vector<Warp> warps_;
  std::vector<Lane> lanes_;
  Sites sites_;
  Sectors read_, written_;
};

Counter& counter() {
  static Counter* const counter = new Counter;  // its tables cover the whole device
  return *counter;
}

}  // namespace

}  // namespace xf::watch

namespace xf::cuda {

Counting::Counting() : before_(std::exchange(emulator::watcher, &watch::counter())) {
  watch::counter().counts = {};
}
Counting::~Counting() { emulator::watcher = before_; }
const Counts& Counting::so_far() const { return watch::counter().counts; }

}  // namespace xf::cuda
