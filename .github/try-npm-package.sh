#!/usr/bin/env bash
# try-npm-package.sh ARCHIVE VERSION: installs the packed npm package into an empty folder, without a network, and tries it.
set -euo pipefail
archive=$(realpath "$1") version=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

npm install --offline --no-audit --no-fund --prefix "$folder" "$archive"
program=$folder/node_modules/.bin/kubectl-dormouse
says=$("$program" --version)
if [ "$says" != "$version" ]; then
  echo "error: $1 says that its version is $says, not $version" >&2
  exit 1
fi
node packaging/try.ts "$program"
