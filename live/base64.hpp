#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xf::live {

// The bytes that a text in base64 (RFC 4648, 4) stands for; nothing where it is none.
std::optional<std::string> bytes_of_base64(std::string_view text);
std::string base64_of(std::string_view bytes);

}  // namespace xf::live
