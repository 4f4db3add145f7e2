#!/usr/bin/env bash
# publish-image.sh ARCHIVE IMAGE: pushes the image that was built and tried, an OCI archive, as IMAGE
# (ghcr.io/owner/name:1.2.3), and prints its digest. A tag never moves: where it is there already, it has to be the same
# image, as when a failed job is run again.
set -euo pipefail
archive=$1 image=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# That of the index, and so of both architectures with their SBOMs and provenance.
digest() {
  skopeo inspect --raw "$1" >"$folder/index" 2>"$folder/log" && echo "sha256:$(sha256sum <"$folder/index" | cut -d' ' -f1)"
}

ours=$(digest "oci-archive:$archive") || { cat "$folder/log" >&2; echo "error: $archive is no OCI archive" >&2; exit 1; }
if there=$(digest "docker://$image"); then
  if [ "$there" != "$ours" ]; then
    echo "error: $image is there already, and is another image ($there, not $ours). A tag never moves: release a new version" >&2
    exit 1
  fi
  echo "$image is there already, and is this image" >&2
# Who may not see it may not push either, and a registry says so of what is not there yet.
elif grep --quiet --ignore-case --extended-regexp 'manifest unknown|name unknown|not found|denied|forbidden' "$folder/log"; then
  skopeo copy --all --preserve-digests "oci-archive:$archive" "docker://$image" >&2
  there=$(digest "docker://$image") || { cat "$folder/log" >&2; exit 1; }
  if [ "$there" != "$ours" ]; then
    echo "error: $image has the digest $there after the push, not $ours" >&2
    exit 1
  fi
else
  cat "$folder/log" >&2
  echo "error: cannot tell whether $image is there already: nothing was pushed. Run this job again" >&2
  exit 1
fi
echo "$ours"
