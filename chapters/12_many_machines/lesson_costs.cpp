// Lesson 12, sections 5 to 7: what the sums cost, what overlaps, and how far this scales.

#include <algorithm>
#include <cmath>

#include "12_many_machines/lesson.hpp"
#include "12_many_machines/network.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::many_machines {

namespace {

struct Named {
  const char* name;
  Network network;
};
// Orders of magnitude: the latency of a message, and the bandwidth in bytes per second.
constexpr Named networks[] = {{"Ethernet", {30e-6, 1 / 1.25e9}},  // 10 gigabit
                              {"InfiniBand", {2e-6, 1 / 25e9}}};  // 200 gigabit
constexpr std::ptrdiff_t base_model = 65'000'000;  // parameters (Vaswani et al. 2017, table 3)
constexpr double forward = 0.1, backward = 0.2;    // seconds per step on one machine

std::string milliseconds(double seconds) { return fixed(1e3 * seconds, seconds < 0.01 ? 3 : 1); }

Way best(int processes, std::ptrdiff_t numbers, const Network& network) {
  return *std::ranges::min_element(
      ways, {}, [&](Way way) { return seconds(way, processes, numbers, network); });
}

// Machines that all need 0.3 s for their share, slowed down by the gradient sum and by the slowest
// of them, with a deviation of 3 %.   returns the share of the time spent computing
struct Efficiency {
  double plain, hidden, slowest;
};
Efficiency efficiency(int machines, const Network& network, Random& random) {
  const double compute = forward + backward;
  const double sum = seconds(best(machines, base_model, network), machines, base_model, network);
  double hidden = forward + overlapped(backward, 1, machines, base_model, network);
  for (const int buckets : {4, 16, 64})
    hidden =
        std::min(hidden, forward + overlapped(backward, buckets, machines, base_model, network));
  double slowest = 0, drawn = 0;
  constexpr int steps = 20;
  for (int step = 0; step < steps; ++step) {
    slowest = 0;
    for (int i = 0; i < machines; ++i) slowest = std::max(slowest, 1 + 0.03 * random.normal());
    drawn += slowest / steps;
  }
  return {compute / (compute + sum), compute / hidden, compute / (hidden + compute * (drawn - 1))};
}

}  // namespace

void cost_section() {
  section("What it costs");
  say("A message of b bytes takes alpha + beta b seconds (Hockney 1994): alpha until the first "
      "byte arrives, and beta for each byte. With M bytes of numbers at each of n processes:");
  equation(
      "tree:      2 log2(n) (alpha + beta M)\n"
      "doubling:    log2(n) (alpha + beta M)\n"
      "ring:        2 (n - 1) (alpha + beta M / n)");
  say("The table gives the milliseconds that 64 machines take by these formulas, with alpha = 30 "
      "us and 1.25 GB/s for 10-gigabit Ethernet, and 2 us and 25 GB/s for 200-gigabit InfiniBand. "
      "`measure` finds the values for your machines.");
  constexpr int machines = 64;
  Table table({"numbers", "network", "tree", "doubling", "ring", "best"});
  for (const std::ptrdiff_t numbers : {100, 10'000, 1'000'000, 65'000'000})
    for (const auto& [named, network] : networks) {
      std::vector<Phrase> cells{std::to_string(numbers), Words(named)};
      for (const Way way : ways)
        cells.push_back(milliseconds(seconds(way, machines, numbers, network)));
      cells.push_back(Words(name(best(machines, numbers, network))));
      table.row(cells);
    }
  table.print();
  const Network& ethernet = networks[0].network;
  claim(best(machines, 100, ethernet) == Way::doubling, "short messages: the fewest steps win");
  claim(best(machines, base_model, ethernet) == Way::ring, "long ones: the fewest bytes win");
  double apart = 0;
  for (const Way way : ways)
    for (const int n : {2, 4, 8, 64}) {
      const double by_message =
          simulated(way, 64'000, ethernet, std::vector<double>(std::size_t(n)));
      apart = std::max(apart, std::abs(by_message / seconds(way, n, 64'000, ethernet) - 1));
    }
  claim(apart < 1e-9, "a simulation of each message agrees with the formulas");
  finding(
      "Few numbers are added fastest by doubling (fewest steps), many by a ring (fewest bytes).");
}

void overlap_section() {
  section("What overlaps");
  say("The backward pass reaches the last layer first. This layer's gradients need not wait for "
      "the others. They are sent as a bucket while the pass continues (Li et al. 2020). With a "
      "backward pass of 200 ms, {} gradients and 64 machines, how long after the end of the pass "
      "does the last sum arrive?",
      base_model);
  Table table({"buckets", "Ethernet, ms", "InfiniBand, ms"});
  std::vector<double> left;
  for (const int buckets : {1, 4, 16, 64, 256, 1024}) {
    std::vector<Phrase> cells{std::to_string(buckets)};
    for (const auto& [named, network] : networks) {
      const double after = overlapped(backward, buckets, 64, base_model, network) - backward;
      cells.push_back(fixed(1e3 * after, 1));
      if (&network == &networks[0].network) left.push_back(after);
    }
    table.row(cells);
  }
  table.print();
  claim(left[1] < left[0], "what is sent early is not waited for at the end");
  claim(left.back() > left[0], "too many buckets cost more than they hide");
  say("Each bucket pays alpha once more for each of its steps, so on Ethernet 16 buckets hide less "
      "time than 4 do. If the sum takes longer than the backward pass, nothing can hide the rest.");
  finding("The sum of a layer's gradients can travel while the layers below are computed.");
}

void scaling_section(const CommonOptions& options, Random& random) {
  section("From 8 to 4,096 machines");
  say("In this simulation each machine computes for {} ms per step, and the batch grows with the "
      "number of machines. The table gives the fraction of the time in which a machine computes: "
      "without overlap, with the best of 1, 4, 16 and 64 buckets, and if in addition the "
      "computing times vary by 3 %, so that all wait for the slowest machine in each step.",
      fixed(1e3 * (forward + backward), 0));
  Table table({"machines", "network", "plain", "overlapped", "and the slowest"});
  LineChart chart{.x_title = words("machines"),
                  .y_title = words("share of the time in which a machine computes"),
                  .log_x = true};
  std::vector<double> ends;
  for (const auto& [named, network] : networks) {
    Series plain{.name = words("{}, plain", Words(named))},
        hidden{.name = words("{}, overlap and slowest", Words(named)), .beside_previous = true};
    for (int machines = 8; machines <= 4096; machines *= 2) {
      const Efficiency share = efficiency(machines, network, random);
      plain.add(machines, share.plain);
      hidden.add(machines, share.slowest);
      if (machines == 8 || machines == 64 || machines == 512 || machines == 4096)
        table.row({std::to_string(machines), Words(named), fixed(share.plain, 2),
                   fixed(share.hidden, 2), fixed(share.slowest, 2)});
    }
    ends.push_back(hidden.y.back());
    chart.series.push_back(plain);
    chart.series.push_back(hidden);
  }
  table.print();
  chart.title = words("4,096 machines compute {} of the time on a fast network, {} on a slow one",
                      fixed(ends[1], 2), fixed(ends[0], 2));
  write_picture(options, "scaling.svg", line_chart_svg(chart));
  claim(ends[1] > 2 * ends[0], "the network decides");
  say("In a ring, each link carries 2 (n - 1) / n times the bytes of the gradients, which "
      "hardly grows with n. But the number of steps grows, and so does the time that the "
      "slowest machine takes.");
  finding("On a fast network 4,096 machines compute {} of the time, on a slow one {}.",
          fixed(ends[1], 2), fixed(ends[0], 2));
}

}  // namespace xf::many_machines
