#include "12_many_machines/schedule.hpp"

#include <bit>
#include <vector>

#include "distributed/collectives.hpp"

namespace xf::many_machines {

namespace {

using Step = std::function<void(std::span<const Message>)>;

// The largest power of two that does not exceed n.
int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }

void tree(int processes, std::ptrdiff_t numbers, const Step& step) {
  std::vector<Message> messages;
  const auto down = [&](int apart) {
    messages.clear();
    for (int r = 0; r + apart < processes; r += 2 * apart)
      messages.push_back({r, r + apart, numbers});
  };
  for (int apart = 1; apart < processes; apart *= 2) {
    down(apart);
    for (Message& message : messages) std::swap(message.from, message.to);  // up
    step(messages);
  }
  for (int apart = power_below(processes); apart > 0; apart /= 2) {
    down(apart);
    if (!messages.empty()) step(messages);
  }
}

void doubling(int processes, std::ptrdiff_t numbers, const Step& step) {
  const int power = power_below(processes), beyond = processes - power;
  std::vector<Message> messages;
  for (int r = 0; r < beyond; ++r) messages.push_back({power + r, r, numbers});
  if (beyond > 0) step(messages);
  for (int apart = 1; apart < power; apart *= 2) {
    messages.clear();
    for (int r = 0; r < power; ++r) messages.push_back({r, r ^ apart, numbers});
    step(messages);
  }
  messages.clear();
  for (int r = 0; r < beyond; ++r) messages.push_back({r, power + r, numbers});
  if (beyond > 0) step(messages);
}

void ring(int processes, std::ptrdiff_t numbers, const Step& step) {
  std::vector<Message> messages(static_cast<std::size_t>(processes));
  for (int round = 0; round < 2; ++round)
    for (int s = 0; s < processes - 1; ++s) {
      for (int r = 0; r < processes; ++r) {
        const int part = (r + round - s + processes) % processes;
        messages[static_cast<std::size_t>(r)] = {r, (r + 1) % processes,
                                                 share_of(numbers, part, processes).size()};
      }
      step(messages);
    }
}

}  // namespace

const char* name(Way way) {
  return way == Way::tree ? "tree" : way == Way::doubling ? "doubling" : "ring";
}

void for_each_step(Way way, int processes, std::ptrdiff_t numbers, const Step& step) {
  if (way == Way::tree) tree(processes, numbers, step);
  if (way == Way::doubling) doubling(processes, numbers, step);
  if (way == Way::ring) ring(processes, numbers, step);
}

}  // namespace xf::many_machines
