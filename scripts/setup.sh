#!/usr/bin/env bash
# Makes the Python environment .venv from requirements.lock and builds phasewise into it; builds the
# driver for simulated machines, the core on MPICH and the recorder of other MPI programs; adds the
# packages that the documentation needs.
# Usage: setup.sh environment | build | simulated | mpich | recorder | docs
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
pip=(.venv/bin/python -m pip --disable-pip-version-check --quiet)

environment() {
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "phasewise needs Python 3.11 or newer, and $python is" \
      "$("$python" -c 'import platform; print(platform.python_version())');" \
      "choose another one with: make setup PYTHON=python3.12" >&2
    exit 1
  fi
  if [ ! -x .venv/bin/python ]; then
    echo "Making .venv with $("$python" --version)"
    rm -rf build/python # it remembers the interpreter it was configured for
    "$python" -m venv .venv
  fi
  echo "Installing the Python packages of requirements.lock"
  "${pip[@]}" install --requirement requirements.lock
}

build() {
  echo "Building phasewise"
  local portable=OFF
  [ "${PORTABLE:-0}" = 1 ] && portable=ON
  "${pip[@]}" install --no-build-isolation --no-deps --editable . \
    --config-settings=build-dir=build/python \
    --config-settings=cmake.define.PHASEWISE_PORTABLE="$portable"
}

# Nothing else needs this build, so that a failure is only reported.
simulated() {
  if ! command -v smpicxx >/dev/null; then
    echo "No SimGrid here: phasewise simulate will have no simulated machines" >&2
    return
  fi
  echo "Building the driver for simulated machines"
  local portable=OFF log=build/simulated.log
  [ "${PORTABLE:-0}" = 1 ] && portable=ON
  mkdir -p build
  # What does not include mpi.h is the same for simulated ranks: it is linked, not built again.
  if ! { cmake --preset simulated -DPHASEWISE_PORTABLE="$portable" \
    -DPHASEWISE_CORE_LIBRARY="$PWD/build/python/libphasewise_core.a" &&
    cmake --build --preset simulated; } >"$log" 2>&1; then
    echo "The driver could not be built for simulated machines; $log tells why" >&2
  fi
}

# MPICH complements the MPI library of the build: it has MPI 4, which some protocols need.
# What does not include mpi.h is linked, not built again, and the module goes beside the others;
# PHASEWISE_CORE=mpich selects it.
mpich() {
  command -v mpicxx.mpich >/dev/null || return 0
  echo "Building the core on MPICH"
  local portable=OFF log=build/mpich.log
  [ "${PORTABLE:-0}" = 1 ] && portable=ON
  mkdir -p build
  if ! { cmake --preset mpich -DPHASEWISE_PORTABLE="$portable" \
    -DPHASEWISE_CORE_LIBRARY="$PWD/build/python/libphasewise_core.a" \
    -DPHASEWISE_BINDINGS_FOLDER="$PWD/build/python" &&
    cmake --build --preset mpich &&
    cp build/mpich/_core_mpich*.so .venv/lib/python3*/site-packages/phasewise/; } >"$log" 2>&1; then
    echo "The core could not be built on MPICH; $log tells why" >&2
  fi
}

# One recorder for each MPI library whose mpicc is here. What cannot be built is only reported.
recorder() {
  echo "Building the recorder of MPI programs"
  mkdir -p build/recorder
  .venv/bin/python -m phasewise.recorder.building
}

docs() {
  echo "Installing the Python packages of requirements-docs.lock"
  "${pip[@]}" install --requirement requirements-docs.lock
}

case "${1:-}" in
  environment | build | simulated | mpich | recorder | docs) "$1" ;;
  *)
    echo "setup.sh: give 'environment', 'build', 'simulated', 'mpich', 'recorder' or 'docs'," \
      "not '${1:-}'" >&2
    exit 2
    ;;
esac
