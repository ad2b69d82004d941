#include "12_many_machines/network.hpp"

#include <algorithm>

namespace xf::many_machines {

// Minimises sum_i ((alpha + beta n_i - t_i) / t_i)^2: two equations in alpha and beta.
Network fitted(std::span<const Measured> measured) {
  double one = 0, n = 0, nn = 0, t = 0, nt = 0;
  for (const auto& [bytes, time] : measured) {
    const double weight = 1 / (time * time);
    one += weight, n += weight * bytes, nn += weight * bytes * bytes;
    t += weight * time, nt += weight * bytes * time;
  }
  const double beta = (one * nt - n * t) / (one * nn - n * n);
  return {(t - beta * n) / one, beta};
}

double seconds(Way way, int processes, std::ptrdiff_t numbers, const Network& network) {
  int doublings = 0;
  while ((1 << doublings) < processes) ++doublings;
  const double bytes = 4.0 * static_cast<double>(numbers);
  if (way == Way::ring)
    return 2 * (processes - 1) * network.seconds(bytes / std::max(processes, 1));
  const bool power = (1 << doublings) == processes;
  const int steps = way == Way::tree ? 2 * doublings : power ? doublings : doublings + 1;
  return steps * network.seconds(bytes);
}

double simulated(Way way, std::ptrdiff_t numbers, const Network& network,
                 const std::vector<double>& begin) {
  std::vector<double> now = begin, after = begin;
  for_each_step(way, static_cast<int>(begin.size()), numbers, [&](auto messages) {
    for (const auto& [from, to, count] : messages) {
      const double there =
          now[static_cast<std::size_t>(from)] + network.seconds(4.0 * static_cast<double>(count));
      for (const int who : {from, to}) {
        double& time = after[static_cast<std::size_t>(who)];
        time = std::max(time, there);
      }
    }
    now = after;
  });
  return *std::max_element(now.begin(), now.end());
}

double overlapped(double backward, int buckets, int processes, std::ptrdiff_t numbers,
                  const Network& network) {
  const std::ptrdiff_t each = numbers / buckets;
  const double time = std::min(seconds(Way::doubling, processes, each, network),
                               seconds(Way::ring, processes, each, network));
  double free = 0;  // when the network is
  for (int i = 1; i <= buckets; ++i) free = std::max(free, backward * i / buckets) + time;
  return free;
}

}  // namespace xf::many_machines
