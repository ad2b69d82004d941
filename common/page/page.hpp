#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xf {

// The files of this folder, embedded when the program was built: name, content.
const std::map<std::string, std::string_view>& page_files();

// A page in a single file: it needs no network and no other file.
struct Page {
  std::string frame;                 // the HTML, with {{title}}, {{style}}, {{data}}, {{script}}
  std::vector<std::string> styles;   // CSS files, in order
  std::vector<std::string> scripts;  // JavaScript files, which share one scope
  std::string title;
  std::string data;  // JSON; `<` is escaped, so that nothing in it can close the <script> element
};
// The whole file. Throws std::invalid_argument for a file that this folder does not have.
std::string html(const Page& page);

}  // namespace xf
