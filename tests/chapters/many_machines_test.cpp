#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "12_many_machines/letters_picture.hpp"
#include "12_many_machines/network.hpp"
#include "12_many_machines/schedule.hpp"
#include "distributed/collectives.hpp"
#include "distributed/mailboxes.hpp"
#include "plot/xml.hpp"

namespace xf::test {

using namespace many_machines;

namespace {

using Sent = std::tuple<int, int, std::size_t, int>;  // from, to, bytes, step

std::vector<Letter> letters_of(Way way, int processes, int numbers) {
  return run_threads_as_processes(processes, [&](Endpoint& self) {
    std::vector<float> x(static_cast<std::size_t>(numbers), 1);
    if (way == Way::tree) add_up_tree(self, x);
    if (way == Way::doubling) add_up_doubling(self, x);
    if (way == Way::ring) add_up_ring(self, x);
  });
}

std::vector<Sent> sent_by_program(Way way, int processes, int numbers) {
  std::vector<Sent> sent;
  for (const Letter& letter : letters_of(way, processes, numbers))
    sent.emplace_back(letter.from, letter.to, letter.bytes, letter.step);
  std::sort(sent.begin(), sent.end());
  return sent;
}

// A letter's step counts the exchanges of its sender. Of the schedule's steps these are the ones in
// which the sender sends or receives.
std::vector<Sent> sent_by_schedule(Way way, int processes, int numbers) {
  std::vector<Sent> sent;
  std::vector<int> exchanges(static_cast<std::size_t>(processes));
  for_each_step(way, processes, numbers, [&](std::span<const Message> messages) {
    std::set<int> busy;
    for (const auto& [from, to, count] : messages) {
      sent.emplace_back(from, to, static_cast<std::size_t>(count) * sizeof(float),
                        exchanges[static_cast<std::size_t>(from)]);
      busy.insert({from, to});
    }
    for (const int process : busy) ++exchanges[static_cast<std::size_t>(process)];
  });
  std::sort(sent.begin(), sent.end());
  return sent;
}

int steps_of(Way way, int processes) {
  int steps = 0;
  for_each_step(way, processes, 12, [&](std::span<const Message>) { ++steps; });
  return steps;
}

}  // namespace

TEST_CASE("many machines: the schedules are what the programs send, message by message") {
  for (const Way way : ways)
    for (int processes = 1; processes <= 9; ++processes)
      for (const int numbers : {0, 1, 3, 12, 25}) {
        CAPTURE(name(way));
        CAPTURE(processes);
        CAPTURE(numbers);
        CHECK(sent_by_program(way, processes, numbers) ==
              sent_by_schedule(way, processes, numbers));
      }
}

TEST_CASE("many machines: the schedules have as many steps as the formulas count") {
  for (int processes = 1; processes <= 9; ++processes) {
    int doublings = 0;
    while ((1 << doublings) < processes) ++doublings;
    const bool power = (1 << doublings) == processes;
    CAPTURE(processes);
    CHECK(steps_of(Way::tree, processes) == 2 * doublings);
    CHECK(steps_of(Way::doubling, processes) == (power ? doublings : doublings + 1));
    CHECK(steps_of(Way::ring, processes) == 2 * (processes - 1));
  }
}

TEST_CASE("many machines: a line through times is alpha + beta n") {
  const Network network{3e-6, 2e-9};
  std::vector<Measured> measured;
  for (const double bytes : {8.0, 1000.0, 1e6}) measured.push_back({bytes, network.seconds(bytes)});
  const Network found = fitted(measured);
  CHECK(found.alpha == doctest::Approx(3e-6));
  CHECK(found.beta == doctest::Approx(2e-9));
}

TEST_CASE("many machines: the line's errors are relative, worked by hand") {
  // Times 1, 2 and 2 for 0, 1 and 2 bytes have the weights 1, 1/4 and 1/4:
  //   3/2 alpha + 3/4 beta = 2,   3/4 alpha + 5/4 beta = 3/2.
  const Measured measured[] = {{0, 1}, {1, 2}, {2, 2}};
  const Network found = fitted(measured);
  CHECK(found.alpha == doctest::Approx(22.0 / 21));
  CHECK(found.beta == doctest::Approx(4.0 / 7));
}

TEST_CASE("many machines: the formulas, by hand and message by message") {
  const Network network{1, 0.25};  // a message of M bytes takes 1 + M / 4 seconds
  // 4 processes, 8 numbers = 32 bytes: 9 seconds a message of all, 3 seconds one of a quarter.
  CHECK(seconds(Way::tree, 4, 8, network) == 4 * 9);
  CHECK(seconds(Way::doubling, 4, 8, network) == 2 * 9);
  CHECK(seconds(Way::ring, 4, 8, network) == 6 * 3);
  CHECK(seconds(Way::doubling, 5, 8, network) == 4 * 9);
  CHECK(seconds(Way::tree, 5, 8, network) == 6 * 9);
  CHECK(seconds(Way::ring, 8, 8, network) == 14 * 2);
  for (const Way way : ways) {
    CHECK(seconds(way, 1, 8, network) == 0);
    for (const int processes : {1, 2, 4, 8, 16})
      CHECK(simulated(way, 16, network, std::vector<double>(std::size_t(processes))) ==
            doctest::Approx(seconds(way, processes, 16, network)));
  }
  CHECK(simulated(Way::doubling, 8, network, std::vector<double>(5)) == 4 * 9);
  // Parts of 2, 3 and 3 numbers: somebody sends 3 in every step, for 4 seconds.
  CHECK(simulated(Way::ring, 8, network, std::vector<double>(3)) == 4 * 4);
  // Process 2 needs no other before it sends, so the way up is over after one message's time.
  CHECK(simulated(Way::tree, 8, network, std::vector<double>(3)) == 3 * 9);
  // Who begins late makes all wait.
  CHECK(simulated(Way::doubling, 8, network, {0, 0, 100, 0}) == 100 + 2 * 9);
  CHECK(simulated(Way::ring, 8, network, {0, 0, 100, 0}) == 100 + 6 * 3);
}

TEST_CASE("many machines: buckets overlap with the backward pass") {
  const Network network{0, 0.25};
  // 8 numbers at 2 processes: 8 seconds, after a backward pass of 4.
  CHECK(overlapped(4, 1, 2, 8, network) == 4 + 8);
  // Two buckets of 4 seconds: from 2 to 6, and from 6 to 10.
  CHECK(overlapped(4, 2, 2, 8, network) == 10);
  // A long backward pass hides all but the last bucket.
  CHECK(overlapped(100, 4, 2, 8, network) == 102);
  // With alpha = 1 a bucket of 2 numbers takes 3 seconds by doubling, and 2 (1 + 1) by a ring.
  CHECK(overlapped(4, 4, 2, 8, {1, 0.25}) == 1 + 4 * 3);
  // 4 processes, 16 numbers: 2 (0 + 16) by doubling, 6 (0 + 4) by a ring.
  CHECK(overlapped(4, 1, 4, 16, network) == 4 + 24);
  CHECK(overlapped(4, 4, 1, 8, network) == 4);  // alone, nothing is sent
}

TEST_CASE("many machines: the picture has an arrow and a dot for each message") {
  const std::vector<Letter> letters{{0, 1, 8, 0}, {1, 0, 4, 1}};
  const std::string svg = letters_svg(letters, 2, {"all of it", {{"there", "more"}, {"back"}}});
  const auto count = [&](const std::string& what) { return occurrences(svg, what); };
  CHECK(count("<polygon") == 3);  // and the one that explains the arrows
  CHECK(count("<animate attributeName=\"cx\"") == 2);
  for (const std::string text :
       {">all of it<", ">there<", ">more<", ">back<", ">a message, and how"})
    CHECK_MESSAGE(count(text) == 1, text);
  CHECK(count("process 1") == 1);
  CHECK(count("step 2") == 1);
}

TEST_CASE("many machines: the pictures of all ways are well-formed") {
  for (const Way way : ways)
    for (int processes = 1; processes <= 5; ++processes) {
      CAPTURE(name(way));
      CAPTURE(processes);
      CHECK(XmlCheck::problem(
                letters_svg(letters_of(way, processes, 7), processes, {"", {{""}}})) == "");
    }
}

}  // namespace xf::test
