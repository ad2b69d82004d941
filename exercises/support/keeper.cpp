#include "support/keeper.hpp"

#include <sys/socket.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "support/checks.hpp"
#include "support/told.hpp"

namespace xf::keeper {

namespace {

constexpr std::uint32_t most_letters = 4096, most_tensors = 1 << 14;
constexpr std::ptrdiff_t most_numbers = 1 << 20;

enum class Kind : std::uint32_t { asked, called, answered, refused };

struct Message {
  Kind kind;
  std::string name;  // of what is asked or called; why it is refused
  Tensors tensors;
};

// What goes wrong with the other side itself.
struct Lost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One end of the line between both processes, a socket. The other end may say anything.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}
  bool there() const { return socket_ >= 0; }

  void send(const Message& message) const {
    std::string all;
    const auto add = [&](const void* from, std::size_t bytes) {
      all.append(static_cast<const char*>(from), bytes);
    };
    const auto number = [&](std::uint32_t n) { add(&n, sizeof n); };
    number(static_cast<std::uint32_t>(message.kind));
    const std::string name = message.name.substr(0, most_letters);
    number(static_cast<std::uint32_t>(name.size()));
    add(name.data(), name.size());
    number(static_cast<std::uint32_t>(message.tensors.size()));
    for (const Tensor& tensor : message.tensors) {
      number(static_cast<std::uint32_t>(tensor.rank()));
      for (int axis = 0; axis < tensor.rank(); ++axis)
        number(static_cast<std::uint32_t>(tensor.size(axis)));
      const std::vector<float> values = tensor.values();
      add(values.data(), values.size() * sizeof(float));
    }
    for (std::size_t done = 0; done < all.size();) {
      const ssize_t sent = ::send(socket_, all.data() + done, all.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) throw Lost("the other side is gone");
      done += static_cast<std::size_t>(sent);
    }
  }

  Message receive() const {
    const auto fill = [&](void* to, std::size_t bytes) {
      for (std::size_t done = 0; done < bytes;) {
        const ssize_t came = ::recv(socket_, static_cast<char*>(to) + done, bytes - done, 0);
        if (came <= 0) throw Lost("the other side is gone");
        done += static_cast<std::size_t>(came);
      }
    };
    const auto number = [&](std::uint32_t most) {
      std::uint32_t n = 0;
      fill(&n, sizeof n);
      if (n > most) throw Lost("the other side says what means nothing");
      return n;
    };
    Message message{static_cast<Kind>(number(static_cast<std::uint32_t>(Kind::refused))), "", {}};
    message.name.resize(number(most_letters));
    fill(message.name.data(), message.name.size());
    std::ptrdiff_t left = most_numbers;
    for (std::uint32_t count = number(most_tensors); count > 0; --count) {
      Shape shape;
      std::ptrdiff_t size = 1;
      for (std::uint32_t axes = number(Shape::max_rank); axes > 0; --axes) {
        shape.append(static_cast<int>(number(static_cast<std::uint32_t>(most_numbers))));
        size *= shape[-1];
        if (size > left) throw Lost("the other side says too much");
      }
      left -= size;
      std::vector<float> values(static_cast<std::size_t>(size));
      fill(values.data(), values.size() * sizeof(float));
      message.tensors.push_back(Tensor::from(shape, values));
    }
    return message;
  }

 private:
  int socket_;
};

std::map<std::string, Answer>& answers() {
  static std::map<std::string, Answer> all;
  return all;
}

// Answers one question, which may come while another one is answered.
void answer(const Line& line, const Message& asked) {
  const Call call = [&](const std::string& function, const Tensor& x) {
    line.send({Kind::called, function, {x}});
    while (true) {
      const Message said = line.receive();
      if (said.kind == Kind::asked) {
        answer(line, said);
        continue;
      }
      if (said.kind != Kind::answered || said.tensors.size() != 1)
        throw std::invalid_argument(function + " has failed");
      return said.tensors[0];
    }
  };
  Message reply{Kind::answered, "", {}};
  try {
    const auto found = answers().find(asked.name);
    if (found == answers().end()) throw std::invalid_argument("nothing is kept by this name");
    reply.tensors = found->second(asked.tensors, call);
  } catch (const Lost&) {
    throw;
  } catch (const std::exception& error) {
    reply = {Kind::refused, error.what(), {}};
  }
  line.send(reply);
}

std::uint64_t of_this_hand_in() { return exercise::told().secret; }

}  // namespace

std::uint64_t secret(std::uint64_t seed) { return exercise::salted(seed ^ of_this_hand_in()); }

Tensor hidden(const Shape& shape, std::uint64_t seed, float deviation) {
  return exercise::random(shape, seed ^ of_this_hand_in(), deviation);
}

std::vector<int> hidden_order(int count, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Random source(secret(seed));
  if (of_this_hand_in() != 0) source.shuffle(order.begin(), order.end());
  return order;
}

float yes(const std::string& to_what) {
  std::uint64_t seed = 0;
  for (char letter : to_what) seed = mix(seed ^ static_cast<unsigned char>(letter));
  return of_this_hand_in() != 0 ? static_cast<float>(Random(secret(seed)).uniform(1, 2)) : 1;
}

Tensors ask(const std::string& what, const Tensors& about,
            const std::map<std::string, Function>& functions) try {
  static const Line line(exercise::told().keeper);
  if (!line.there()) throw std::runtime_error("this test runs by ./learn alone");
  line.send({Kind::asked, what, about});
  while (true) {
    Message said = line.receive();
    if (said.kind == Kind::answered) return said.tensors;
    if (said.kind == Kind::refused) throw std::invalid_argument(said.name);
    Tensor y;
    try {
      y = functions.at(said.name)(said.tensors.at(0));
    } catch (...) {
      line.send({Kind::refused, "", {}});
      line.receive();  // that the keeper has understood
      throw;
    }
    line.send({Kind::answered, "", {y}});
  }
} catch (const Lost&) {
  throw std::runtime_error("the test answers no more: a loop that never ends?");
}

bool keep(const std::string& what, const Answer& answer) {
  return answers().emplace(what, answer).second;
}

Answer notes(const std::string& name) {
  const auto written = std::make_shared<std::vector<float>>();
  return [=](const Tensors& about, const Call&) -> Tensors {
    for (const Tensor& line : about) {
      const std::vector<float> numbers = line.values();
      written->insert(written->end(), numbers.begin(), numbers.end());
    }
    if (!about.empty()) return {};
    for (float& number : *written) number *= yes(name);
    const Tensor all = Tensor::from({static_cast<int>(written->size())}, *written);
    written->clear();
    return {all};
  };
}

Tensor scalar(double x) { return Tensor::full({}, static_cast<float>(x)); }

int whole(const Tensor& tensor, int least, int most) {
  const float x = tensor.rank() == 0 ? tensor.item() : -1.5f;
  if (!(x >= static_cast<float>(least) && x <= static_cast<float>(most)) || x != std::floor(x))
    throw std::invalid_argument("no whole number of " + std::to_string(least) + " to " +
                                std::to_string(most));
  return static_cast<int>(x);
}

void serve_if_keeper() {
  static const Line line(exercise::told().keeps);
  if (!line.there()) return;
  try {
    while (true) answer(line, line.receive());
  } catch (const Lost&) {
    std::_Exit(0);
  }
}

}  // namespace xf::keeper
