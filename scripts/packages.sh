#!/usr/bin/env bash
# Ensures that the system packages of one group are installed: it installs the missing ones by apt,
# as root or with sudo; without apt it names them and exits with status 1. Packages that only a part
# of phasewise needs may stay missing, and a sentence then says so: the browser, SimGrid, libraries
# to compare with, and libraries other than MPI 3 that send messages.
# Usage: packages.sh build | browser | simulated | paradigms | kernels | programs
set -euo pipefail
python="${PYTHON:-python3}"

has() { command -v "$1" >/dev/null 2>&1; }
has_library() { [[ "$(g++ -print-file-name="lib$1.so")" == */* ]]; }
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
has_headers() {
  "$python" -c 'import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_paths()["include"], "Python.h").exists())' 2>/dev/null
}

# Each package is tested by what it provides, so that a compiler or an MPI from elsewhere counts.
missing=()
need() {
  local package="$1"
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}

need_build() {
  need g++ has g++
  need make has make
  need git has git
  need cmake has cmake
  need ninja-build has ninja
  need pkg-config has pkg-config
  need openmpi-bin has mpiexec
  need libopenmpi-dev has mpicxx
  need libfftw3-dev pkg-config --exists fftw3
  need python3 has "$python"
  need python3-venv has_venv
  need python3-dev has_headers
}

need_browser() {
  has chromium || has chromium-browser || has google-chrome || missing+=(chromium)
}

need_simulated() {
  has smpicxx && has smpirun || missing+=(libsimgrid-dev)
}

# OpenSHMEM comes with Open MPI, and co-arrays need Open MPI. With MPICH installed as well, mpicxx
# and mpiexec stay Open MPI's, which has the higher priority among Debian's alternatives.
need_paradigms() {
  mpicxx --showme:version 2>/dev/null | grep -q "Open MPI" || return 0
  need gfortran has gfortran
  need libcoarrays-openmpi-dev has_library caf_openmpi
  need mpich has mpiexec.mpich
  need libmpich-dev has mpicxx.mpich
}

need_kernels() {
  local brought
  for brought in openblas0:openblas blis4:blis; do
    need "lib${brought%:*}-serial" compgen -G "/usr/lib/*/${brought#*:}-*"
  done
  need libblas3 compgen -G "/usr/lib/*/blas/libblas.so.3"
  need liblapack3 compgen -G "/usr/lib/*/lapack/liblapack.so.3"
}

# Programs of others whose messages tests and benchmarks record; nothing else needs them.
need_programs() {
  need hpcc has hpcc
  need lammps has lmp
  need lammps-examples test -d /usr/share/lammps/examples/melt
  need mumps-test test -x /usr/lib/mumps/dsimpletest
  need scalapack-mpi-test compgen -G "/usr/lib/*/scalapack/mpich-tests/xdlu"
  need netpipe-openmpi has NPopenmpi
  need netpipe-mpich2 has NPmpich2
  need mpb-mpi has mpb-mpi
  need mpb-doc test -f /usr/share/doc/mpb/examples/sq-rods.ctl
  need python3-mpi4py /usr/bin/python3 -c "import mpi4py"
}

group="${1:?give a group of packages: build, browser, simulated, paradigms, kernels or programs}"
"need_$group"
[ ${#missing[@]} -eq 0 ] && exit 0

# Exits with status 1, or with 0 if phasewise works without these packages.
give_up() {
  case "$group" in
    browser) echo "Without them the report's test in a browser will be skipped." >&2 ;;
    kernels) echo "Without them phasewise bench leaves these libraries out." >&2 ;;
    programs) echo "Without them their tests will be skipped." >&2 ;;
    simulated) echo "Without them phasewise simulate has no simulated machines." >&2 ;;
    paradigms) echo "Without them the protocols coarray or partitioned are missing." >&2 ;;
    *) exit 1 ;;
  esac
  exit 0
}

if ! has apt-get; then
  echo "Missing system packages: ${missing[*]}. There is no apt here to install them with;" \
    "install these (Debian's names) with this system's own tools, then run make again." >&2
  give_up
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! has sudo; then
    echo "Missing system packages: ${missing[*]}. Installing them needs root; as root, run:" \
      "apt-get install -y ${missing[*]}" >&2
    give_up
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]} with apt-get"
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; } >/dev/null; then
  # Ubuntu, for example, has no chromium outside snap.
  echo "apt-get could not install ${missing[*]}; its message is above." >&2
  give_up
fi
