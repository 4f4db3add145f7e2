#!/usr/bin/env bash
# draft.sh TAG ASSETS: makes the draft of GitHub's release of the tag, with all files of the folder ASSETS. One that a
# failed run has left is replaced; a release that is public is not touched.
set -euo pipefail
tag=$1 assets=$2
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT

node .github/release.ts "$tag" >"$notes"
if isDraft=$(gh release view "$tag" --json isDraft --jq .isDraft 2>/dev/null); then
  if [ "$isDraft" != true ]; then
    echo "error: the release $tag is public already" >&2
    exit 1
  fi
  gh release delete "$tag" --yes
fi
case $tag in *-*) kind=(--prerelease) ;; *) kind=() ;; esac
gh release create "$tag" --draft --verify-tag --title "Dormouse ${tag#v}" --notes-file "$notes" "${kind[@]}" "$assets"/*
