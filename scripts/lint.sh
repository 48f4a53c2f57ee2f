#!/usr/bin/env bash
# Makes every check that needs no run: ruff, mypy, clang-format, clang-tidy. All of them run even if
# one fails; the exit status is 1 if any failed.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
status=0

check() {
  local name="$1"
  shift
  if "$@"; then echo "$name: clean"; else
    echo "$name: failed (make format mends what is only a matter of format)" >&2
    status=1
  fi
}

# mypy keeps one core busy, so that it runs beside the other checks.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$bin/mypy" >"$said" 2>&1 &
typing=$!

typed() {
  local ended=0
  wait "$typing" || ended=$?
  cat "$said"
  return "$ended"
}

mapfile -t sources < <(
  git ls-files --cached --others --exclude-standard 'core/*.?pp' 'core/*.h' 'core/*.cu' \
    'examples/*.?pp'
)

tidy() {
  # Without libomp, clang has no omp.h of its own. The compiler's serves, but must be alone in a
  # folder, since the rest of gcc's headers would not parse.
  local headers="$PWD/build/lint/include"
  mkdir -p "$headers" && cp "$(g++ -print-file-name=include/omp.h)" "$headers/"
  # core/comm/mpi is compiled for MPI and without it; clang-tidy would look at its files twice.
  mapfile -t batches < <("$bin/python" - <<'END'
import json
import re
from pathlib import Path

commands = json.loads(Path("build/python/compile_commands.json").read_text())
seen = set()
for command in sorted(commands, key=lambda command: "comm_serial.dir" in command["command"]):
    file = Path(command["directory"], command["file"])
    sources = re.findall(r'^#include "(/.*\.cpp)"$', file.read_text(), re.MULTILINE) or [str(file)]
    own = {source for source in sources if re.search(r"/core/.*\.cpp$", source)}
    if not seen.issuperset(own):
        print(file)
    seen.update(own)
END
  )
  [ ${#batches[@]} -gt 0 ] || return 1
  printf '%s\0' "${batches[@]}" |
    xargs -0 -n 1 -P "$(nproc)" "$bin/clang-tidy" --quiet -p build/python \
      --config-file=.clang-tidy --extra-arg="-isystem$headers" \
      --extra-arg=-Wno-unknown-warning-option \
      --extra-arg=-Wno-ignored-optimization-argument \
      2> >(grep -v -E '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header' >&2)
}

# Nothing else builds these programs, which would otherwise fall behind the core.
benchmark_programs() {
  local log=build/lint/benchmarks.log targets=(space-charge-kicks)
  mkdir -p build/lint
  # Without MPI the build does not have this one.
  grep -q 'bare-halo' build/python/build.ninja && targets+=(bare-halo)
  cmake --build build/python --target "${targets[@]}" >"$log" 2>&1 && return
  cat "$log" >&2
  return 1
}

check "ruff" "$bin/ruff" check .
check "ruff format" "$bin/ruff" format --check .
check "clang-format" "$bin/clang-format" --dry-run -Werror "${sources[@]}" machines/*.cpp \
  recorder/*.[ch] tests/data/record/*.c
check "clang-tidy" tidy
check "programs of benchmarks" benchmark_programs
check "mypy" typed
exit "$status"
