# The toolchain of the preset `wasm`: the em++ that is on the path, Debian's or another.
find_program(XF_EMXX em++ REQUIRED)
file(REAL_PATH ${XF_EMXX} emscripten)
cmake_path(GET emscripten PARENT_PATH emscripten)
include(${emscripten}/cmake/Modules/Platform/Emscripten.cmake)
