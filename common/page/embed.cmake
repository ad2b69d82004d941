# cmake -DOUT=page_files.cpp -P embed.cmake: the files of this folder as C++ strings, so that a
# program carries its pages with it (page/page.hpp).
set(folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB names RELATIVE ${folder} ${folder}/*.html ${folder}/*.css ${folder}/*.js)
set(text "// Written by common/page/embed.cmake.\n#include \"page/page.hpp\"\n
namespace xf {\n
const std::map<std::string, std::string_view>& page_files() {
  static const std::map<std::string, std::string_view> files{\n")
foreach(name IN LISTS names)
  file(READ ${folder}/${name} content)
  string(APPEND text "{\"${name}\", R\"page(${content})page\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace xf\n")
file(WRITE ${OUT} "${text}")
