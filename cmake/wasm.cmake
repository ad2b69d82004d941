# The preset `wasm`: what the live page needs, as one module of WebAssembly for one thread. OpenBLAS
# and SentencePiece stay outside. The libraries of headers are this machine's, linked into a folder
# of their own, because em++ has the headers of C and C++ from elsewhere.
set(XF_EMULATOR OFF CACHE BOOL "" FORCE)
set(XF_ONLY_SAME ON CACHE BOOL "" FORCE)
set(XF_HAS_NATIVE OFF)        # em++ takes these, and does not mean them
set(XF_HAS_VECTOR_WIDTH OFF)
set(XF_HEADERS ${CMAKE_BINARY_DIR}/include)
find_path(XF_JSON nlohmann/json.hpp REQUIRED
  PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_CMAKE_PATH)
file(MAKE_DIRECTORY ${XF_HEADERS})
file(CREATE_LINK ${XF_JSON}/nlohmann ${XF_HEADERS}/nlohmann SYMBOLIC)
add_library(xf_libraries INTERFACE)
target_include_directories(xf_libraries SYSTEM INTERFACE ${XF_HEADERS})
target_compile_options(xf_libraries INTERFACE -msimd128 -fexceptions)
target_link_options(xf_libraries INTERFACE -fexceptions)
