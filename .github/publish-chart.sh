#!/usr/bin/env bash
# publish-chart.sh ARCHIVE REPOSITORY VERSION: pushes the chart that was built and tried to REPOSITORY
# (oci://ghcr.io/owner/charts), and prints its digest. A version never changes: where it is there already, it has to be
# the same archive, as when a failed job is run again.
set -euo pipefail
archive=$1 repository=$2 version=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if helm pull "$repository/dormouse" --version "$version" --destination "$folder" >"$folder/log" 2>&1; then
  if ! cmp --silent "$archive" "$folder/dormouse-$version.tgz"; then
    echo "error: $repository/dormouse:$version is there already, and is another chart. A version never changes: release a new one" >&2
    exit 1
  fi
  echo "$repository/dormouse:$version is there already, and is this chart" >&2
# Who may not see it may not push either, and a registry says so of what is not there yet.
elif grep --quiet --ignore-case --extended-regexp 'manifest unknown|name unknown|not found|denied|forbidden' "$folder/log"; then
  helm push "$archive" "$repository" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
  cat "$folder/log" >&2
else
  cat "$folder/log" >&2
  echo "error: cannot tell whether $repository/dormouse:$version is there already: nothing was pushed. Run this job again" >&2
  exit 1
fi
digest=$(sed -n 's/^Digest: *//p' "$folder/log")
if [ -z "$digest" ]; then
  cat "$folder/log" >&2
  echo 'error: helm told no digest' >&2
  exit 1
fi
echo "$digest"
