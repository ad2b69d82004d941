#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.hpp"

namespace xf {

// All of these throw UserError naming the path, with the system's reason.

// The bytes of a file.
std::string read_file(const std::string& path);

// Replaces `path` by `content`, or leaves it as it was: the bytes go to a temporary file in the
// same directory, reach the disk (fsync), and only then take the name (rename). A symbolic link
// is followed; what exists and is no regular file (a directory, /dev/null) is refused.
void write_file_atomically(const std::string& path, std::string_view content);
// The same for a content in several parts, which are written one after the other.
void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts);

// Creates the directory and its parents; it may exist already.
void make_directory(const std::string& path);

}  // namespace xf
