#include "cuda/emulator.hpp"

// glibc would take a jump between two stacks for an error.
#undef _FORTIFY_SOURCE
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/sanitizers.hpp"

// The shared memory of all kernels lies in one section, whose ends the linker names.
extern "C" {
[[gnu::weak]] extern unsigned char __start_xf_shared[];
[[gnu::weak]] extern unsigned char __stop_xf_shared[];
}

namespace xf::emulator {

namespace {

constexpr std::size_t stack_bytes = 256 << 10;       // reserved; only what is used takes memory
constexpr std::size_t shift = 7 * 64, shifts = 128;  // stacks begin apart in the caches, see Fiber
constexpr unsigned most_threads = 1024;

// A stack that a thread of the block runs on. As in other programs with fibers, makecontext()
// enters it the first time, and longjmp() after that, which asks nothing of the kernel. If all
// stacks began at the same place of a page, a few lines of the cache would have to hold them all.
class Fiber {
 public:
  Fiber(void (*body)(), std::size_t number)
      : stack_(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (stack_ == MAP_FAILED) throw std::bad_alloc();
    getcontext(&first_);
    first_.uc_stack.ss_sp = stack_;
    first_.uc_stack.ss_size = stack_bytes - number % shifts * shift;
    first_.uc_link = nullptr;
    makecontext(&first_, body, 0);
  }
  Fiber() = default;  // the stack of the program itself
  ~Fiber() {
    if (!stack_) return;
    sanitizers::allow(stack_, stack_bytes);
    munmap(stack_, stack_bytes);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From this one, which is running, to `other`; returns when somebody switches back.
  void switch_to(Fiber& other) {
    sanitizers::FiberSwitch announced(other.stack_, other.stack_ ? stack_bytes : 0);
    if (_setjmp(place_) == 0) other.enter();
  }

 private:
  [[noreturn]] void enter() {
    if (stack_ && !entered_) {
      entered_ = true;
      setcontext(&first_);
    }
    _longjmp(place_, 1);
  }

  void* stack_ = nullptr;
  bool entered_ = false;
  ucontext_t first_;
  jmp_buf place_;
};

enum class State { fresh, ready, at_block_barrier, at_warp_barrier, done };

struct Thread {
  State state = State::fresh;
  Fiber* fiber = nullptr;
  std::uint64_t mailbox[2] = {};  // of exchange(), in turns
  int exchanges = 0;
};

__attribute__((no_sanitize("address"))) void spoil(unsigned char* first, unsigned char* last) {
  for (; first < last; ++first) *first = 0xff;
}

// One block at a time, on one thread of the operating system at a time.
class Machine {
 public:
  void set_schedule(std::uint64_t seed) { random_ = seed * 0x9e3779b97f4a7c15ull + 1; }

  void run(const Grid& grid, void (*thread)(const void*), const void* arguments) {
    const std::lock_guard lock(mutex_);
    cuda::begin_kernel(grid.kernel);
    const std::size_t count = std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z;
    if (count == 0 || count > most_threads)
      throw BrokenKernel(std::string(grid.kernel) + ": a block of " + std::to_string(count) +
                         " threads");
    const std::size_t blocks = std::size_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
    if (blocks == 0 || grid.blocks.y > 65535 || grid.blocks.z > 65535)
      throw BrokenKernel(std::string(grid.kernel) + ": a grid that no device takes");
    grid_ = &grid;
    body_ = thread;
    arguments_ = arguments;
    threads_.resize(count);
    shared_ = std::make_unique<unsigned char[]>(grid.shared_bytes);
    blockDim = grid.threads;
    gridDim = grid.blocks;
    const cuda::InsideKernel open;  // device memory may be touched until it ends
    std::vector<unsigned> order(blocks);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t left = blocks; left > 0; --left) {
      std::swap(order[below(left)], order[left - 1]);
      run_block(order[left - 1]);
    }
  }

  void* shared() { return shared_.get(); }

  // The running thread waits, and others run.
  void wait(State barrier) {
    const std::size_t self = current_;
    threads_[self].state = barrier;
    if (barrier == State::at_warp_barrier) arrive_at_warp(self / warpSize);
    leave(*threads_[self].fiber);
    become(self);
  }

  std::uint64_t exchange(std::uint64_t bits, int source) {
    const std::size_t from = current_ / warpSize * warpSize + std::size_t(source);
    const int turn = leave_for_warp(bits);
    if (from >= threads_.size()) fail("a shuffle reads a lane that the block does not have");
    return threads_[from].mailbox[turn];
  }

  void gather(std::uint64_t bits, std::uint64_t* of_lanes) {
    const std::size_t first = current_ / warpSize * warpSize;
    const int turn = leave_for_warp(bits);
    if (first + warpSize > threads_.size()) fail("a warp that is not whole multiplies a fragment");
    for (std::size_t lane = 0; lane < warpSize; ++lane)
      of_lanes[lane] = threads_[first + lane].mailbox[turn];
  }

  // Nobody comes back to the stack of the running thread: what it owns would be lost.
  [[noreturn]] void fail(const char* problem) {
    problem_ = problem;
    go(*threads_[current_].fiber, main_);
    std::abort();  // nobody comes back here
  }

  // What each fiber does for ever: takes threads that have not begun, and goes on with another
  // fiber where the next one drawn waits there.
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
        body_(arguments_);
        threads_[next].state = State::done;
      } else {
        idle_.push_back(&self);
        go(self, *threads_[next].fiber);
      }
    }
  }

 private:
  // In which mailbox the lanes of the warp have left their numbers. There are two, so that a fast
  // lane does not overwrite what a slow one has yet to read.
  int leave_for_warp(std::uint64_t bits) {
    const std::size_t self = current_;
    const int turn = threads_[self].exchanges++ % 2;
    threads_[self].mailbox[turn] = bits;
    wait(State::at_warp_barrier);
    return turn;
  }

  // A running number below n.
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
    spoil(__start_xf_shared, __stop_xf_shared);
    std::memset(shared_.get(), 0xff, grid_->shared_bytes);
    std::fill(threads_.begin(), threads_.end(), Thread{});
    arrived_.assign((threads_.size() + warpSize - 1) / warpSize, 0);
    ready_.resize(threads_.size());
    std::iota(ready_.begin(), ready_.end(), std::size_t{0});
    laggard_ = below(threads_.size());
    problem_.clear();
    running_ = &main_;
    go(main_, idle_fiber());
    if (problem_.empty()) return;
    idle_.clear();  // the others stand in the middle of the kernel
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

  // A thread that may run, taken out of the list. One of each block comes last whenever it may, so
  // that all the others are as far ahead of it as the barriers let them.
  std::size_t draw() {
    std::swap(ready_[below(ready_.size())], ready_.back());
    if (ready_.back() == laggard_) std::swap(ready_.front(), ready_.back());
    const std::size_t next = ready_.back();
    ready_.pop_back();
    return next;
  }

  // From a thread that waits to whichever is next.
  void leave(Fiber& from) {
    if (ready_.empty()) release_block();
    if (ready_.empty()) return go(from, main_);
    const std::size_t next = draw();
    if (threads_[next].state == State::fresh) {
      ready_.push_back(next);  // a fiber without a thread draws again
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
  }

  // When nobody can run: everybody waits at the barrier of the block, or something is wrong.
  void release_block() {
    std::size_t waiting = 0, in_warps = 0, done = 0;
    for (const Thread& thread : threads_) {
      waiting += thread.state == State::at_block_barrier;
      in_warps += thread.state == State::at_warp_barrier;
      done += thread.state == State::done;
    }
    const std::size_t all = threads_.size();
    if (done == all || !problem_.empty()) return;
    if (waiting == all) return release(0, all);
    const auto of_all = [all](std::size_t some) {
      return std::to_string(some) + " of " + std::to_string(all) + " threads ";
    };
    problem_ = in_warps > 0 ? of_all(in_warps) + "wait for lanes of their warp that do not come"
                            : of_all(waiting) + "wait at a barrier that the others never reach";
  }

  // The lanes of a warp go on once all of them wait for one another.
  void arrive_at_warp(std::size_t warp) {
    const std::size_t first = warp * warpSize, last = std::min(first + warpSize, threads_.size());
    if (++arrived_[warp] < last - first) return;
    arrived_[warp] = 0;
    release(first, last);
  }

  void release(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      threads_[i].state = State::ready;
      ready_.push_back(i);
    }
  }

  std::mutex mutex_;
  std::uint64_t random_ = 1;
  const Grid* grid_ = nullptr;
  void (*body_)(const void*) = nullptr;
  const void* arguments_ = nullptr;
  unsigned block_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::size_t> ready_;    // threads that may run
  std::vector<std::size_t> arrived_;  // lanes of each warp that wait at its barrier
  std::size_t current_ = 0, laggard_ = 0;
  std::unique_ptr<unsigned char[]> shared_;
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
void run(const Grid& grid, void (*thread)(const void*), const void* arguments) {
  machine().run(grid, thread, arguments);
}
void block_barrier() { machine().wait(State::at_block_barrier); }
void warp_barrier() { machine().wait(State::at_warp_barrier); }
void* dynamic_shared_memory() { return machine().shared(); }
std::uint64_t exchange(std::uint64_t bits, int source) { return machine().exchange(bits, source); }
void gather(std::uint64_t bits, std::uint64_t* of_lanes) { machine().gather(bits, of_lanes); }
void broken(const char* problem) { machine().fail(problem); }

}  // namespace xf::emulator
