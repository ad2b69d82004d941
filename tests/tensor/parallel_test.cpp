#include "tensor/parallel.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/threads.hpp"
#include "tensor/error.hpp"

namespace xf::test {

TEST_CASE("parallel_for: every index once, whatever the number of threads") {
  for (int count : {1, 2, 3, 5}) {
    const Threads scope(count);
    for (std::ptrdiff_t n : {0, 1, 2, 7, 100, 1001}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      parallel_for(n, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        for (std::ptrdiff_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      bool once = true;
      for (const auto& times : seen) once = once && times == 1;
      CHECK(once);
    }
  }
}

TEST_CASE("run_parallel: every task once, more tasks than threads, again and again") {
  const Threads scope(2);
  std::atomic<int> total{0};
  for (int round = 0; round < 200; ++round) run_parallel(5, [&](int task) { total += 1 << task; });
  CHECK(total == 200 * 31);
}

TEST_CASE("run_parallel: work inside a task runs, too") {
  const Threads scope(2);
  std::atomic<int> total{0};
  run_parallel(2, [&](int) { run_parallel(3, [&](int task) { total += task; }); });
  CHECK(total == 6);
}

TEST_CASE("run_parallel: two threads may call it at the same time") {
  const Threads scope(2);
  constexpr int rounds = 2000;
  std::vector<std::atomic<int>> seen(2 * rounds);
  const auto work = [&](int caller) {
    for (int round = 0; round < rounds; ++round)
      run_parallel(3, [&](int task) {
        seen[static_cast<std::size_t>(caller * rounds + round)] += 1 << (4 * task);
      });
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& times) { return times == 0x111; }));
}

TEST_CASE("run_parallel: an exception of a task arrives at the caller, and the pool survives") {
  const Threads scope(2);
  for (int bad : {0, 1})
    CHECK_THROWS_AS(run_parallel(2,
                                 [bad](int task) {
                                   if (task == bad) throw std::runtime_error("task");
                                 }),
                    std::runtime_error);
  std::atomic<int> total{0};
  run_parallel(2, [&](int) { ++total; });
  CHECK(total == 2);
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)  // which starts no threads after a fork
TEST_CASE("set_threads: more threads than the system starts are an error, not a hang") {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // what hangs is ended by a signal
    // The limit is not for root, and counts all processes of a user: root becomes a user that has
    // no other, anybody else enters a user namespace, where only those in it count.
    const auto unused = static_cast<uid_t>(10000 + getpid() % 50000);
    if (geteuid() == 0 ? setuid(unused) != 0 : unshare(CLONE_NEWUSER) != 0) _exit(3);
    const rlimit few{4, 4};
    setrlimit(RLIMIT_NPROC, &few);
    try {
      set_threads(200);
      _exit(1);
    } catch (const UserError&) {
      _exit(0);
    } catch (...) {
      _exit(2);
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) {
    MESSAGE("skipped: this user may have no user namespace");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

}  // namespace xf::test
