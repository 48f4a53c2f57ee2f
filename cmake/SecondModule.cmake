# The Python module on this build's MPI library, with the bindings of another build folder:
# _core_mpich. phasewise/compiled.py chooses it.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
          "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'), end='')"
  OUTPUT_VARIABLE suffix COMMAND_ERROR_IS_FATAL ANY)
file(TOUCH "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
add_library(_core_mpich MODULE "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
set_target_properties(_core_mpich PROPERTIES PREFIX "" SUFFIX "${suffix}")
target_link_libraries(
  _core_mpich
  PRIVATE
    "$<LINK_LIBRARY:WHOLE_ARCHIVE,${PHASEWISE_BINDINGS_FOLDER}/libphasewise_bindings_archive.a>"
    "${PHASEWISE_BINDINGS_FOLDER}/libnanobind-static.a")
link_core(_core_mpich mpi)
# Only the module's start is seen from outside, as in the modules that nanobind links.
set(seen "${CMAKE_CURRENT_BINARY_DIR}/seen.map")
file(WRITE "${seen}" "{ global: PyInit__core; local: *; };\n")
target_link_options(_core_mpich PRIVATE "LINKER:--version-script=${seen}")
