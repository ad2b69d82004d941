# The libraries that common/ stands on, as one target.
find_package(Threads REQUIRED)
find_package(doctest REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(xtensor REQUIRED)
find_library(XF_BLAS NAMES openblas REQUIRED)
find_library(XF_SENTENCEPIECE NAMES sentencepiece REQUIRED)
find_library(XF_SENTENCEPIECE_TRAIN NAMES sentencepiece_train REQUIRED)

# Several processes at once. Without MPI, or for another processor, the programs run in one.
option(XF_MPI "Build with MPI, where there is one" ON)
if(XF_MPI AND NOT CMAKE_CROSSCOMPILING)
  find_package(MPI QUIET COMPONENTS CXX)
endif()

add_library(xf_libraries INTERFACE)
target_link_libraries(xf_libraries INTERFACE xtensor nlohmann_json::nlohmann_json CLI11::CLI11
  Threads::Threads ${XF_BLAS} ${XF_SENTENCEPIECE} ${XF_SENTENCEPIECE_TRAIN} ${CMAKE_DL_LIBS})
