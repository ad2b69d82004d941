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
#include "tensor/error.hpp"

namespace xf {

namespace {

// Thrown in a process that waits for a message that will never come.
struct Standstill : SpokenError<std::runtime_error> {
  using SpokenError::SpokenError;
};

Words process(int rank) { return words("process {}", rank); }

// The state that all processes share. A letter is copied into its box. A process stays in
// exchange() until everything it asks for has arrived and, if letters are delivered by hand,
// everything it has sent has been collected.
class PostOffice {
 public:
  PostOffice(int ranks, Delivery delivery)
      : by_hand_(delivery == Delivery::by_hand), desks_(static_cast<std::size_t>(ranks)) {}

  void exchange(int rank, int step, std::span<const Endpoint::Outgoing> out,
                std::span<const Endpoint::Incoming> in) {
    for (const auto& [to, bytes] : out) must_exist(to, process(rank).english() + " sends to ");
    for (const auto& [from, bytes] : in) must_exist(from, process(rank).english() + " waits for ");
    std::unique_lock lock(mutex_);
    Desk& own = desk(rank);
    for (const auto& [to, bytes] : out) {
      boxes_[{rank, to}].emplace_back(bytes.begin(), bytes.end());
      letters_.push_back({rank, to, bytes.size(), step});
      if (by_hand_) own.out.push_back(to);
    }
    own.in.assign(in.begin(), in.end());
    own.state = Desk::waits;
    for (int to = 0; to < std::ssize(desks_); ++to) deliver(to);
    look_around();
    changed_.wait(lock, [&] { return own.ready() || !standstill_.empty(); });
    const bool stands_still = !own.ready();
    own.in.clear(), own.out.clear();  // a late letter must not be written there
    own.state = Desk::works;
    if (!own.problem.empty()) throw SpokenError<std::runtime_error>(own.problem);
    if (stands_still) throw Standstill(standstill_);
  }

  // A process has returned or failed, and will send nothing more.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    desk(rank) = {.state = Desk::gone, .in = {}, .out = {}, .problem = {}};
    look_around();
  }

  // Throws when a letter was never received.
  std::vector<Letter> letters() {
    for (const auto& [way, box] : boxes_)
      if (!box.empty())
        throw SpokenError<std::runtime_error>(
            "{} has sent {} bytes to {}, which has not asked for them", process(way.first),
            box.front().size(), process(way.second));
    std::stable_sort(letters_.begin(), letters_.end(), [](const Letter& a, const Letter& b) {
      return std::pair(a.step, a.from) < std::pair(b.step, b.from);
    });
    return letters_;
  }

 private:
  struct Desk {
    enum State { works, waits, gone } state = works;
    std::vector<Endpoint::Incoming> in;  // what it still waits for
    std::vector<int> out;                // receivers of letters that are not handed over yet
    Phrase problem;

    bool ready() const { return (in.empty() && out.empty()) || !problem.empty(); }
    bool stands_still() const { return state == gone || (state == waits && !ready()); }
  };

  Desk& desk(int rank) { return desks_[static_cast<std::size_t>(rank)]; }

  void must_exist(int rank, const std::string& does) const {
    if (rank < 0 || rank >= std::ssize(desks_))
      throw std::invalid_argument(does + process(rank).english() + "; there are " +
                                  std::to_string(desks_.size()) + ", from 0 on");
  }

  // Delivers the letters that process `to` waits for, as far as they are in the boxes.
  void deliver(int to) {
    Desk& own = desk(to);
    std::erase_if(own.in, [&](const Endpoint::Incoming& wanted) {
      auto& box = boxes_[{wanted.from, to}];
      if (box.empty()) return false;
      const std::vector<std::byte> letter = std::move(box.front());
      box.pop_front();
      std::vector<int>& out = desk(wanted.from).out;
      if (const auto waits = std::find(out.begin(), out.end(), to); waits != out.end())
        out.erase(waits);
      if (letter.size() == wanted.bytes.size())
        std::copy(letter.begin(), letter.end(), wanted.bytes.begin());
      else if (own.problem.empty())
        own.problem = words("{} expects {} bytes from {}, which has sent {}", process(to),
                            wanted.bytes.size(), process(wanted.from), letter.size());
      return true;
    });
  }

  // Wakes the waiting processes; if none can continue, sets the reason first.
  void look_around() {
    const auto still = [](const Desk& desk) { return desk.stands_still(); };
    if (standstill_.empty() && std::all_of(desks_.begin(), desks_.end(), still))
      standstill_ = who_waits();
    changed_.notify_all();
  }

  Phrase who_waits() {
    Phrase all;
    bool sends = false;
    for (int rank = 0; rank < std::ssize(desks_); ++rank) {
      const Desk& one = desk(rank);
      if (one.state == Desk::gone) continue;
      const bool receives = !one.in.empty();
      sends |= !receives;
      const Words waits = receives ? words("{} for {}", process(rank), process(one.in[0].from))
                                   : words("{} to send to {}", process(rank), process(one.out[0]));
      all = all.empty() ? waits : words("{}, {}", all, waits);
    }
    return sends ? words("all wait: {}, and nobody receives", all)
                 : words("all wait: {}, and nobody sends", all);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;  // (from, to)
  bool by_hand_;
  std::vector<Desk> desks_;  // by rank
  std::vector<Letter> letters_;
  Phrase standstill_;  // who waits for whom, once none can continue
};

class Mailbox : public Endpoint {
 public:
  Mailbox(PostOffice& office, int rank, int ranks) : office_(office), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string host(int rank) const override { return "thread " + std::to_string(rank); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    office_.exchange(rank_, step_++, out, in);
  }
  void add_up(std::span<float> x) override { add_up_ring(*this, x); }

 private:
  PostOffice& office_;
  int rank_, ranks_, step_ = 0;
};

}  // namespace

std::vector<Letter> run_threads_as_processes(int ranks,
                                             const std::function<void(Endpoint& self)>& body,
                                             Delivery delivery) {
  PostOffice office(ranks, delivery);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks)), standstills = failures;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      Mailbox self(office, rank, ranks);
      try {
        body(self);
      } catch (const Standstill&) {
        standstills[static_cast<std::size_t>(rank)] = std::current_exception();
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      office.leave(rank);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_all : {failures, standstills})
    for (const std::exception_ptr& failure : of_all)
      if (failure) std::rethrow_exception(failure);
  return office.letters();
}

}  // namespace xf
