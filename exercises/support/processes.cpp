#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/mailboxes.hpp"
#include "support/processes.hpp"
#include "tensor/parallel.hpp"

namespace xf::exercise {

namespace {

using Body = std::function<float(Endpoint&, std::span<float>)>;
using Bytes = std::vector<std::byte>;

// One end of the connection between this program and one of its processes.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}

  void send(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // a closed connection is noticed when receiving
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void send(long number) const { send(std::as_bytes(std::span(&number, 1))); }
  // Sends the length first.
  void send_whole(std::span<const std::byte> bytes) const {
    send(static_cast<long>(bytes.size()));
    send(bytes);
  }

  // Returns false if the other end is closed.
  bool receive(std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t came = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (came <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(came));
    }
    return true;
  }
  long number() const {
    long number = -1;
    if (!receive(std::as_writable_bytes(std::span(&number, 1)))) throw Closed();
    return number;
  }
  std::size_t size() const {
    constexpr long most = 1 << 24;
    const long size = number();
    if (size < 0 || size > most) throw std::runtime_error("a message of a size that cannot be");
    return static_cast<std::size_t>(size);
  }
  Bytes whole() const {
    Bytes bytes(size());
    if (!receive(bytes)) throw Closed();
    return bytes;
  }
  std::string text() const {
    const Bytes bytes = whole();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  struct Closed {};

 private:
  int socket_;
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// The messages of a process: it exchanges, has ended, or threw.
enum Says : long { exchanges, ended, threw };
// The reply to an exchange.
enum Told : long { done, failed };

// The endpoint within a process, for everything that involves the others.
class FarEnd : public Endpoint {
 public:
  FarEnd(Line line, int rank, int ranks) : line_(line), rank_(rank), ranks_(ranks) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string host(int) const override { return "this machine"; }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    line_.send(exchanges);
    line_.send(std::ssize(out));
    for (const auto& [to, bytes] : out) line_.send(to), line_.send_whole(bytes);
    line_.send(std::ssize(in));
    for (const auto& [from, bytes] : in) line_.send(from), line_.send(std::ssize(bytes));
    if (line_.number() == failed) throw std::runtime_error(line_.text());
    for (const auto& [from, bytes] : in)
      if (!line_.receive(bytes)) throw Line::Closed();
  }
  using Endpoint::add_up;
  void add_up(std::span<float> x) override { add_up_ring(*this, x); }

 private:
  Line line_;
  int rank_, ranks_;
};

// The whole life of a process.
[[noreturn]] void live(Line line, int rank, int ranks, const Body& body) {
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT})
    std::signal(number, SIG_DFL);  // the test program reports the signal, once
  try {
    const Bytes row = line.whole();
    std::vector<float> x(row.size() / sizeof(float));
    std::copy(row.begin(), row.end(), std::as_writable_bytes(std::span(x)).begin());
    FarEnd self(line, rank, ranks);
    const float returned = body(self, x);
    line.send(ended);
    line.send_whole(std::as_bytes(std::span(&returned, 1)));
    line.send_whole(std::as_bytes(std::span(x)));
  } catch (const std::exception& error) {
    line.send(threw);
    line.send_whole(bytes_of(error.what()));
  } catch (...) {
    line.send(threw);
    line.send_whole(bytes_of("what is no std::exception"));
  }
  ::_exit(0);
}

struct Process {
  pid_t id;
  int socket;
};

// A process that ended without a message ends this program in the same way.
[[noreturn]] void end_like(const Process& process) {
  int status = 0;
  ::waitpid(process.id, &status, 0);
  if (WIFSIGNALED(status)) std::raise(WTERMSIG(status));
  std::_Exit(WEXITSTATUS(status));
}

// Carries out here what a process requests, until it has ended.
void stand_in(Endpoint& self, Line line, std::span<float> x, float& returned,
              std::vector<float>& sent) {
  std::exception_ptr problem;
  std::string told;
  for (long said = line.number();; said = line.number()) {
    if (said == threw) {
      const std::string what = line.text();
      if (problem && what == told) std::rethrow_exception(problem);
      throw std::runtime_error(what);
    }
    if (said == ended) {
      const Bytes number = line.whole(), row = line.whole();
      if (number.size() != sizeof returned || row.size() != x.size_bytes())
        throw std::runtime_error("a process has ended with a row of another length");
      std::memcpy(&returned, number.data(), number.size());
      std::copy(row.begin(), row.end(), std::as_writable_bytes(x).begin());
      return;
    }
    std::vector<std::pair<int, Bytes>> letters, places;
    for (long count = line.number(); count > 0; --count) {
      const int to = static_cast<int>(line.number());
      letters.emplace_back(to, line.whole());
    }
    for (long count = line.number(); count > 0; --count) {
      const int from = static_cast<int>(line.number());
      places.emplace_back(from, Bytes(line.size()));
    }
    std::vector<Endpoint::Outgoing> out;
    std::vector<Endpoint::Incoming> in;
    for (auto& [from, bytes] : places) in.push_back({from, bytes});
    for (const auto& [to, bytes] : letters) {
      out.push_back({to, bytes});
      const std::size_t before = sent.size(), count = bytes.size() / sizeof(float);
      sent.resize(before + count);
      if (count > 0) std::memcpy(&sent[before], bytes.data(), count * sizeof(float));
    }
    try {
      self.exchange(out, in);
    } catch (const std::exception& error) {
      problem = std::current_exception();
      told = error.what();
      line.send(failed);
      line.send_whole(bytes_of(told));
      continue;
    }
    line.send(done);
    for (const auto& [from, bytes] : places) line.send(bytes);
  }
}

}  // namespace

Ran run_as_processes(int n, const std::function<Tensor()>& rows, Delivery delivery,
                     const Body& body) {
  set_threads(1);  // each of these processes has one thread
  std::vector<Process> processes;
  for (int rank = 0; rank < n; ++rank) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no socket");
    const pid_t id = ::fork();
    if (id < 0) throw std::runtime_error("no process");
    if (id == 0) {
      ::close(ends[0]);
      for (const Process& other : processes) ::close(other.socket);
      live(Line(ends[1]), rank, n, body);
    }
    ::close(ends[1]);
    processes.push_back({id, ends[0]});
  }
  Ran ran;
  ran.returned.resize(static_cast<std::size_t>(n));
  ran.sent.resize(static_cast<std::size_t>(n));
  const auto gone = [&] {
    for (const auto& [id, socket] : processes) ::close(socket), ::waitpid(id, nullptr, 0);
  };
  std::vector<float> all;
  const auto row = [&](int rank) {
    const std::size_t count = all.size() / static_cast<std::size_t>(n);
    return std::span(all).subspan(static_cast<std::size_t>(rank) * count, count);
  };
  try {
    ran.before = rows();
    all = ran.before.values();
    for (int rank = 0; rank < n; ++rank)
      Line(processes[static_cast<std::size_t>(rank)].socket).send_whole(std::as_bytes(row(rank)));
    ran.letters = run_threads_as_processes(
        n,
        [&](Endpoint& self) {
          const auto rank = static_cast<std::size_t>(self.rank());
          try {
            stand_in(self, Line(processes[rank].socket), row(self.rank()), ran.returned[rank],
                     ran.sent[rank]);
          } catch (const Line::Closed&) {
            end_like(processes[rank]);
          }
        },
        delivery);
  } catch (...) {
    gone();
    throw;
  }
  gone();
  ran.numbers = Tensor::from(ran.before.shape(), all);
  return ran;
}

}  // namespace xf::exercise
