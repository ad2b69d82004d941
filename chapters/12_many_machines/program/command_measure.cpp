#include <CLI/App.hpp>
#include <memory>

#include "12_many_machines/network.hpp"
#include "12_many_machines/program/commands.hpp"
#include "distributed/processes.hpp"
#include "speech/show.hpp"
#include "tensor/error.hpp"
#include "train/progress.hpp"

namespace xf::many_machines {

namespace {

struct Flags {
  int runs = 21;
};

// The median time of a call on this process, in seconds; all start together.
template <class Work>
double median_seconds(int runs, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < runs + 2; ++i) {
    in_any(false);  // a barrier
    const Stopwatch watch;
    work();
    if (i >= 2) times.push_back(watch.seconds());
  }
  return median(times);
}

// The time of a message from process 0 to the last one: half of the round trip.
double message_seconds(Endpoint& self, std::vector<std::byte>& bytes, int runs) {
  const int last = self.ranks() - 1;
  return median_seconds(runs,
                        [&] {
                          if (self.rank() == 0) self.send(last, bytes), self.receive(last, bytes);
                          if (self.rank() == last) self.receive(0, bytes), self.send(0, bytes);
                        }) /
         2;
}

int run(const Flags& flags) {
  Endpoint& self = everyone();
  if (self.ranks() < 2)
    throw UserError("measure needs several processes: mpirun -n 2 12_many_machines measure");
  section("A message");
  say("From process 0 to process {}, which runs on {}. The line alpha + beta n is fitted to the "
      "times by least squares of the relative errors.",
      self.ranks() - 1, self.host(self.ranks() - 1));
  std::vector<Measured> measured;
  for (const int size : {8, 64, 512, 4096, 32768, 262144, 2097152, 16777216}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    measured.push_back({double(size), of_first(message_seconds(self, bytes, flags.runs))});
  }
  const Network network = fitted(measured);
  Table messages({"bytes", "us", "alpha + beta n, us"});
  for (const auto& [bytes, time] : measured)
    messages.row(
        {std::to_string(int(bytes)), fixed(1e6 * time, 2), fixed(1e6 * network.seconds(bytes), 2)});
  messages.print();
  finding("alpha = {} us, beta = {} ns a byte ({} GB/s)", fixed(1e6 * network.alpha, 2),
          fixed(1e9 * network.beta, 3), fixed(1e-9 / network.beta, 2));

  section("Adding up");
  say("The microseconds until {} processes have the sum of their numbers. In brackets are the "
      "values of the formulas, which count only the messages. MPI chooses its own method.",
      self.ranks());
  Table sums({"numbers", "tree", "doubling", "ring", "MPI_Allreduce"});
  for (const int numbers : {100, 10000, 1000000, 8000000}) {
    std::vector<float> x(static_cast<std::size_t>(numbers));
    std::vector<Phrase> row{std::to_string(numbers)};
    const auto cell = [&](const std::function<void()>& add_up, double formula) {
      const double time = of_first(median_seconds(flags.runs, add_up));
      std::string text = fixed(1e6 * time, 0);
      if (formula > 0) text += " (" + fixed(1e6 * formula, 0) + ")";
      row.push_back(text);
    };
    const auto by = [&](Way way) { return seconds(way, self.ranks(), numbers, network); };
    cell([&] { add_up_tree(self, x); }, by(Way::tree));
    cell([&] { add_up_doubling(self, x); }, by(Way::doubling));
    cell([&] { add_up_ring(self, x); }, by(Way::ring));
    cell([&] { self.add_up(x); }, 0);
    sums.row(row);
  }
  sums.print();
  return 0;
}

}  // namespace

Command add_measure(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  integer_flag(app, "--runs", flags->runs, "how many times each is timed", 1);
  return [flags](const CommonOptions&) { return run(*flags); };
}

}  // namespace xf::many_machines
