# The plug-ins for one-sided memory, each built if what it needs is found: libphasewise_shmem.so
# (OpenSHMEM, by Open MPI's liboshmem) and libphasewise_coarray.so (Fortran co-arrays, by gfortran
# and OpenCoarrays). They lie beside the Python modules, or beside the driver in a build folder.
include(CheckCXXSourceCompiles)
include(CheckLanguage)

# Both libraries need Open MPI, and one process can have only one MPI library.
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_source_compiles(
  "#include <mpi.h>
  #if !defined(OPEN_MPI)
  #error another MPI library
  #endif
  int main() { return 0; }"
  PHASEWISE_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)

function(add_transport name)
  add_library(phasewise_${name} MODULE ${ARGN})
  target_include_directories(phasewise_${name} PRIVATE core)
  target_link_libraries(phasewise_${name} PRIVATE MPI::MPI_CXX phasewise_flags)
  install(TARGETS phasewise_${name} LIBRARY DESTINATION phasewise)
  # Targets that are built by name then build them too.
  foreach(user phasewise-driver _core_mpi)
    if(TARGET ${user})
      add_dependencies(${user} phasewise_${name})
    endif()
  endforeach()
endfunction()

if(PHASEWISE_OPEN_MPI AND NOT PHASEWISE_SANITIZE)
  find_program(PHASEWISE_OSHCC NAMES oshcc.openmpi oshcc)
  find_library(PHASEWISE_OSHMEM oshmem)
  if(PHASEWISE_OSHCC AND PHASEWISE_OSHMEM)
    add_transport(shmem core/comm/transports/shmem.cpp)
    target_link_libraries(phasewise_shmem PRIVATE "${PHASEWISE_OSHMEM}")
    # shmem_init registers every writable part of the process below `_end`, the end of the program,
    # and crashes if their number differs between ranks. A program that does not export the symbol
    # would use the library's own, above most parts; this one lies below all of them.
    target_link_options(phasewise_shmem PRIVATE LINKER:--defsym=_end=1)
  else()
    message(STATUS "Without OpenSHMEM (oshcc, liboshmem): no protocol shmem")
  endif()

  find_library(PHASEWISE_CAF caf_openmpi)
  check_language(Fortran)
  if(PHASEWISE_CAF AND CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  endif()
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    add_transport(coarray core/comm/transports/coarray.cpp core/comm/transports/coarray.f90)
    target_compile_options(
      phasewise_coarray PRIVATE $<$<COMPILE_LANGUAGE:Fortran>:-fcoarray=lib -std=f2018>)
    target_link_libraries(phasewise_coarray PRIVATE "${PHASEWISE_CAF}")
  else()
    message(STATUS "Without OpenCoarrays (libcaf_openmpi) or gfortran: no protocol coarray")
  endif()
endif()
