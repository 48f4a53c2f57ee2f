#!/usr/bin/env bash
# Builds the driver with the address and undefined-behaviour sanitizers and lets it collide two
# small beams, alone and on two ranks, on the CPU and on the emulated device.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset sanitize >/dev/null
cmake --build --preset sanitize
parameters=build/sanitize/smoke.txt
.venv/bin/python - >"$parameters" <<'PYTHON'
import phasewise

small = ["turns=3", "beam.1.macroparticles=2000", "ip.1.grid=[32, 32]", "ip.1.slices=4"]
print(phasewise.load("examples/lhc/study.toml", small).parameters())
PYTHON

# The MPI library itself keeps memory to the end of the process, so leaks are not counted.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
driver=build/sanitize/phasewise-driver
on_device="${parameters%.txt}-device.txt"
{ cat "$parameters"; echo "run.device = emulated"; } >"$on_device"
for study in "$parameters" "$on_device"; do
  for ranks in 1 2; do
    mpiexec --oversubscribe -n "$ranks" "$driver" "$study"
    echo "sanitizers: clean on $ranks rank(s), ${study##*/}"
  done
done
