#define OMPI_SKIP_MPICXX 1  // skips the C++ bindings, removed by MPI 3
#define MPICH_SKIP_MPICXX 1
#include "distributed/mpi.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "distributed/collectives.hpp"

#ifdef XF_SANITIZE
// MPI's libraries stay loaded, so that the leak detector can name them (tests/support/mpi.lsan).
extern "C" int dlclose(void*) noexcept { return 0; }
#endif

namespace xf {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_at_once = std::size_t{1} << 30;  // bytes; MPI counts in an int
constexpr std::chrono::seconds between_signs{1}, max_absence{5}, max_silence{20};

// On a thread of its own, every process sends a sign of life to the next one once a second. One
// that hears nothing for 20 seconds ends all: the other process or its machine has stopped, and
// everyone waiting for it would wait forever. (mpirun notices at once when a process has ended.)
class SignsOfLife {
 public:
  SignsOfLife(const Endpoint& self, const LastWords& say) : self_(self), say_(say) {
    MPI_Comm_dup(MPI_COMM_WORLD, &channel_);
    thread_ = std::thread([this] { run(); });
  }
  // Tells the next process to expect no more signs of life.
  void stop() {
    leaving_ = true;
    thread_.join();
    MPI_Comm_free(&channel_);
  }

 private:
  enum Sign : char { living, leaving };

  void run() {
    const int ranks = self_.ranks(), next = (self_.rank() + 1) % ranks,
              previous = (self_.rank() + ranks - 1) % ranks;
    auto now = Clock::now(), sent = now - between_signs, heard = now;
    char sign = living;
    MPI_Request request = MPI_REQUEST_NULL;  // the last sign of life; sending it may take long
    bool told = false, told_us = false;
    while (!told || !told_us) {
      const auto before = now;
      now = Clock::now();
      if (now - before > max_absence)
        heard = now;  // this process was stopped and could not receive
      int gone = 1;
      MPI_Test(&request, &gone, MPI_STATUS_IGNORE);
      if (gone && sign == leaving) {
        told = true;
      } else if (gone && (leaving_ || now - sent >= between_signs)) {
        sign = leaving_ ? leaving : living;
        sent = now;
        MPI_Isend(&sign, 1, MPI_CHAR, next, 0, channel_, &request);
      }
      int there = 1;
      while (!told_us && (MPI_Iprobe(previous, 0, channel_, &there, MPI_STATUS_IGNORE), there)) {
        char theirs = living;
        MPI_Recv(&theirs, 1, MPI_CHAR, previous, 0, channel_, MPI_STATUS_IGNORE);
        heard = now;
        told_us = theirs == leaving;
      }
      if (!told_us && now - heard > max_silence) give_up(previous);
      std::this_thread::sleep_for(std::chrono::milliseconds(leaving_ ? 1 : 100));
    }
  }

  [[noreturn]] void give_up(int silent) const {
    say_(silent, std::to_string(max_silence.count()));
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
  }

  const Endpoint& self_;
  LastWords say_;
  MPI_Comm channel_ = MPI_COMM_NULL;
  std::atomic<bool> leaving_ = false;
  std::thread thread_;
};

// MPI's own wait spins and keeps a core busy. After a second, when the others must be doing
// something else, this one polls a thousand times a second.
void wait_for(std::vector<MPI_Request>& requests) {
  const auto start = Clock::now();
  const auto done = [&] {
    int all = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  };
  while (!done())
    if (Clock::now() - start > std::chrono::seconds(1))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// This process's share of the cores available to it and to the others on this machine.
int share_of_cores(MPI_Comm here) {
  int processes = 1;
  MPI_Comm_size(here, &processes);
  cpu_set_t own;
  CPU_ZERO(&own);
  ::sched_getaffinity(0, sizeof own, &own);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(processes));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, here);
  double share = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &own))
      share += 1.0 / double(std::count_if(all.begin(), all.end(), [&](const cpu_set_t& one) {
                 return CPU_ISSET(core, &one) != 0;
               }));
  return std::max(1, static_cast<int>(share + 1e-6));
}

class Mpi : public MpiEndpoint {
 public:
  explicit Mpi(const LastWords& say) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    cores_ = share_of_cores(here);
    MPI_Comm_rank(here, &place_);
    MPI_Comm_free(&here);
    char own[256] = "";
    ::gethostname(own, sizeof own - 1);
    hosts_ = bytes_of_all(*this, own);
    if (ranks_ > 1 && level == MPI_THREAD_MULTIPLE)
      signs_ = std::make_unique<SignsOfLife>(*this, say);
  }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int cores() const override { return cores_; }
  int place() const override { return place_; }
  std::string host(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<MPI_Request> requests;
    const auto in_pieces = [&](auto bytes, const auto& start) {
      for (std::size_t first = 0; first < bytes.size(); first += max_at_once) {
        const auto piece = bytes.subspan(first, std::min(max_at_once, bytes.size() - first));
        start(piece.data(), static_cast<int>(piece.size()), &requests.emplace_back());
      }
    };
    for (const auto& [from, bytes] : in)
      in_pieces(bytes, [source = from](std::byte* data, int count, MPI_Request* request) {
        MPI_Irecv(data, count, MPI_BYTE, source, 0, MPI_COMM_WORLD, request);
      });
    for (const auto& [to, bytes] : out)
      in_pieces(bytes, [target = to](const std::byte* data, int count, MPI_Request* request) {
        MPI_Isend(data, count, MPI_BYTE, target, 0, MPI_COMM_WORLD, request);
      });
    wait_for(requests);
  }

  void add_up(std::span<float> x) override {
    constexpr std::size_t most = max_at_once / sizeof(float);
    for (std::size_t first = 0; first < x.size(); first += most) {
      const std::span<float> piece = x.subspan(first, std::min(most, x.size() - first));
      MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
    }
  }

  void leave() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (signs_) signs_->stop();
    MPI_Finalize();
  }

  [[noreturn]] void end_all(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  int rank_ = 0, ranks_ = 1, cores_ = 1, place_ = 0;
  std::vector<std::string> hosts_;
  std::unique_ptr<SignsOfLife> signs_;
};

}  // namespace

std::unique_ptr<MpiEndpoint> join_others(const LastWords& say) {
  return processes_started() > 0 ? std::make_unique<Mpi>(say) : nullptr;
}

}  // namespace xf
