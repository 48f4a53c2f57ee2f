# Target and test device-compile: core/gpu/*.cu and the workloads' own through nvcc, where there is
# one. Compiling shows that the kernels' shared sources stay free of what a GPU cannot do; it needs
# no GPU.
find_program(PHASEWISE_NVCC nvcc PATHS /usr/local/cuda/bin)
set(PHASEWISE_DEVICE_ARCHITECTURE 80 CACHE STRING "Compute capability the device code is for")
file(GLOB device_sources CONFIGURE_DEPENDS core/gpu/*.cu core/*/gpu/*.cu)

if(PHASEWISE_NVCC AND device_sources)
  foreach(source IN LISTS device_sources)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/core" "${source}")
    string(REPLACE "/" "-" object "${name}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/device/${object}.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/device"
      COMMAND
        "${PHASEWISE_NVCC}" -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr --extended-lambda
        -arch=sm_${PHASEWISE_DEVICE_ARCHITECTURE} -ccbin "${CMAKE_CXX_COMPILER}"
        -I "${CMAKE_CURRENT_SOURCE_DIR}/core" -MD -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}"
      DEPFILE "${object}.d"
      COMMENT "Compiling ${name} for the device"
      VERBATIM)
    list(APPEND device_objects "${object}")
  endforeach()
  add_custom_target(device-compile DEPENDS ${device_objects})
  add_test(NAME device-compile COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_CURRENT_BINARY_DIR}"
                                       --target device-compile)
endif()
