#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace xf {

// One of n processes, with the messages that it exchanges with the others. They are numbered from
// 0; the number of a process is its rank.
class Endpoint {
 public:
  struct Outgoing {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    int from;
    std::span<std::byte> bytes;  // must be as long as what is sent
  };

  virtual ~Endpoint() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // The machine that a process runs on.
  virtual std::string host(int rank) const = 0;

  // Sends and receives at the same time, so that two processes that send to each other do not
  // deadlock. Returns when everything has arrived and the sent bytes may be overwritten. Messages
  // between two processes arrive in the order in which they were sent.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  // x <- the sum of every process's x, in whatever order is fastest.   x: equally long everywhere
  virtual void add_up(std::span<float> x) = 0;

  void send(int to, std::span<const std::byte> bytes) {
    const Outgoing out[] = {{to, bytes}};
    exchange(out, {});
  }
  void receive(int from, std::span<std::byte> bytes) {
    const Incoming in[] = {{from, bytes}};
    exchange({}, in);
  }
};

// For a process that runs alone.
class Alone : public Endpoint {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  std::string host(int) const override { return "this machine"; }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
  void add_up(std::span<float>) override {}
};

}  // namespace xf
