#include "text/line_reader.hpp"

#include <algorithm>
#include <istream>
#include <string_view>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

LineReader::LineReader(std::shared_ptr<InputFile> file, const std::string& name, std::size_t limit)
    : name_(name), file_(std::move(file)), limit_(limit) {}

LineReader::LineReader(const std::string& path, std::size_t limit)
    : LineReader(std::make_shared<InputFile>(path), path, limit) {}

LineReader LineReader::of_standard_input(std::size_t limit) {
  return {std::make_shared<InputFile>(InputFile::StandardInput()), "standard input", limit};
}

LineReader::LineReader(std::istream& in, const std::string& name, std::size_t limit)
    : name_(name), stream_(&in), limit_(limit) {}

bool LineReader::next() {
  if (!next_as_it_is()) return false;
  std::size_t bad = 0;
  if (!valid_utf8(piece_, &bad))
    throw UserError("{}:{}: {}", name_, number_,
                    words("invalid UTF-8 at byte {}", begin_ + bad + 1));
  return true;
}

// Whether the end of a line or of the text has been read, or more than one piece.
bool LineReader::at_hand() const {
  const std::size_t rest = rest_.size() - taken_;
  return all_read_ || (begun_ && (rest > limit_ || rest_.find('\n', taken_) != rest_.npos));
}

bool LineReader::ready() {
  while (!at_hand()) {
    if (file_ && !file_->waiting()) return false;
    fill();
  }
  return true;
}

bool LineReader::next_as_it_is() {
  while (true) {
    const std::string_view rest = std::string_view(rest_).substr(taken_);
    if (begun_) {
      const std::size_t end = rest.find('\n');
      if (end != rest.npos) return take(end, true), true;
      if (rest.size() > limit_) return take(place_to_cut(), false), true;
      if (all_read_ && !rest.empty()) return take(rest.size(), true), true;
      if (all_read_) return false;
    }
    fill();
  }
}

void LineReader::fill() {
  constexpr std::size_t chunk_bytes = 1 << 16;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  rest_.erase(0, taken_);
  taken_ = 0;
  const std::size_t before = rest_.size();
  rest_.resize(before + chunk_bytes);
  char* const end = rest_.data() + before;
  const std::size_t count =
      file_ ? file_->read(end, chunk_bytes)
            : static_cast<std::size_t>(stream_->read(end, chunk_bytes).gcount());
  rest_.resize(before + count);
  all_read_ = count == 0;
  const bool may_be_mark = rest_.size() < byte_order_mark.size() && !all_read_;
  if (begun_ || (may_be_mark && byte_order_mark.starts_with(rest_))) return;
  begun_ = true;
  if (rest_.starts_with(byte_order_mark)) taken_ = byte_order_mark.size();
}

// A position in [1, limit_] where a space begins, or at least a character.
std::size_t LineReader::place_to_cut() const {
  const char* rest = rest_.data() + taken_;
  for (std::size_t i = limit_; i > limit_ / 2; --i)
    if (rest[i] == ' ') return i;
  for (std::size_t i = limit_; i > limit_ - std::min<std::size_t>(4, limit_); --i)
    if ((rest[i] & 0xC0) != 0x80) return i;
  return limit_;
}

// Makes the next `size` bytes the piece; at the end of a line, also skips the '\n' if there is one.
void LineReader::take(std::size_t size, bool ends) {
  begin_ = ends_ ? 0 : end_;
  end_ = begin_ + size;
  number_ += ends_;
  piece_.assign(rest_, taken_, size);
  taken_ = std::min(taken_ + size + ends, rest_.size());
  ends_ = ends;
  if (ends && piece_.ends_with('\r')) piece_.pop_back();
}

}  // namespace xf
