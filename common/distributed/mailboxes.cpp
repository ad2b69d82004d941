#include "distributed/mailboxes.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "distributed/collectives.hpp"

namespace xf {

namespace {

// What all of them share. A letter is copied when it is sent, so that sending never waits.
class PostOffice {
 public:
  explicit PostOffice(int ranks) : waits_for_(static_cast<std::size_t>(ranks), -1) {}

  void put(const Letter& letter, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[{letter.from, letter.to}].emplace_back(bytes.begin(), bytes.end());
    letters_.push_back(letter);
    changed_.notify_all();
  }

  void take(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    waits_for_[static_cast<std::size_t>(to)] = from;
    while (box.empty() && !stopped_) {
      if (nobody_works()) {
        problem_ = waiting();
        stopped_ = true;
        changed_.notify_all();
        break;
      }
      changed_.wait(lock);
    }
    if (box.empty()) throw std::runtime_error(problem_);
    waits_for_[static_cast<std::size_t>(to)] = -1;
    const std::vector<std::byte> letter = std::move(box.front());
    box.pop_front();
    if (letter.size() != bytes.size())
      throw std::runtime_error("process " + std::to_string(to) + " expects " +
                               std::to_string(bytes.size()) + " bytes of process " +
                               std::to_string(from) + ", which has sent " +
                               std::to_string(letter.size()));
    std::copy(letter.begin(), letter.end(), bytes.begin());
  }

  // A process has returned, or failed: nobody will get a letter of it any more.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    waits_for_[static_cast<std::size_t>(rank)] = gone;
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (problem_.empty()) problem_ = "another process has failed";
    changed_.notify_all();
  }

  std::vector<Letter> letters() {
    std::stable_sort(letters_.begin(), letters_.end(), [](const Letter& a, const Letter& b) {
      return std::pair(a.step, a.from) < std::pair(b.step, b.from);
    });
    return letters_;
  }

 private:
  static constexpr int gone = -2;

  // Does everybody wait for a box that is empty, or has gone?
  bool nobody_works() const {
    for (std::size_t to = 0; to < waits_for_.size(); ++to) {
      const int from = waits_for_[to];
      if (from == gone) continue;
      const auto box = boxes_.find({from, static_cast<int>(to)});
      if (from < 0 || (box != boxes_.end() && !box->second.empty())) return false;
    }
    return true;
  }

  std::string waiting() const {
    std::string all = "all wait:";
    for (std::size_t to = 0; to < waits_for_.size(); ++to)
      if (waits_for_[to] != gone)
        all += " process " + std::to_string(to) + " for process " + std::to_string(waits_for_[to]) +
               ",";
    all.back() = ' ';
    return all + "and nobody sends";
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;  // (from, to)
  std::vector<int> waits_for_;  // by rank; -1: it works
  std::vector<Letter> letters_;
  std::string problem_;
  bool stopped_ = false;
};

class Mailbox : public Endpoint {
 public:
  Mailbox(PostOffice& office, int rank, int ranks) : office_(office), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string host(int rank) const override { return "thread " + std::to_string(rank); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    const int step = step_++;
    for (const auto& [to, bytes] : out) office_.put({rank_, to, bytes.size(), step}, bytes);
    for (const auto& [from, bytes] : in) office_.take(from, rank_, bytes);
  }
  using Endpoint::add_up;
  void add_up(std::span<float> x, const std::function<void()>&) override { add_up_ring(*this, x); }

 private:
  PostOffice& office_;
  int rank_, ranks_, step_ = 0;
};

}  // namespace

std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body) {
  PostOffice office(ranks);
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      Mailbox self(office, rank, ranks);
      try {
        body(self);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        office.stop();
      }
      office.leave(rank);
    });
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return office.letters();
}

}  // namespace xf
