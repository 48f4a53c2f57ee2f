# The two modules that phasewise._core may stand for, _core_mpi and _core_serial, built by nanobind
# from the same objects.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

# The folder in which the driver finds plug-ins.
set(package "lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages/phasewise")
set_source_files_properties(
  core/parallel/plug_in.cpp
  PROPERTIES COMPILE_DEFINITIONS PHASEWISE_PACKAGE_FROM_SCRIPTS="../${package}")

# The bindings of a workload are in its own folder.
if(NOT PHASEWISE_BINDINGS_FOLDER)
  file(GLOB_RECURSE binding_sources CONFIGURE_DEPENDS core/*.cpp)
  list(FILTER binding_sources INCLUDE REGEX "/core/bindings/|/bindings[^/]*\\.cpp$")
  nanobind_build_library(nanobind-static)
  add_library(phasewise_bindings OBJECT ${binding_sources})
  set_target_properties(phasewise_bindings PROPERTIES POSITION_INDEPENDENT_CODE ON)
  nanobind_set_visibility(phasewise_bindings)
  nanobind_disable_stack_protector(phasewise_bindings)
  target_link_libraries(phasewise_bindings PRIVATE phasewise_core nanobind-static)
  # For modules in build folders of their own.
  add_library(phasewise_bindings_archive STATIC $<TARGET_OBJECTS:phasewise_bindings>)
endif()

foreach(kind mpi serial)
  if(TARGET phasewise_comm_${kind})
    if(PHASEWISE_BINDINGS_FOLDER)
      add_module_of_archives(_core_${kind})
    else()
      nanobind_add_module(_core_${kind} NB_STATIC NOMINSIZE $<TARGET_OBJECTS:phasewise_bindings>)
    endif()
    link_core(_core_${kind} ${kind})
    install(TARGETS _core_${kind} LIBRARY DESTINATION phasewise)
  endif()
endforeach()

# The features that a processor must have, by their names in /proc/cpuinfo. phasewise/compiled.py
# reads them before it loads a module.
execute_process(
  COMMAND "${CMAKE_CXX_COMPILER}" ${phasewise_architecture} -dM -E -x c++ /dev/null
  OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
set(needs "")
foreach(feature avx2 bmi2 fma avx512f avx512bw avx512dq avx512vl)
  string(TOUPPER "${feature}" macro)
  if(macros MATCHES "#define __${macro}__ ")
    string(APPEND needs "${feature}\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT _core_needs.txt CONTENT "${needs}" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/_core_needs.txt" DESTINATION phasewise)

# The recorder of other programs is compiled where one is recorded.
file(GLOB recorder_sources CONFIGURE_DEPENDS recorder/*.[ch])
install(FILES ${recorder_sources} DESTINATION phasewise/recorder/source)

if(SKBUILD_SCRIPTS_DIR AND TARGET phasewise-driver)
  install(TARGETS phasewise-driver RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}")
endif()
