#include "support/report.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace xf::exercise {

constexpr std::size_t kSecret = 32;

// Where the report goes, and what its lines begin with. Plain numbers, because it is filled before
// any constructor has run.
struct Channel {
  int descriptor;
  std::size_t known;  // bytes of the secret
  char secret[kSecret];
};
static Channel channel = {-1, 0, {}};

static void open_channel(int, char**, char** environment) {
  constexpr const char* kName = "XF_REPORT=";
  for (; environment && *environment; ++environment) {
    if (std::strncmp(*environment, kName, std::strlen(kName)) != 0) continue;
    channel.descriptor = std::atoi(*environment + std::strlen(kName));
    while (channel.known < kSecret) {
      const ssize_t got =
          ::read(channel.descriptor, channel.secret + channel.known, kSecret - channel.known);
      if (got <= 0) break;
      channel.known += static_cast<std::size_t>(got);
    }
  }
}

// Before the constructors of every other object: none of them finds the secret where it was sent.
__attribute__((section(".preinit_array"),
               used)) static void (*const open_first)(int, char**, char**) = open_channel;

void report(const std::string& line) {
  if (channel.descriptor < 0) return;
  const std::string all = std::string(channel.secret, channel.known) + " " + line + "\n";
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t sent = ::write(channel.descriptor, all.data() + done, all.size() - done);
    if (sent <= 0) std::_Exit(3);  // nobody would learn of the rest
    done += static_cast<std::size_t>(sent);
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

static std::string number(float x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  std::ostringstream out;
  out.precision(9);
  out << x;
  return out.str();
}

std::string numbers(const Tensor& tensor) {
  if (!tensor.defined()) return "null";
  std::string shape, values;
  for (int axis = 0; axis < tensor.rank(); ++axis)
    shape += (axis ? ", " : "") + std::to_string(tensor.size(axis));
  for (float value : tensor.values()) values += (values.empty() ? "" : ", ") + number(value);
  return "{\"shape\": [" + shape + "], \"values\": [" + values + "]}";
}

}  // namespace xf::exercise
