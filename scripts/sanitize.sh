#!/usr/bin/env bash
# Builds the driver with the address and undefined-behaviour sanitizers and lets it collide two
# small beams, on one rank and on several, on the CPU and on emulated devices. On these there are
# enough particles for deposits by tiles.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset sanitize >/dev/null
cmake --build --preset sanitize
parameters=build/sanitize/smoke.txt
.venv/bin/python - >"$parameters" <<'PYTHON'
import phasewise

small = ["turns=3", "beam.1.macroparticles=8000", "ip.1.grid=[32, 32]", "ip.1.slices=4"]
print(phasewise.load("examples/lhc/study.toml", small).parameters())
PYTHON

# The MPI library itself keeps memory until the process ends, so that leaks are not counted.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
driver=build/sanitize/phasewise-driver
on_device="${parameters%.txt}-device.txt"
{ cat "$parameters"; echo "run.device = emulated"; } >"$on_device"
collide() { # study, ranks
  mpiexec --oversubscribe -n "$2" "$driver" "$1"
  echo "sanitizers: clean on $2 rank(s), ${1##*/}"
}
for ranks in 1 2; do
  collide "$parameters" "$ranks"
  collide "$on_device" "$ranks"
done
# Columns of two ranks, which make transposes, on devices with either way to exchange.
for buffers in direct staged; do
  exchanged="${parameters%.txt}-$buffers.txt"
  {
    sed 's/^communication.process_grid = .*/communication.process_grid = 1 2 1 2/' "$on_device"
    echo "run.device_buffers = $buffers"
  } >"$exchanged"
  collide "$exchanged" 4
done
