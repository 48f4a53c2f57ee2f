# The kernels for a GPU: if nvcc is found, it compiles the *.cu of core into libphasewise_cuda.so,
# a plug-in beside the Python modules. Test device-compile shows that they compile.
find_program(PHASEWISE_NVCC nvcc PATHS /usr/local/cuda/bin)
set(PHASEWISE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities of the GPUs, as 80 90")
set(PHASEWISE_CUDA_HOST_COMPILER g++ CACHE STRING "The host's compiler, as nvcc calls it")

if(NOT PHASEWISE_NVCC)
  message(STATUS "Without CUDA (nvcc): no device cuda")
  return()
endif()

file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS core/*.cu)
set(for_architectures "")
foreach(architecture IN LISTS PHASEWISE_CUDA_ARCHITECTURES)
  list(APPEND for_architectures -gencode "arch=compute_${architecture},code=sm_${architecture}")
endforeach()
# GPUs newer than these compile the newest code when they load it.
list(GET PHASEWISE_CUDA_ARCHITECTURES -1 newest)
list(APPEND for_architectures -gencode "arch=compute_${newest},code=compute_${newest}")

set(plug_in "${CMAKE_CURRENT_BINARY_DIR}/libphasewise_cuda.so")
add_custom_command(
  OUTPUT "${plug_in}"
  COMMAND
    "${PHASEWISE_NVCC}" -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr --extended-lambda
    ${for_architectures} -ccbin "${PHASEWISE_CUDA_HOST_COMPILER}" -Xcompiler=-fPIC -I
    "${CMAKE_CURRENT_SOURCE_DIR}/core" -MD -MF "${plug_in}.d" -shared -o "${plug_in}"
    ${device_sources} -lcufft
  DEPENDS ${device_sources}
  DEPFILE "${plug_in}.d"
  COMMENT "Compiling the kernels for a GPU"
  VERBATIM)
add_custom_target(device-compile DEPENDS "${plug_in}")
if(PHASEWISE_PYTHON)
  add_custom_target(phasewise_cuda ALL DEPENDS "${plug_in}")
  install(FILES "${plug_in}" DESTINATION phasewise)
endif()
add_test(NAME device-compile COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_CURRENT_BINARY_DIR}"
                                     --target device-compile)
