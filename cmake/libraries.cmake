# The libraries that common/ stands on, as one target.
find_package(Threads REQUIRED)
find_package(doctest REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(xtensor REQUIRED)
find_library(XF_BLAS NAMES openblas REQUIRED)
find_library(XF_SENTENCEPIECE NAMES sentencepiece REQUIRED)
find_library(XF_SENTENCEPIECE_TRAIN NAMES sentencepiece_train REQUIRED)
find_library(XF_ONIGURUMA NAMES onig REQUIRED)
find_library(XF_UTF8PROC NAMES utf8proc REQUIRED)

# Several processes at once. Without MPI, or for another processor, the programs run in one. CMake
# ends where a compiler of MPI's is installed without its headers (Debian's openmpi-bin): so it is
# tried first.
option(XF_MPI "Build with MPI, where there is one" ON)
set(XF_PROCESSES one)
if(XF_MPI AND NOT CMAKE_CROSSCOMPILING)
  find_program(MPI_CXX_COMPILER NAMES mpicxx mpic++ mpicxx.openmpi mpicxx.mpich)
  set(mpi ${CMAKE_BINARY_DIR}/CMakeFiles/mpi)
  file(WRITE ${mpi}.cpp "#include <mpi.h>\nint main() { return MPI_Finalize(); }\n")
  if(MPI_CXX_COMPILER)
    execute_process(COMMAND ${MPI_CXX_COMPILER} ${mpi}.cpp -o ${mpi}
      RESULT_VARIABLE mpi_fails OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(MPI_CXX_COMPILER AND NOT mpi_fails STREQUAL "0")
    message(STATUS "MPI: ${MPI_CXX_COMPILER} cannot compile, since MPI's headers are not "
      "installed: built for one process")
  else()
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
endif()
if(MPI_CXX_FOUND)
  set(XF_PROCESSES several)
endif()
set(XF_PROCESSES ${XF_PROCESSES} CACHE INTERNAL "For how many processes the programs are built")

add_library(xf_libraries INTERFACE)
target_link_libraries(xf_libraries INTERFACE xtensor nlohmann_json::nlohmann_json CLI11::CLI11
  Threads::Threads ${XF_BLAS} ${XF_SENTENCEPIECE} ${XF_SENTENCEPIECE_TRAIN} ${XF_ONIGURUMA}
  ${XF_UTF8PROC} ${CMAKE_DL_LIBS})
