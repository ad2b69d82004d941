#include "distributed/mailboxes.hpp"
#include "support/errors.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace xf::test {

namespace {

using Body = std::function<void(Endpoint& self)>;

// What a run throws.
std::string says(int ranks, Delivery delivery, const Body& body) {
  return error_of<std::exception>([&] { run_threads_as_processes(ranks, body, delivery); });
}

void exchange(Endpoint& self, int to, std::byte sent, int from, std::byte& received) {
  const Endpoint::Outgoing out[] = {{to, {&sent, 1}}};
  const Endpoint::Incoming in[] = {{from, {&received, 1}}};
  self.exchange(out, in);
}

const Body all_send_first = [](Endpoint& self) {
  const int n = self.ranks(), right = (self.rank() + 1) % n, left = (self.rank() + n - 1) % n;
  const std::byte own[] = {std::byte(self.rank())};
  std::byte got[1] = {};
  self.send(right, own);
  self.receive(left, got);
  if (got[0] != std::byte(left)) throw std::logic_error("a wrong number");
};

}  // namespace

TEST_CASE("mailboxes: who waits for whom is said") {
  CHECK(says(3, Delivery::boxes,
             [](Endpoint& self) {
               std::byte other[1];
               self.receive((self.rank() + 1) % 3, other);
             }) ==
        "all wait: process 0 for process 1, process 1 for process 2, process 2 for process 0, "
        "and nobody sends");
  CHECK(says(2, Delivery::boxes, [](Endpoint& self) {
          std::byte other[1];
          if (self.rank() == 0) self.receive(1, other);
        }) == "all wait: process 0 for process 1, and nobody sends");
}

TEST_CASE("mailboxes: what goes by hand waits in send until it is asked for") {
  for (const int ranks : {1, 2, 3, 5}) {
    CHECK(says(ranks, Delivery::boxes, all_send_first) == "");
    expect_parts(says(ranks, Delivery::by_hand, all_send_first), {"nobody receives"});
  }
  CHECK(says(3, Delivery::by_hand, all_send_first) ==
        "all wait: process 0 to send to process 1, process 1 to send to process 2, process 2 to "
        "send to process 0, and nobody receives");
  // Some send first, others receive first.
  CHECK(says(4, Delivery::by_hand, [](Endpoint& self) {
          std::byte got{};
          const int other = self.rank() ^ 1;
          if (self.rank() % 2 == 0) self.send(other, {&got, 1});
          self.receive(other, {&got, 1});
          if (self.rank() % 2 == 1) self.send(other, {&got, 1});
        }) == "");
  // Side by side, also with oneself.
  for (const int ranks : {1, 2, 3, 5})
    CHECK(says(ranks, Delivery::by_hand, [](Endpoint& self) {
            const int n = self.ranks(), rank = self.rank();
            std::byte got{};
            exchange(self, (rank + 1) % n, std::byte(rank), (rank + n - 1) % n, got);
            if (got != std::byte((rank + n - 1) % n)) throw std::logic_error("a wrong number");
          }) == "");
}

TEST_CASE("mailboxes: what is asked for together comes in any order") {
  // Process 0 asks for 1 and 2 at once; 1 sends only when it has heard of 2, and 2 only goes on
  // when its letter to 0 has been taken.
  for (const Delivery delivery : {Delivery::boxes, Delivery::by_hand})
    CHECK(says(3, delivery, [](Endpoint& self) {
            std::byte one{1}, two{2}, first{}, second{};
            if (self.rank() == 0) {
              const Endpoint::Incoming in[] = {{1, {&first, 1}}, {2, {&second, 1}}};
              self.exchange({}, in);
              if (first != one || second != two) throw std::logic_error("a wrong number");
            } else if (self.rank() == 1) {
              self.receive(2, {&second, 1});
              self.send(0, {&one, 1});
            } else {
              self.send(0, {&two, 1});
              self.send(1, {&two, 1});
            }
          }) == "");
}

TEST_CASE("mailboxes: between two processes letters come in the order in which they were sent") {
  for (const Delivery delivery : {Delivery::boxes, Delivery::by_hand})
    CHECK(says(2, delivery, [](Endpoint& self) {
            for (int i = 0; i < 200; ++i) {
              std::byte number{static_cast<unsigned char>(i)}, got{};
              if (self.rank() == 0) self.send(1, {&number, 1});
              if (self.rank() == 1) self.receive(0, {&got, 1});
              if (self.rank() == 1 && got != number) throw std::logic_error("out of order");
            }
          }) == "");
}

TEST_CASE("mailboxes: a letter that nobody takes, or of another length, or to nobody") {
  std::byte one[1] = {}, two[2] = {};
  CHECK(says(2, Delivery::boxes, [&](Endpoint& self) {
          if (self.rank() == 1) self.send(0, two);
        }) == "process 1 has sent 2 bytes to process 0, which has not asked for them");
  CHECK(says(2, Delivery::by_hand, [&](Endpoint& self) {
          if (self.rank() == 1) self.send(0, two);
        }) == "all wait: process 1 to send to process 0, and nobody receives");
  for (const Delivery delivery : {Delivery::boxes, Delivery::by_hand}) {
    CHECK(says(2, delivery, [&](Endpoint& self) {
            if (self.rank() == 0)
              self.receive(1, one);
            else
              self.send(0, two);
          }) == "process 0 expects 1 bytes from process 1, which has sent 2");
    CHECK(says(2, delivery, [&](Endpoint& self) { self.send(self.rank() + 1, one); }) ==
          "process 1 sends to process 2; there are 2, from 0 on");
    CHECK(says(2, delivery, [&](Endpoint& self) { self.receive(self.rank() - 1, one); }) ==
          "process 0 waits for process -1; there are 2, from 0 on");
  }
}

TEST_CASE("mailboxes: what comes after its receiver has failed is written nowhere") {
  std::byte one[1] = {}, two[2] = {}, late[1] = {std::byte{7}};
  std::atomic<bool> failed = false, sent = false;
  says(3, Delivery::boxes, [&](Endpoint& self) {
    if (self.rank() == 0) {
      const Endpoint::Incoming in[] = {{1, one}, {2, late}};
      CHECK_THROWS(self.exchange({}, in));
      failed = true, failed.notify_all();
      sent.wait(false);
    } else if (self.rank() == 1) {
      self.send(0, two);
    } else {
      failed.wait(false);
      self.send(0, one);
      sent = true, sent.notify_all();
    }
  });
  CHECK(late[0] == std::byte{7});
}

TEST_CASE("mailboxes: where several processes fail, it is always the lowest that is heard") {
  for (int repeat = 0; repeat < 50; ++repeat) {
    CHECK(says(3, Delivery::boxes, [](Endpoint& self) {
            std::byte other[1];
            if (self.rank() == 2) throw std::runtime_error("no memory");
            self.receive(2, other);
          }) == "no memory");
    CHECK(says(4, Delivery::boxes, [](Endpoint& self) {
            if (self.rank() > 0)
              throw std::runtime_error("no memory " + std::to_string(self.rank()));
          }) == "no memory 1");
  }
}

}  // namespace xf::test
