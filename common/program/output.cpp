#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "io/files.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"

namespace xf {

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) == -1)  // open() takes the lowest number that is free
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::string usual_output(const std::string& out) {
  const char* place = std::getenv("XF_OUT");
  return place && *place && out.starts_with("out/") ? place + out.substr(3) : out;
}

std::string output_path(const CommonOptions& options, const std::string& file) {
  make_directory(options.out);
  const std::string path = options.out + (options.out.ends_with('/') ? "" : "/") + file;
  std::error_code error;
  const bool is_link = std::filesystem::is_symlink(path, error);
  if (is_link && !std::filesystem::is_directory(path, error)) std::filesystem::remove(path, error);
  return path;
}

void write_picture(const CommonOptions& options, const std::string& file, std::string_view text) {
  const std::string path = output_path(options, file);
  write_file_atomically(path, text);
  picture(path);
}

}  // namespace xf
