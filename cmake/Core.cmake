# The core as libraries. Only core/comm/mpi and core/comm/protocols include <mpi.h>: everything else
# is compiled once, as phasewise_core, and these for each kind of MPI, as phasewise_comm_mpi and
# phasewise_comm_serial, which needs no protocols. Each library needs the other one.
file(GLOB comm_sources CONFIGURE_DEPENDS core/comm/mpi/*.cpp)
file(GLOB protocol_sources CONFIGURE_DEPENDS core/comm/protocols/*.cpp)
file(GLOB serial_sources CONFIGURE_DEPENDS core/comm/serial/*.cpp)
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS core/*.cpp)
list(FILTER core_sources EXCLUDE REGEX
     "/core/(main\\.cpp|comm/[a-z]+/|bindings/)|/bindings[^/]*\\.cpp$")

if(PHASEWISE_CORE_LIBRARY)
  add_library(phasewise_core STATIC IMPORTED)
  set_target_properties(phasewise_core PROPERTIES IMPORTED_LOCATION "${PHASEWISE_CORE_LIBRARY}")
  set(scope INTERFACE)
else()
  # Compiled alone, so that a program that brings a longer list of workloads links the rest.
  set_source_files_properties(core/driver/workloads.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # For the emulated device, the host's compiler compiles the sources for a GPU.
  file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS core/*.cu)
  set_source_files_properties(
    ${device_sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++"
                                 SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(phasewise_core STATIC ${core_sources} ${device_sources})
  set_target_properties(phasewise_core PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(scope PUBLIC)
endif()
target_include_directories(phasewise_core ${scope} "${CMAKE_CURRENT_SOURCE_DIR}/core")
target_link_libraries(
  phasewise_core ${scope} phasewise_flags OpenMP::OpenMP_CXX PkgConfig::FFTW3 ${CMAKE_DL_LIBS})

function(add_comm name)
  add_library(${name} STATIC ${comm_sources} ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC core)
  target_link_libraries(${name} PUBLIC phasewise_flags OpenMP::OpenMP_CXX)
endfunction()

if(MPI_CXX_FOUND)
  add_comm(phasewise_comm_mpi ${protocol_sources})
  target_link_libraries(phasewise_comm_mpi PUBLIC MPI::MPI_CXX)
endif()
if(PHASEWISE_PYTHON)
  add_comm(phasewise_comm_serial ${serial_sources})
  target_include_directories(phasewise_comm_serial BEFORE PRIVATE core/comm/serial)
endif()

# Links the core with its communication by MPI or within one process: `kind` is mpi or serial.
function(link_core target kind)
  target_link_libraries(
    ${target} PRIVATE "$<LINK_GROUP:RESCAN,phasewise_core,phasewise_comm_${kind}>")
endfunction()
