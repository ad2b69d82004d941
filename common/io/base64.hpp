#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xf {

// Bytes as text (RFC 4648, 4), and the bytes that a text encodes; nothing if it is invalid.
std::string base64(std::string_view bytes);
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace xf
