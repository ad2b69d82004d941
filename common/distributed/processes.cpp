#include "distributed/processes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "cuda/device_number.hpp"
#include "distributed/mpi.hpp"
#include "tensor/error.hpp"
#include "tensor/parallel.hpp"
#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

Alone nobody;
std::unique_ptr<MpiEndpoint> connected;

void send_output_nowhere() {
  std::fflush(stdout);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

}  // namespace

Endpoint& everyone() { return connected ? static_cast<Endpoint&>(*connected) : nobody; }

Phrase name_of_process(int rank) {
  return words("process {} of {}, on {}", rank, everyone().ranks(), everyone().host(rank));
}

ProcessGroup::ProcessGroup(const std::function<void(const Phrase&)>& say) {
  connected = join_others([say](int rank, const std::string& seconds) {
    say(words("{}: silent for {} seconds, so all other processes end as well",
              name_of_process(rank), seconds));
  });
  if (!connected) return;
  set_threads(connected->cores());
  cuda::device_number = connected->place();
  if (connected->rank() != 0) send_output_nowhere();
}

ProcessGroup::~ProcessGroup() {
  if (connected) connected->leave();
  connected.reset();
}

void end_all(int exit_code) {
  if (connected && connected->ranks() > 1) connected->end_all(exit_code);
}

void must_agree(const std::vector<std::pair<Phrase, std::string>>& named) {
  for (const auto& [name, value] : named) {
    const std::vector<std::string> all = bytes_of_all(everyone(), value);
    const auto other = std::find_if(all.begin(), all.end(),
                                    [&](const std::string& one) { return one != all.front(); });
    if (other == all.end()) continue;
    throw UserError("{}: its {} differs from that of process 0 ({} instead of {})",
                    name_of_process(static_cast<int>(other - all.begin())), name, *other,
                    all.front());
  }
}

std::string build_of_program() {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a, eight bytes at a time
  std::FILE* file = std::fopen("/proc/self/exe", "rb");
  if (!file) return "unknown";
  std::array<std::uint64_t, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, sizeof block, file)) {
    for (std::size_t i = 0; i < (count + 7) / 8; ++i) hash = (hash ^ block[i]) * 0x100000001b3ull;
    block = {};
  }
  std::fclose(file);
  return std::to_string(hash);
}

double of_first(double number) {
  if (!several_processes()) return number;
  const std::string bytes =
      bytes_of(everyone(), 0, {reinterpret_cast<const char*>(&number), sizeof number});
  return bits_at<double>(bytes.data());
}

std::string of_first(const std::string& text) {
  return several_processes() ? bytes_of(everyone(), 0, text) : text;
}

bool in_any(bool here) {
  if (!several_processes()) return here;
  const std::vector<std::string> all = bytes_of_all(everyone(), here ? "1" : "0");
  return std::count(all.begin(), all.end(), "1") > 0;
}

}  // namespace xf
