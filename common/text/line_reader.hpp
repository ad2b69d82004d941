#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

namespace xf {

class InputFile;

// Reads the lines of a UTF-8 text one after the other, in constant memory. They are split only at
// '\n'; a '\r' before it and a byte order mark are dropped. A line of which more than `limit` bytes
// but not its end have been read is cut: before a space if possible, and always between characters.
// One whose end has been read is whole, and may be longer by what is read at once (64 KiB).
//   LineReader reader("train.de");
//   while (reader.next()) use(reader.piece());
class LineReader {
 public:
  explicit LineReader(const std::string& path, std::size_t limit = 1 << 15);
  // Reads a stream, which messages call `name`.
  LineReader(std::istream& in, const std::string& name, std::size_t limit = 1 << 15);
  static LineReader of_standard_input(std::size_t limit = 1 << 15);

  // Advances to the next piece; false if there is none. Throws UserError with one line that names
  // the file and, if there is one, the line:
  //   train.de:12: invalid UTF-8 at byte 7
  bool next();
  // The same, and a piece may hold bytes that are not UTF-8.
  bool next_as_it_is();
  // Whether next() would return at once, without waiting for more input.
  bool ready();
  const std::string& piece() const { return piece_; }
  bool ends() const { return ends_; }             // whether its line ends with the piece
  std::size_t number() const { return number_; }  // of its line, from 1
  const std::string& name() const { return name_; }

 private:
  LineReader(std::shared_ptr<InputFile> file, const std::string& name, std::size_t limit);

  bool at_hand() const;
  void fill();
  std::size_t place_to_cut() const;
  void take(std::size_t size, bool ends);

  std::string name_;
  std::shared_ptr<InputFile> file_;  // null for a stream, which never has to be waited for
  std::istream* stream_ = nullptr;
  std::size_t limit_;
  std::string rest_;  // bytes read, the first `taken_` of which have been used
  std::size_t taken_ = 0;
  bool begun_ = false, all_read_ = false;
  std::string piece_;
  bool ends_ = true;
  std::size_t number_ = 0, begin_ = 0, end_ = 0;  // bytes of its line
};

}  // namespace xf
