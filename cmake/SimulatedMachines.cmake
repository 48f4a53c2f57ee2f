# Compiled by SimGrid's smpicxx, the driver runs on simulated machines. The platform beside it,
# which smpirun loads, becomes any machine of phasewise/machines/files.
add_library(phasewise-platform MODULE machines/platform.cpp)
target_include_directories(phasewise-platform PRIVATE core)
target_link_libraries(phasewise-platform PRIVATE phasewise_flags)
set_target_properties(phasewise-platform PROPERTIES PREFIX "")

# Stripped, since smpirun loads a copy of the driver for every rank.
target_link_options(phasewise-driver PRIVATE -s)
