#include "tensor/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/openblas.hpp"

namespace xf {

namespace {

thread_local bool inside_task = false;

// Threads that wait for numbered tasks. They spin for a moment before they sleep, because the gap
// between two tasks of a training or decoding step is shorter than a wake-up. The first spins have
// no pause: most gaps of a decoding step end within them.
class Workers {
 public:
  Workers() = default;
  // Delegates, so that if a thread cannot be started, the destructor joins those that were.
  explicit Workers(int count) : Workers() {
    for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~Workers() {
    stop_ = true;
    begin();
    for (std::thread& thread : threads_) thread.join();
  }

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // Returns false if the threads are busy with the work of another caller.
  bool run(int tasks, const std::function<void(int)>& work) {
    const std::unique_lock mine(taken_, std::try_to_lock);
    if (!mine) return false;
    work_ = &work;
    tasks_ = tasks;
    pending_ = static_cast<int>(threads_.size());
    failure_ = nullptr;
    begin();
    perform(0);
    wait_while(pending_, [](int left) { return left > 0; });
    if (failure_) std::rethrow_exception(failure_);
    return true;
  }

 private:
  static constexpr int eager_spins = 2000, spins = 6000;

  // The pause instruction of a spin loop.
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  // Releases the threads; the atomic operation makes earlier writes visible to them.
  void begin() {
    generation_.fetch_add(1);
    generation_.notify_all();
  }

  // Waits until to_wait(number) is false, and returns the number.
  template <class ToWait>
  static int wait_while(const std::atomic<int>& number, const ToWait& to_wait) {
    int now = number.load();
    for (int i = 0; i < spins && to_wait(now); ++i) {
      if (i >= eager_spins) pause();
      now = number.load();
    }
    for (; to_wait(now); now = number.load()) number.wait(now);
    return now;
  }

  // Task i, and any further ones if there are more tasks than threads.
  void perform(int i) {
    inside_task = true;
    try {
      for (int task = i; task < tasks_; task += count()) (*work_)(task);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    inside_task = false;
  }

  void serve(int i) {
    openblas::use_one_thread();
    int seen = 0;
    while (true) {
      seen = wait_while(generation_, [seen](int now) { return now == seen; });
      if (stop_) return;
      perform(i);
      if (pending_.fetch_sub(1) == 1) pending_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> pending_{0}, generation_{0};
  std::mutex mutex_, taken_;
  std::exception_ptr failure_;
  bool stop_ = false;
};

std::unique_ptr<Workers> workers;

}  // namespace

void set_threads(int count) {
  if (count < 1) throw std::invalid_argument("threads: at least 1, not " + std::to_string(count));
  openblas::use_one_thread();
  if (workers && workers->count() == count) return;
  try {
    workers = std::make_unique<Workers>(count);
  } catch (const std::system_error& error) {
    throw UserError("the system cannot start {} threads: {}", count, error.what());
  }
}

int threads() {
  if (!workers) set_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return workers->count();
}

void run_parallel(int tasks, const std::function<void(int)>& work) {
  const bool alone = inside_task || tasks <= 1 || threads() == 1;
  if (!alone && workers->run(tasks, work)) return;
  for (int task = 0; task < tasks; ++task) work(task);
}

void parallel_for(std::ptrdiff_t count, std::ptrdiff_t grain,
                  const std::function<void(std::ptrdiff_t, std::ptrdiff_t)>& body) {
  const std::ptrdiff_t parts = inside_task ? 1 : std::min<std::ptrdiff_t>(threads(), count / grain);
  if (parts <= 1) return body(0, count);
  run_parallel(static_cast<int>(parts),
               [&](int part) { body(count * part / parts, count * (part + 1) / parts); });
}

}  // namespace xf
