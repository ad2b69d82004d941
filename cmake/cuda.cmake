# The preset `cuda`: nvcc for the kernels, and where they are found cuBLAS for matrix products, and
# NCCL for sums over the GPUs of several processes.
# Machine code for the data-centre GPUs of 2020 and 2022, and PTX, from which a driver makes it for
# later ones.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "XF_CUDA: there is no nvcc that compiles; install NVIDIA's CUDA toolkit and "
    "put its bin/ into PATH. The preset 'release' runs the same kernels on the CPU: "
    "--device cuda-emulated")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake before 3.26 does not know that nvcc has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
find_package(CUDAToolkit REQUIRED)
if(NOT TARGET CUDA::cudart_static)
  message(FATAL_ERROR "XF_CUDA: nvcc is here without CUDA's runtime, libcudart_static.a; install "
    "all of NVIDIA's CUDA toolkit. The preset 'release' needs none: --device cuda-emulated")
endif()

add_library(xf_cuda INTERFACE)
target_link_libraries(xf_cuda INTERFACE CUDA::cudart_static)
find_path(XF_CUBLAS_INCLUDE cublas_v2.h
  HINTS ${XF_CUBLAS_ROOT}/include ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
set(cublas_version ${CUDAToolkit_VERSION_MAJOR})
find_library(XF_CUBLAS_LIBRARY NAMES cublas libcublas.so.${cublas_version}
  HINTS ${XF_CUBLAS_ROOT}/lib ${CUDAToolkit_LIBRARY_DIR} NO_DEFAULT_PATH)
find_library(XF_CUBLASLT_LIBRARY NAMES cublasLt libcublasLt.so.${cublas_version}
  HINTS ${XF_CUBLAS_ROOT}/lib ${CUDAToolkit_LIBRARY_DIR} NO_DEFAULT_PATH)
if(XF_CUBLAS_INCLUDE AND XF_CUBLAS_LIBRARY AND XF_CUBLASLT_LIBRARY)
  message(STATUS "cuBLAS: ${XF_CUBLAS_LIBRARY}")
  target_compile_definitions(xf_cuda INTERFACE XF_CUBLAS)
  target_include_directories(xf_cuda SYSTEM INTERFACE ${XF_CUBLAS_INCLUDE})
  target_link_libraries(xf_cuda INTERFACE ${XF_CUBLAS_LIBRARY} ${XF_CUBLASLT_LIBRARY})
else()
  message(STATUS "cuBLAS: not found, so that matrix products are those of ops/matmul/cuda.cu, "
    "which are slow; ./learn doctor says what to type")
endif()

# From NVIDIA's package libnccl-dev, or a folder such as that of the wheel nvidia-nccl-cu13.
find_path(XF_NCCL_INCLUDE nccl.h HINTS ${XF_NCCL_ROOT}/include ${CUDAToolkit_INCLUDE_DIRS})
find_library(XF_NCCL_LIBRARY NAMES nccl libnccl.so.2
  HINTS ${XF_NCCL_ROOT}/lib ${CUDAToolkit_LIBRARY_DIR})
if(XF_NCCL_INCLUDE AND XF_NCCL_LIBRARY)
  message(STATUS "NCCL: ${XF_NCCL_LIBRARY}")
  set(XF_NCCL ON)
  target_include_directories(xf_cuda SYSTEM INTERFACE ${XF_NCCL_INCLUDE})
  target_link_libraries(xf_cuda INTERFACE ${XF_NCCL_LIBRARY})
else()
  message(STATUS "NCCL: not found, so that the gradients of several GPUs are added on the host; "
    "./learn doctor says what to type")
endif()
