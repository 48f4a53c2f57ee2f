# The flags with which every C++ source of the project is compiled: target phasewise_flags.
add_library(phasewise_flags INTERFACE)
target_compile_features(phasewise_flags INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

# No contraction: a loop's vector body and its scalar tail must round alike, so that results do not
# depend on how particles are divided over ranks and threads.
target_compile_options(
  phasewise_flags INTERFACE -Wall -Wextra -ffp-contract=off -fno-math-errno -fno-trapping-math)

# Both are wrong about sources that are compiled together: one takes a type of an anonymous
# namespace for one of a header, the other misjudges strings (PR 105329 of g++ 12).
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(phasewise_flags INTERFACE -Wno-subobject-linkage -Wno-restrict)
endif()

# Vectors wider than the processor's are passed only between our own functions.
target_compile_options(phasewise_flags INTERFACE -Wno-psabi)

# No other library replaces a function of ours, so that functions may be inlined where a library
# would have to call them.
target_compile_options(phasewise_flags INTERFACE -fno-semantic-interposition)

# The C++ bindings that old MPI headers pull in are deprecated and not used.
target_compile_definitions(phasewise_flags INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

set(phasewise_architecture "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND PHASEWISE_PORTABLE)
  set(phasewise_architecture -march=x86-64-v3)
elseif(NOT PHASEWISE_PORTABLE)
  set(phasewise_architecture -march=native)
endif()
target_compile_options(phasewise_flags INTERFACE ${phasewise_architecture})

if(PHASEWISE_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(phasewise_flags INTERFACE -O1 -g ${sanitizers})
  target_link_options(phasewise_flags INTERFACE ${sanitizers})
else()
  target_compile_options(phasewise_flags INTERFACE $<$<CONFIG:Release>:-O3>)
endif()
