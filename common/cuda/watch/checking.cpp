#include "cuda/checking.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cuda/watch/address_table.hpp"
#include "cuda/watch/races.hpp"
#include "cuda/watch/stretches.hpp"

extern "C" {
extern const char __executable_start[], __data_start[];  // linker symbols; constants lie between
}

namespace xf::cuda {

namespace {

using watch::AddressTable, watch::Cell, watch::lies_in, watch::Memory, watch::Use;

constexpr std::size_t max_shared_bytes = 48 << 10;
enum Contents : unsigned char { nobodys, unwritten, written };

template <class T>
bool is_part_of(const T& whole, const void* place) {
  return lies_in({reinterpret_cast<const unsigned char*>(&whole), sizeof whole}, place);
}

// What else a thread may read: its indices, its arguments, constants.
bool may_be_read(const void* place) {
  const auto* byte = static_cast<const char*>(place);
  return (byte >= __executable_start && byte < __data_start) || is_part_of(threadIdx, place) ||
         is_part_of(blockIdx, place) || is_part_of(blockDim, place) || is_part_of(gridDim, place) ||
         lies_in(emulator::kernel_arguments(), place);
}

std::string thread_number_text(std::size_t thread) { return "thread " + std::to_string(thread); }

[[noreturn]] void fail(const std::string& what) {
  emulator::broken(thread_number_text(emulator::running_thread()) + " " + what);
}

}  // namespace

class Checking::Checker : public emulator::Watcher {
 public:
  Checker() : before_(std::exchange(emulator::watcher, this)) {}
  ~Checker() override { emulator::watcher = before_; }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // ---- the host ---------------------------------------------------------------------------------

  void allocated(void* block, std::size_t bytes) override {
    std::memset(&contents_[device_offset(block)], unwritten, bytes);
    blocks_[device_offset(block)] = bytes;
  }
  void released(void* block, std::size_t bytes) override {
    std::memset(&contents_[device_offset(block)], nobodys, bytes);
    blocks_.erase(device_offset(block));
  }

  void copied(Copy direction, const void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    if (direction != Copy::to_host) require_block(to, bytes, "a copy");
    if (direction != Copy::to_device) require_block(from, bytes, "a copy");
    if (direction == Copy::to_device) std::memset(&contents_[device_offset(to)], written, bytes);
    if (direction == Copy::on_device)
      std::memmove(&contents_[device_offset(to)], &contents_[device_offset(from)], bytes);
  }
  void library_reads(const void* first, std::size_t bytes) override {
    require_block(first, bytes, "cuBLAS");
    const unsigned char* contents = &contents_[device_offset(first)];
    if (std::find(contents, contents + bytes, unwritten) != contents + bytes)
      throw emulator::BrokenKernel("cuBLAS reads device memory that nobody has written to");
  }
  void library_writes(const void* first, std::size_t bytes) override {
    require_block(first, bytes, "cuBLAS");
    std::memset(&contents_[device_offset(first)], written, bytes);
  }

  // ---- a kernel ---------------------------------------------------------------------------------

  void kernel_begins(const emulator::Grid&) override { order_.kernel_begins(); }
  void block_begins(std::size_t threads) override {
    order_.block_begins(threads);
    shared_in_use_ = emulator::dynamic_shared().bytes;
    static_cells_.resize(emulator::static_shared().bytes / 2 + 1);
    dynamic_cells_.resize(std::max(dynamic_cells_.size(), shared_in_use_ / 2 + 1));
  }
  void block_meets() override { order_.block_meets(); }
  void lanes_meet(std::size_t first, unsigned lanes, bool orders_memory) override {
    if (orders_memory) order_.lanes_meet(first, lanes);
  }

  // ---- the running thread -----------------------------------------------------------------------

  void access(void* place, std::size_t bytes, bool write, const void*) override {
    const Memory memory = watch::memory_of(place);
    if (memory == Memory::elsewhere) return watch::check_elsewhere(place, write);
    if (memory == Memory::device) check_contents(place, bytes, write);
    use(memory, place, bytes, write, false);
  }

  void atomic(void* place, std::size_t bytes) override {
    const Memory memory = watch::memory_of(place);
    if (memory == Memory::elsewhere) return watch::check_elsewhere(place, true);
    if (memory == Memory::device) {
      check_contents(place, bytes, false);
      check_contents(place, bytes, true);
    }
    order_.atomic(emulator::running_thread(), place);
    use(memory, place, bytes, false, true);
    use(memory, place, bytes, true, true);
  }

  void fences() override { order_.fences(emulator::running_thread()); }

 private:
  // "4 bytes behind the end of an allocation of 12"
  std::string where(std::size_t offset) const {
    const auto next = blocks_.upper_bound(offset);
    if (next == blocks_.begin()) return "where no block of memory is";
    const auto [first, bytes] = *std::prev(next);
    const auto bytes_text = [](std::size_t n) { return std::to_string(n) + " bytes"; };
    if (offset < first + bytes)
      return bytes_text(offset - first) + " into a block of " + std::to_string(bytes);
    return bytes_text(offset - first - bytes) + " behind the end of an allocation of " +
           std::to_string(bytes);
  }

  void require_block(const void* first, std::size_t bytes, const std::string& who) const {
    const std::size_t offset = device_offset(first);
    const auto next = blocks_.upper_bound(offset);
    if (next != blocks_.begin()) {
      const auto [begin, size] = *std::prev(next);
      if (offset + bytes <= begin + size) return;
    }
    throw emulator::BrokenKernel(who + " of " + std::to_string(bytes) + " bytes, " + where(offset) +
                                 ", is longer than that");
  }

  void check_contents(const void* place, std::size_t bytes, bool write) {
    const std::size_t first = device_offset(place);
    unsigned char* contents = &contents_[first];
    for (std::size_t i = 0; i < bytes; ++i) {
      if (contents[i] == nobodys)
        fail((write ? "writes " : "reads ") + std::to_string(bytes) + " bytes, " +
             where(first + i));
      if (contents[i] == unwritten && !write)
        fail("reads device memory that nobody has written to, " + where(first + i));
      if (write) contents[i] = written;
    }
  }

  Cell& cell(Memory memory, const void* place) {
    if (memory == Memory::device) return device_cells_[device_offset(place) / 2];
    const auto in = [&](const emulator::Stretch& all) {
      return static_cast<std::size_t>(static_cast<const unsigned char*>(place) - all.first) / 2;
    };
    const emulator::Stretch all = emulator::static_shared();
    return lies_in(all, place) ? static_cells_[in(all)]
                               : dynamic_cells_[in(emulator::dynamic_shared())];
  }

  void use(Memory memory, const void* place, std::size_t bytes, bool write, bool atomic) {
    const std::size_t self = emulator::running_thread();
    for (std::size_t i = 0; i < bytes; i += 2) {
      const void* at = static_cast<const unsigned char*>(place) + i;
      Cell& here = cell(memory, at);
      if (memory == Memory::shared) {
        here.forget_other_blocks(order_);
        check_shared(here, at, write);
      }
      const auto other = write ? here.write(order_, self, atomic) : here.read(order_, self, atomic);
      if (other) fail_race(memory, *other, write);
    }
  }

  void check_shared(const Cell& here, const void* place, bool write) {
    const Use& last = here.last_write();
    const bool fresh = !order_.of_this_block(last);
    if (fresh && !write) fail("reads shared memory that nobody has written to");
    if (!fresh || !lies_in(emulator::static_shared(), place)) return;
    shared_in_use_ += 2;
    if (shared_in_use_ > max_shared_bytes)
      fail("uses more shared memory than the " + std::to_string(max_shared_bytes) +
           " bytes that a block has");
  }

  [[noreturn]] void fail_race(Memory memory, const Use& other, bool write) const {
    const std::string number = std::string(write ? "writes" : "reads") + " a number of " +
                               (memory == Memory::shared ? "shared" : "device") + " memory that ";
    if (!order_.of_this_block(other))
      fail(number + "another block uses, too; no fence before an atomic orders them");
    fail(number + thread_number_text(other.thread) + " uses, too; no barrier orders them");
  }

  emulator::Watcher* before_;
  AddressTable<unsigned char> contents_{reserved_addresses()};
  AddressTable<Cell> device_cells_{reserved_addresses() / 2};
  std::vector<Cell> static_cells_, dynamic_cells_;
  std::map<std::size_t, std::size_t> blocks_;  // offset, bytes
  std::size_t shared_in_use_ = 0;
  watch::Order order_;
};

Checking::Checking() : checker_(std::make_unique<Checker>()) {}
Checking::~Checking() = default;

}  // namespace xf::cuda

void xf::watch::check_elsewhere(const void* place, bool write) {
  constexpr const char* where = " memory that is neither the device's nor shared by its block";
  if (write) cuda::fail(std::string("writes to") + where);
  if (!cuda::may_be_read(place)) cuda::fail(std::string("reads") + where);
}
