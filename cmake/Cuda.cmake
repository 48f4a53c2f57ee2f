# The kernels for a GPU: if nvcc is found, it compiles the *.cu of core into libphasewise_cuda.so,
# a plug-in beside the Python modules. Test device-compile shows that they compile.
find_program(PHASEWISE_NVCC nvcc PATHS /usr/local/cuda/bin)
set(PHASEWISE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities of the GPUs, as 80 90")
set(PHASEWISE_CUDA_HOST_COMPILER g++ CACHE STRING "The host's compiler, as nvcc calls it")

if(NOT PHASEWISE_NVCC)
  message(STATUS "Without CUDA (nvcc): no device cuda")
  return()
endif()

# The code of the oldest GPU is compiled once, and translated for each. GPUs newer than these
# translate it themselves when they load it.
list(GET PHASEWISE_CUDA_ARCHITECTURES 0 oldest)
set(virtual "arch=compute_${oldest}")
set(for_architectures -gencode "${virtual},code=compute_${oldest}")
foreach(architecture IN LISTS PHASEWISE_CUDA_ARCHITECTURES)
  list(APPEND for_architectures -gencode "${virtual},code=sm_${architecture}")
endforeach()

# -O1 is for the host's part, which only launches kernels; those are optimised fully.
set(nvcc "${PHASEWISE_NVCC}" -std=c++20 -O1 --threads 0 --fmad=false --expt-relaxed-constexpr
         --extended-lambda ${for_architectures} -ccbin "${PHASEWISE_CUDA_HOST_COMPILER}"
         -Xcompiler=-fPIC -I "${CMAKE_CURRENT_SOURCE_DIR}/core")
file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS core/*.cu)
set(objects "")
foreach(source IN LISTS device_sources)
  file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/core" "${source}")
  string(REPLACE "/" "-" name "${name}")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  list(APPEND objects "${object}")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${nvcc} -MD -MF "${object}.d" -c -o "${object}" "${source}"
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    COMMENT "Compiling ${name} for a GPU"
    VERBATIM)
endforeach()

set(plug_in "${CMAKE_CURRENT_BINARY_DIR}/libphasewise_cuda.so")
add_custom_command(
  OUTPUT "${plug_in}"
  COMMAND ${nvcc} -shared -o "${plug_in}" ${objects} -lcufft
  DEPENDS ${objects}
  VERBATIM)
add_custom_target(device-compile DEPENDS "${plug_in}")
if(PHASEWISE_PYTHON)
  add_custom_target(phasewise_cuda ALL DEPENDS "${plug_in}")
  install(FILES "${plug_in}" DESTINATION phasewise)
endif()
add_test(NAME device-compile COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_CURRENT_BINARY_DIR}"
                                     --target device-compile)
