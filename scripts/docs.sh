#!/usr/bin/env bash
# Builds the documentation as a site, FOLDER/html, from the pages in their folders; any warning of
# Sphinx makes it fail.
# Usage: docs.sh FOLDER [PYTHON]
set -euo pipefail
folder="${1:?give the folder for the site}"
python="${2:-.venv/bin/python}"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
"$python" -m sphinx -q -W --keep-going -n -b html -c docs -d "$folder/doctrees" . "$folder/html"
echo "The documentation is in $folder/html/docs/index.html"
