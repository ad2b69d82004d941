#include "distributed/shared_work.hpp"

#include <cstdint>
#include <cstring>

#include "distributed/processes.hpp"
#include "tensor/parallel.hpp"

namespace xf {

namespace {

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void append(std::string& bytes, const std::string& text) {
  append(bytes, std::uint64_t{text.size()});
  bytes += text;
}

// Reads what was appended.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <class Number>
  void next(Number& number) {
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
  }
  std::size_t next_size() {
    std::uint64_t size = 0;
    next(size);
    return static_cast<std::size_t>(size);
  }
  void next(std::string& text) {
    const std::size_t size = next_size();
    text.assign(bytes_, at_, size);
    at_ += size;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

// Process i modulo the number of processes does piece i: neighbours in a list sorted by length are
// of about the same size.
template <class Item>
std::vector<std::vector<Item>> share(int pieces,
                                     const std::function<std::vector<Item>(int)>& work) {
  Endpoint& self = everyone();
  const int ranks = self.ranks(), rank = self.rank();
  std::vector<std::vector<Item>> results(static_cast<std::size_t>(pieces));
  const auto result = [&](int piece) -> auto& { return results[static_cast<std::size_t>(piece)]; };
  const int own = pieces > rank ? (pieces - rank - 1) / ranks + 1 : 0;
  run_parallel(own, [&](int i) { result(rank + i * ranks) = work(rank + i * ranks); });
  if (ranks == 1) return results;
  std::string bytes;
  for (int piece = rank; piece < pieces; piece += ranks) {
    append(bytes, std::uint64_t{result(piece).size()});
    for (const Item& item : result(piece)) append(bytes, item);
  }
  const std::vector<std::string> all = bytes_of_all(self, bytes);
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    Reader reader(all[static_cast<std::size_t>(other)]);
    for (int piece = other; piece < pieces; piece += ranks) {
      result(piece).resize(reader.next_size());
      for (Item& item : result(piece)) reader.next(item);
    }
  }
  return results;
}

}  // namespace

std::vector<std::vector<double>> share_numbers(
    int pieces, const std::function<std::vector<double>(int)>& work) {
  return share<double>(pieces, work);
}

std::vector<std::vector<std::string>> share_texts(
    int pieces, const std::function<std::vector<std::string>(int)>& work) {
  return share<std::string>(pieces, work);
}

}  // namespace xf
