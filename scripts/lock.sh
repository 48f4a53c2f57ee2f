#!/usr/bin/env bash
# Makes requirements.lock anew: the newest packages that pyproject.toml allows, in a clean
# environment, every one pinned.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT

mapfile -t wanted < <("${PYTHON:-python3}" - <<'PYTHON'
import pathlib
import tomllib

project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
print(*project["dependencies"], *project["optional-dependencies"]["dev"], sep="\n")
PYTHON
)
"${PYTHON:-python3}" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet "${wanted[@]}"
{
  echo "# Every Python package of the development environment, direct and indirect. Made by"
  echo "# scripts/lock.sh; works with Python 3.11 and 3.12."
  "$environment/bin/python" -m pip freeze | sort -f
} >requirements.lock
