#!/usr/bin/env bash
# Makes requirements.lock and requirements-docs.lock anew: the newest packages that pyproject.toml
# allows, in a clean environment, every one pinned. The second has what the documentation needs in
# addition to the first.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT

# The requirements of the project and of one of its extras, one per line.
wanted() {
  "${PYTHON:-python3}" - "$1" <<'PYTHON'
import pathlib
import sys
import tomllib

project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
print(*project["dependencies"], *project["optional-dependencies"][sys.argv[1]], sep="\n")
PYTHON
}
install() { "$environment/bin/python" -m pip install --quiet "$@"; }
pinned() { "$environment/bin/python" -m pip freeze | sort -f; }

"${PYTHON:-python3}" -m venv "$environment"
mapfile -t packages < <(wanted dev)
install "${packages[@]}"
{
  echo "# Every Python package of the development environment, direct and indirect. Made by"
  echo "# scripts/lock.sh; works with Python 3.11 and 3.12."
  pinned
} >requirements.lock

mapfile -t packages < <(wanted docs)
install --constraint requirements.lock "${packages[@]}"
{
  echo "# Every Python package that make docs needs beside requirements.lock. Made by"
  echo "# scripts/lock.sh; works with Python 3.11 and 3.12."
  pinned | grep --invert-match --line-regexp --fixed-strings --file=requirements.lock
} >requirements-docs.lock
