#include "text/line_reader.hpp"

#include <algorithm>
#include <istream>
#include <string_view>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

constexpr std::size_t chunk_bytes = 1 << 16;

// Cuts what has been read into lines and pieces.
class Cutter {
 public:
  Cutter(const std::string& path, const LineBody& body, std::size_t limit)
      : path_(path), body_(body), limit_(limit) {}

  void add(std::string_view bytes) {
    rest_ += bytes;
    if (!begun_ && rest_.size() >= mark.size()) begin();
    if (!begun_) return;
    std::size_t first = 0;
    for (std::size_t end; (end = rest_.find('\n', first)) != std::string::npos; first = end + 1)
      line(std::string_view(rest_).substr(first, end - first));
    rest_.erase(0, first);
    while (rest_.size() > limit_) {
      const std::size_t end = place_to_cut();
      deliver(std::string_view(rest_).substr(0, end), false);
      offset_ += end;
      rest_.erase(0, end);
    }
  }

  void finish() {
    begin();
    add("");
    if (!rest_.empty()) line(rest_);
  }

 private:
  static constexpr std::string_view mark = "\xEF\xBB\xBF";  // the byte order mark

  void begin() {
    if (!begun_ && std::string_view(rest_).starts_with(mark)) rest_.erase(0, mark.size());
    begun_ = true;
  }

  // In [1, limit_], where a space or at least a character begins.
  std::size_t place_to_cut() const {
    for (std::size_t i = limit_; i > limit_ / 2; --i)
      if (rest_[i] == ' ') return i;
    for (std::size_t i = limit_; i > limit_ - std::min<std::size_t>(4, limit_); --i)
      if ((rest_[i] & 0xC0) != 0x80) return i;
    return limit_;
  }

  void line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    deliver(text, true);
    ++number_;
    offset_ = 0;
  }

  void deliver(std::string_view text, bool ends) const {
    std::size_t bad = 0;
    if (!valid_utf8(text, &bad))
      throw UserError(path_ + ":" + std::to_string(number_) + ": invalid UTF-8 at byte " +
                      std::to_string(offset_ + bad + 1));
    body_(std::string(text), ends);
  }

  const std::string& path_;
  const LineBody& body_;
  std::size_t limit_;
  std::string rest_;  // read, not yet delivered
  bool begun_ = false;
  std::size_t number_ = 1, offset_ = 0;  // of the line; of rest_ in it
};

}  // namespace

void for_each_line(const std::string& path, const LineBody& body, std::size_t limit) {
  InputFile file(path);
  Cutter cutter(path, body, limit);
  std::string chunk(chunk_bytes, '\0');
  while (const std::size_t count = file.read(chunk.data(), chunk.size()))
    cutter.add(std::string_view(chunk).substr(0, count));
  cutter.finish();
}

void for_each_line(std::istream& in, const std::string& name, const LineBody& body,
                   std::size_t limit) {
  Cutter cutter(name, body, limit);
  std::string chunk(chunk_bytes, '\0');
  do {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    cutter.add(std::string_view(chunk).substr(0, static_cast<std::size_t>(in.gcount())));
  } while (in);
  cutter.finish();
}

}  // namespace xf
