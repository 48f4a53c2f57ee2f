# Makes a Python module of the bindings in PHASEWISE_BINDINGS_FOLDER, which another build compiled
# with the same flags.
function(add_module_of_archives name)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
            "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'), end='')"
    OUTPUT_VARIABLE suffix COMMAND_ERROR_IS_FATAL ANY)
  file(TOUCH "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
  add_library(${name} MODULE "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "${suffix}")
  target_link_libraries(
    ${name}
    PRIVATE
      "$<LINK_LIBRARY:WHOLE_ARCHIVE,${PHASEWISE_BINDINGS_FOLDER}/libphasewise_bindings_archive.a>"
      "${PHASEWISE_BINDINGS_FOLDER}/libnanobind-static.a")
  # Only the module's start is seen from outside, as in the modules that nanobind links.
  set(seen "${CMAKE_CURRENT_BINARY_DIR}/seen.map")
  file(WRITE "${seen}" "{ global: PyInit__core; local: *; };\n")
  target_link_options(${name} PRIVATE "LINKER:--version-script=${seen}")
endfunction()
