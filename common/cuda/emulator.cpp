#include "cuda/emulator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/guarded.hpp"
#include "cuda/waiting.hpp"
#include "cuda/watcher.hpp"

// The shared memory of all kernels is in one section, whose bounds the linker defines.
extern "C" {
[[gnu::weak]] extern unsigned char __start_xf_shared[];
[[gnu::weak]] extern unsigned char __stop_xf_shared[];
}

namespace xf::emulator {

namespace {

constexpr unsigned max_threads = 1024;
constexpr std::size_t max_shared_bytes = 48 << 10;

__attribute__((no_sanitize("address"))) void spoil(unsigned char* first, unsigned char* last,
                                                   std::uint32_t number) {
  for (std::size_t i = 0; first + i < last; ++i) first[i] = (number >> i % 4 * 8) & 0xff;
}

// Enables the watcher while a kernel runs.
struct Watched {
  explicit Watched(const Grid& grid) {
    if (watcher) watcher->kernel_begins(grid);
    in_kernel = watcher;
    busy = false;
    in_one_go = nullptr;
  }
  ~Watched() {
    in_kernel = nullptr;
    if (watcher) watcher->kernel_ends();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
};

// Runs one block at a time, on one OS thread at a time.
class Machine {
 public:
  void set_schedule(std::uint64_t seed) {
    random_ = seed * 0x9e3779b97f4a7c15ull + 1;
    constexpr std::uint32_t nan = ~0u;
    unwritten_ = std::array{std::bit_cast<std::uint32_t>(1e30f), nan,
                            std::bit_cast<std::uint32_t>(-1e30f)}[seed % 3];
    cuda::fill_fresh_memory_with(unwritten_);
  }

  void run(const Grid& grid, void (*thread)(const void*), const Stretch& arguments) {
    const std::lock_guard lock(mutex_);
    cuda::begin_kernel(grid.kernel);
    const std::size_t count = std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z;
    if (count == 0 || count > max_threads)
      throw BrokenKernel(std::string(grid.kernel) + ": a block of " + std::to_string(count) +
                         " threads");
    const std::size_t blocks = std::size_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
    if (blocks == 0 || grid.blocks.x > 2147483647 || grid.blocks.y > 65535 || grid.blocks.z > 65535)
      throw BrokenKernel(std::string(grid.kernel) + ": a grid that no device takes");
    if (grid.shared_bytes > max_shared_bytes)
      throw BrokenKernel(std::string(grid.kernel) + ": " + std::to_string(grid.shared_bytes) +
                         " bytes of shared memory, a block has " +
                         std::to_string(max_shared_bytes));
    grid_ = &grid;
    body_ = thread;
    arguments_ = arguments;
    threads_.resize(count);
    shared_ = std::make_unique<Guarded>(grid.shared_bytes);
    blockDim = grid.threads;
    gridDim = grid.blocks;
    const Watched watched(grid);
    const cuda::InsideKernel open;  // makes device memory accessible
    std::vector<unsigned> order(max_blocks_ > 0 ? std::min(blocks, max_blocks_) : blocks);
    std::iota(order.begin(), order.end(), static_cast<unsigned>(blocks - order.size()));
    for (std::size_t left = order.size(); left > 0; --left) {
      std::swap(order[below(left)], order[left - 1]);
      run_block(order[left - 1]);
    }
  }

  void run_last_blocks(std::size_t count) { max_blocks_ = count; }

  const Guarded& shared() const { return *shared_; }
  std::size_t current() const { return current_; }
  Stretch arguments() const { return arguments_; }

  void wait_for_block(Line line) {
    threads_[current_].line = line;
    wait(State::at_block_barrier);
  }

  void wait_for_warp(const WarpSync& sync) {
    require_own_lane(sync);
    threads_[current_].sync = sync;
    wait(State::at_warp_barrier);
  }

  std::uint64_t exchange(std::uint64_t bits, int source, const WarpSync& sync) {
    const std::size_t self = current_, from = self / warpSize * warpSize + std::size_t(source);
    require_own_lane(sync);
    if (from >= threads_.size()) fail("a shuffle reads a lane that the block does not have");
    if ((sync.lanes >> source & 1) == 0) fail("a shuffle reads a lane that its mask leaves out");
    threads_[self].sent = bits;
    threads_[self].source = from;
    wait_for_warp(sync);
    return threads_[self].received;
  }

  void gather(std::uint64_t bits, std::uint64_t* of_lanes, Line line) {
    const std::size_t self = current_;
    if (self / warpSize * warpSize + warpSize > threads_.size())
      fail("a warp that is not whole multiplies a fragment");
    threads_[self].sent = bits;
    threads_[self].source = self;
    threads_[self].of_lanes = of_lanes;
    wait_for_warp({~0u, line});
    threads_[self].of_lanes = nullptr;
  }

  // The stack of the running thread is abandoned: nothing on it may own memory.
  [[noreturn]] void fail(const char* problem) {
    busy = true;  // building the message must not be watched
    fail(std::string(problem));
  }
  [[noreturn]] void fail(std::string&& problem) {
    std::string().swap(problem_);  // else `problem` would own the old buffer, which would leak
    problem_ = std::move(problem);
    go(*threads_[current_].fiber, main_);
    std::abort();  // never reached
  }

  // The main loop of each fiber: runs threads that have not started, and switches to another fiber
  // if the next thread drawn is suspended there.
  void serve() {
    Fiber& self = *running_;
    while (true) {
      if (ready_.empty()) release_block();
      if (ready_.empty()) {
        idle_.push_back(&self);
        go(self, main_);
        continue;
      }
      const std::size_t next = draw();
      if (threads_[next].state == State::fresh) {
        threads_[next].fiber = &self;
        become(next);
        body_(arguments_.first);
        threads_[next].state = State::done;
      } else {
        idle_.push_back(&self);
        go(self, *threads_[next].fiber);
      }
    }
  }

 private:
  void require_own_lane(const WarpSync& sync) {
    if ((sync.lanes >> current_ % warpSize & 1) == 0)
      fail("a lane calls a shuffle or barrier whose mask leaves it out");
  }

  // Suspends the running thread and lets others run.
  void wait(State barrier) {
    const std::size_t self = current_;
    threads_[self].state = barrier;
    if (barrier == State::at_warp_barrier) arrive_at_warp(self);
    leave(*threads_[self].fiber);
    become(self);
  }

  // The next pseudo-random number below n.
  std::size_t below(std::size_t n) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<std::size_t>((random_ >> 32) * n >> 32);
  }

  void run_block(unsigned block) {
    block_ = block;
    blockIdx =
        dim3(block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y);
    spoil(__start_xf_shared, __stop_xf_shared, unwritten_);
    spoil(shared_->get(), shared_->get() + shared_->bytes(), unwritten_);
    std::fill(threads_.begin(), threads_.end(), Thread{});
    arrived_.assign((threads_.size() + warpSize - 1) / warpSize, 0);
    ready_.resize(threads_.size());
    std::iota(ready_.begin(), ready_.end(), std::size_t{0});
    laggard_ = below(threads_.size());
    problem_.clear();
    running_ = &main_;
    notify([&](Watcher& w) { w.block_begins(threads_.size()); });
    go(main_, idle_fiber());
    if (problem_.empty() && !shared_->is_whole())
      problem_ = "something is written behind the block's dynamic shared memory";
    if (problem_.empty()) {
      notify([](Watcher& w) { w.block_ends(); });
      return;
    }
    idle_.clear();  // the other fibers are suspended inside the kernel
    fibers_.clear();
    throw BrokenKernel(std::string(grid_->kernel) + ", block (" + std::to_string(blockIdx.x) +
                       ", " + std::to_string(blockIdx.y) + ", " + std::to_string(blockIdx.z) +
                       "): " + problem_);
  }

  Fiber& idle_fiber() {
    if (idle_.empty())
      idle_.push_back(fibers_.emplace_back(std::make_unique<Fiber>(enter, fibers_.size())).get());
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return *fiber;
  }

  static void enter();

  // Takes a runnable thread out of the list. One thread of each block comes last whenever possible,
  // so that all the others run as far ahead of it as the barriers allow.
  std::size_t draw() {
    std::swap(ready_[below(ready_.size())], ready_.back());
    if (ready_.back() == laggard_) std::swap(ready_.front(), ready_.back());
    const std::size_t next = ready_.back();
    ready_.pop_back();
    return next;
  }

  // Switches from a waiting thread to the next one.
  void leave(Fiber& from) {
    if (ready_.empty()) release_block();
    if (ready_.empty()) return go(from, main_);
    const std::size_t next = draw();
    if (threads_[next].state == State::fresh) {
      ready_.push_back(next);  // an idle fiber draws again
      return go(from, idle_fiber());
    }
    if (threads_[next].fiber != &from) go(from, *threads_[next].fiber);
  }

  void go(Fiber& from, Fiber& to) {
    running_ = &to;
    from.switch_to(to);
    running_ = &from;
  }

  void become(std::size_t thread) {
    current_ = thread;
    const auto t = static_cast<unsigned>(thread);
    threadIdx = t < blockDim.x ? dim3(t, 0, 0)
                               : dim3(t % blockDim.x, t / blockDim.x % blockDim.y,
                                      t / blockDim.x / blockDim.y);
    threads_[thread].state = State::ready;
    notify([&](Watcher& w) { w.thread_runs(thread); });
  }

  // Called when no thread can run: either all wait at the block's barrier, or something is wrong.
  void release_block() {
    std::size_t waiting = 0, done = 0;
    for (const Thread& thread : threads_) {
      waiting += thread.state == State::at_block_barrier;
      done += thread.state == State::done;
    }
    const std::size_t all = threads_.size();
    if (done == all || !problem_.empty()) return;
    const auto elsewhere = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& t) {
      return t.line.number != threads_[0].line.number;
    });
    if (waiting == all && elsewhere == threads_.end()) {
      notify([](Watcher& w) { w.block_meets(); });
      return release(0, all);
    }
    busy = true;  // building the message must not be watched
    problem_ = waiting < all ? why_nobody_goes_on(threads_)
                             : "threads wait at different barriers, in lines " +
                                   in_order(threads_[0].line, elsewhere->line);
  }

  // The lanes of a mask continue once all of them have arrived at the same line.
  void arrive_at_warp(std::size_t self) {
    const std::size_t first = self / warpSize * warpSize, left = threads_.size() - first;
    const WarpSync sync = threads_[self].sync;
    const unsigned lanes = left < warpSize ? sync.lanes & ((1u << left) - 1) : sync.lanes;
    std::size_t& waiting = arrived_[first / warpSize];
    if (++waiting < static_cast<std::size_t>(std::popcount(lanes))) return;
    for (std::size_t i = first; i < threads_.size() && i < first + warpSize; ++i)
      if ((lanes >> (i - first) & 1) != 0 &&
          (threads_[i].state != State::at_warp_barrier || !(threads_[i].sync == sync)))
        return;
    notify([&](Watcher& w) { w.lanes_meet(first, lanes, sync.orders_memory); });
    for (std::size_t i = first; i < threads_.size() && i < first + warpSize; ++i) {
      if ((lanes >> (i - first) & 1) == 0) continue;
      Thread& thread = threads_[i];
      thread.received = threads_[thread.source].sent;
      for (std::size_t lane = 0; thread.of_lanes && lane < warpSize; ++lane)
        thread.of_lanes[lane] = threads_[first + lane].sent;
      --waiting;
      release(i, i + 1);
    }
  }

  void release(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      threads_[i].state = State::ready;
      ready_.push_back(i);
    }
  }

  std::mutex mutex_;
  std::uint64_t random_ = 1;
  std::size_t max_blocks_ = 0;
  std::uint32_t unwritten_ = ~0u;  // the content of memory that was never written
  const Grid* grid_ = nullptr;
  void (*body_)(const void*) = nullptr;
  Stretch arguments_{};
  unsigned block_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::size_t> ready_;    // runnable threads
  std::vector<std::size_t> arrived_;  // per warp: lanes waiting at its barrier
  std::size_t current_ = 0, laggard_ = 0;
  std::unique_ptr<Guarded> shared_;
  std::string problem_;
  Fiber main_;
  Fiber* running_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

Machine& machine() {
  static Machine machine;
  static const bool seeded = [] {
    const char* seed = std::getenv("XF_SCHEDULE");
    if (seed) machine.set_schedule(std::strtoull(seed, nullptr, 10));
    return true;
  }();
  static_cast<void>(seeded);
  return machine;
}

void Machine::enter() {
  sanitizers::FiberSwitch::arrive();
  machine().serve();
}

}  // namespace

void set_schedule(std::uint64_t seed) { machine().set_schedule(seed); }
void run_last_blocks(std::size_t count) {
  machine().run_last_blocks(count);
  cuda::copy_ends_only(count > 0);
}
void run(const Grid& grid, void (*thread)(const void*), const void* arguments, std::size_t bytes) {
  machine().run(grid, thread, {static_cast<const unsigned char*>(arguments), bytes});
}
void check_pointer(const char* kernel, int number, const void* pointer) {
  if (pointer && !cuda::on_device(pointer))
    throw BrokenKernel(std::string(kernel) + ": argument " + std::to_string(number) +
                       " points to the host's memory");
}
void block_barrier(Line line) { machine().wait_for_block(line); }
void warp_barrier(const WarpSync& sync) { machine().wait_for_warp(sync); }
void fence() {
  notify([](Watcher& w) { w.fences(); });
}
Atomic::Atomic(void* place, std::size_t bytes) {
  notify([&](Watcher& w) { w.atomic(place, bytes); });
  in_one_go = place;
}
Atomic::~Atomic() { in_one_go = nullptr; }
void* dynamic_shared_memory() { return machine().shared().get(); }
Stretch kernel_arguments() { return machine().arguments(); }
std::size_t running_thread() { return machine().current(); }
Stretch dynamic_shared() { return {machine().shared().get(), machine().shared().bytes()}; }
Stretch static_shared() {
  return {__start_xf_shared, static_cast<std::size_t>(__stop_xf_shared - __start_xf_shared)};
}
bool on_fiber(const void* place) { return Fiber::holds(place); }
std::uint64_t exchange(std::uint64_t bits, int source, const WarpSync& sync) {
  return machine().exchange(bits, source, sync);
}
void gather(std::uint64_t bits, std::uint64_t* of_lanes, Line line) {
  machine().gather(bits, of_lanes, line);
}
void broken(const char* problem) { machine().fail(problem); }
void broken(std::string&& problem) { machine().fail(std::move(problem)); }

}  // namespace xf::emulator
