// Lesson 12, sections 3 and 4: messages, and three ways to add up numbers with them.

#include <map>
#include <stdexcept>

#include "12_many_machines/lesson.hpp"
#include "12_many_machines/letters_picture.hpp"
#include "12_many_machines/schedule.hpp"
#include "distributed/collectives.hpp"
#include "distributed/mailboxes.hpp"
#include "io/files.hpp"
#include "speech/show.hpp"

namespace xf::many_machines {

namespace {

constexpr int processes = 4, count = 12;

int add_up(Way way, Endpoint& self, std::span<float> x) {
  if (way == Way::tree) return add_up_tree(self, x);
  if (way == Way::doubling) return add_up_doubling(self, x);
  return add_up_ring(self, x);
}

// A process that records its numbers before each exchange.
class Watched : public Endpoint {
 public:
  Watched(Endpoint& self, std::span<const float> x, std::vector<std::string>& seen)
      : self_(self), x_(x), seen_(seen) {}
  int rank() const override { return self_.rank(); }
  int ranks() const override { return self_.ranks(); }
  std::string host(int rank) const override { return self_.host(rank); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    look();
    self_.exchange(out, in);
  }
  void add_up(std::span<float> x) override { self_.add_up(x); }
  void look() {
    std::string text;
    for (const float number : x_) text += (text.empty() ? "" : " ") + fixed(number, 0);
    seen_.push_back(text);
  }

 private:
  Endpoint& self_;
  std::span<const float> x_;
  std::vector<std::string>& seen_;
};

// The number of summands in each part of a ring, by process and step, for x = (1, 1, 1, 1).
std::vector<std::vector<std::string>> parts_of_ring() {
  std::vector<std::vector<std::string>> seen(processes);
  run_threads_as_processes(processes, [&](Endpoint& self) {
    std::vector<float> x(processes, 1);
    Watched watched(self, x, seen[static_cast<std::size_t>(self.rank())]);
    add_up_ring(watched, x);
    watched.look();
  });
  return seen;
}

// The letters of a run with `count` numbers in each of `processes` processes.
std::vector<Letter> letters_of(Way way, int* steps) {
  return run_threads_as_processes(processes, [&](Endpoint& self) {
    std::vector<float> x(count, 1);
    const int taken = add_up(way, self, x);
    if (self.rank() == 0) *steps = taken;
    if (x != std::vector<float>(count, processes)) throw std::logic_error("a wrong sum");
  });
}

// The title of the picture for a way of adding up, and what happens in its phases.
LettersTitle title_of(Way way, int steps, std::size_t most) {
  if (way == Way::tree)
    return {words("A tree: {} steps, and a process sends up to {} numbers", steps, most),
            {{"reduce", "the sums go up,", "to process 0"},
             {"broadcast", "the whole sum", "comes back"}}};
  if (way == Way::doubling)
    return {words("Recursive doubling: {} steps, and each process sends {} numbers", steps, most),
            {{"exchange and add", "partners 1 apart,", "then 2 apart"}}};
  return {words("A ring: {} steps, and each process sends {} numbers", steps, most),
          {{"reduce-scatter", "each adds its own", "to a part, and", "hands it on"},
           {"all-gather", "the whole parts", "go round"}}};
}

std::size_t max_of_one(const std::vector<Letter>& letters) {
  std::map<int, std::size_t> sent;
  for (const Letter& letter : letters) sent[letter.from] += letter.bytes / sizeof(float);
  std::size_t most = 0;
  for (const auto& [from, numbers] : sent) most = std::max(most, numbers);
  return most;
}

}  // namespace

void waiting_section() {
  section("Messages, and how to wait forever");
  say("Machines share no memory. One sends a message, and the other waits until it has "
      "arrived. Here three processes are threads of this program, and a message is a letter in "
      "a mailbox. Each process wants the number of its right neighbour, and first waits for it:");
  equation("receive(right, number);  send(left, own);");
  Phrase message;
  const auto run = [&](bool receives_first) {
    run_threads_as_processes(3, [&](Endpoint& self) {
      const int right = (self.rank() + 1) % 3, left = (self.rank() + 2) % 3;
      const std::byte own[1] = {std::byte(self.rank())};
      std::byte number[1];
      if (receives_first) self.receive(right, number);
      self.send(left, own);
      if (!receives_first) self.receive(right, number);
      if (number[0] != std::byte(right)) throw std::logic_error("a wrong number");
    });
  };
  try {
    run(true);
  } catch (const std::runtime_error& error) {
    message = message_of(error);
  }
  quote(message);
  claim(message.english().ends_with("nobody sends"), "to receive first is to wait forever");
  say("On a cluster nothing reports this: the job hangs until its time limit. With mailboxes, "
      "which take each letter at once, sending first helps. But over a network, a long message may "
      "wait until the other side receives it, and then all wait in send. The cure is to send and "
      "receive at the same time, exchange(out, in), as the engine's processes do.");
  run(false);
  finding("If every process receives before it sends, all of them wait forever.");
}

void ways_section(const CommonOptions& options) {
  section("Three ways to add up");
  say("Every process has N numbers, and all need the sum: an all-reduce. In a tree, one "
      "process of each pair passes its numbers to the other, which adds them to its own, until "
      "process 0 has the sum; the sum goes back the same way. In recursive doubling, partners "
      "that are 1, then 2, then 4 ... apart exchange their numbers, and both add them. In a "
      "ring the numbers are cut into n parts: each process sends one part to the right while "
      "it receives another from the left and adds it to its own. After n - 1 steps each "
      "process has one complete part, and in n - 1 more steps the complete parts travel round "
      "the ring. With 4 processes and 12 numbers:");
  Table table({"way", "steps", "messages", "most numbers in one", "most sent by a process"});
  std::map<Way, std::size_t> most;
  for (const Way way : ways) {
    int steps = 0;
    const std::vector<Letter> letters = letters_of(way, &steps);
    std::size_t longest = 0;
    for (const Letter& letter : letters) longest = std::max(longest, letter.bytes / sizeof(float));
    most[way] = max_of_one(letters);
    table.row({Words(name(way)), std::to_string(steps), std::to_string(letters.size()),
               std::to_string(longest), std::to_string(most[way])});
    const std::string path = output_path(options, std::string(name(way)) + ".svg");
    write_file_atomically(path, letters_svg(letters, processes, title_of(way, steps, most[way])));
  }
  table.print();
  for (const Way way : ways) picture(output_path(options, std::string(name(way)) + ".svg"));
  claim(most[Way::ring] < most[Way::doubling], "in a ring each process sends less");
  say("The pictures are animations of the messages of this run. A ring sends the fewest "
      "numbers, 2 N (n - 1) / n per process, but takes the most steps. The number of summands "
      "in each of the four parts, at each process:");
  const std::vector<std::vector<std::string>> parts = parts_of_ring();
  Table steps({"after step", "process 0", "process 1", "process 2", "process 3"});
  for (std::size_t step = 0; step < parts[0].size(); ++step)
    steps.row(
        {std::to_string(step), parts[0][step], parts[1][step], parts[2][step], parts[3][step]});
  steps.print();
  claim(parts[2].back() == "4 4 4 4", "at the end every part is whole everywhere");
  finding(
      "A tree takes 2 log n steps with all numbers, doubling log n, a ring 2 (n - 1) with an "
      "n-th.");
}

}  // namespace xf::many_machines
