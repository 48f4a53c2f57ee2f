# The module phasewise._core, by nanobind.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

# Bindings of a workload stand in its own folder.
file(GLOB binding_sources CONFIGURE_DEPENDS core/bindings/*.cpp core/*/bindings*.cpp)
list(REMOVE_DUPLICATES binding_sources)
nanobind_add_module(_core NB_STATIC NOMINSIZE ${binding_sources})
target_link_libraries(_core PRIVATE phasewise_core)

install(TARGETS _core LIBRARY DESTINATION phasewise)
if(SKBUILD_SCRIPTS_DIR)
  install(TARGETS phasewise-driver RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}")
endif()
