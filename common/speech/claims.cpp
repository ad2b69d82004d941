#include "speech/claims.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "language/language.hpp"
#include "speech/sections.hpp"

namespace xf {

namespace {

std::vector<std::string> wrong;

bool denied(const Words& what) {
  const char* const text = std::getenv("XF_FALSE");
  return text && (what.key() == text || std::string_view(text) == "*");
}

void write(bool holds, const std::string& text) {
  static const char* const name = std::getenv("XF_CLAIMS");
  if (!name || !*name) return;
  static std::ofstream file(name, std::ios::app);
  file << (holds ? "true" : "false") << '\t' << current_section() << '\t' << text << std::endl;
}

}  // namespace

bool note_claim(bool holds, const Words& what) {
  if (denied(what)) holds = false;
  write(holds, what);
  if (holds) return true;
  const std::string named = words("{} (section {})", what, current_section());
  if (std::find(wrong.begin(), wrong.end(), named) == wrong.end()) wrong.push_back(named);
  return false;
}

const std::vector<std::string>& false_claims() { return wrong; }

}  // namespace xf
