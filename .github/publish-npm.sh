#!/usr/bin/env bash
# publish-npm.sh ARCHIVE VERSION: publishes the npm package that was built and tried; a version with a `-` under the tag
# `next`. A version never changes: where it is there already, it has to be the same archive, as when a failed job is run
# again, or when the first version was published by hand.
set -euo pipefail
archive=$1 version=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT

ours=sha512-$(sha512sum "$archive" | cut -d' ' -f1 | node -p 'Buffer.from(require("fs").readFileSync(0, "latin1").trim(), "hex").toString("base64")')
view() { npm view "$@" 2>"$log"; }
if there=$(view "kubectl-dormouse@$version" dist.integrity); then :
# npm says E404 of a version that is not there, too.
elif grep --quiet E404 "$log" && view kubectl-dormouse name >/dev/null; then
  there=
else
  cat "$log" >&2
  if grep --quiet E404 "$log"; then
    echo "error: npm has no kubectl-dormouse yet, and lets a workflow publish only what is there. Publish ${archive##*/} of this run by hand, once (CONTRIBUTING.md, 'The first release'), and run this job again" >&2
  else
    echo "error: cannot tell whether kubectl-dormouse@$version is there already: nothing was published. Run this job again" >&2
  fi
  exit 1
fi
if [ "$there" = "$ours" ]; then
  echo "kubectl-dormouse@$version is there already, and is this package"
elif [ -n "$there" ]; then
  echo "error: kubectl-dormouse@$version is there already, and is another package ($there, not $ours). A version never changes: release a new one" >&2
  exit 1
else
  case $version in *-*) tag=next ;; *) tag=latest ;; esac
  npm publish "$archive" --access public --provenance --tag "$tag"
fi
