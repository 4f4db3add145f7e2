#!/usr/bin/env bash
# try-image.sh ARCHIVE VERSION: starts the image, an OCI archive, with nothing allowed, and then tries its program by its own
# Node outside of a container, since that takes files and signals. Prints the version of its Node.
set -euo pipefail
archive=$1 version=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

{
  # That of this machine's architecture.
  skopeo copy "oci-archive:$archive" "docker-archive:$folder/image.tar:dormouse:try"
  docker load --input "$folder/image.tar"
  says=$(docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges --network none dormouse:try --version)
  if [ "$says" != "$version" ]; then
    echo "error: $archive says that its version is $says, not $version"
    exit 1
  fi
  container=$(docker create dormouse:try)
  docker cp "$container:/app" "$folder/app"
  docker cp "$container:/usr/local/bin/node" "$folder/node"
  docker rm "$container"
  if [ ! -s "$folder/app/dist/LICENSES.txt" ]; then
    echo "error: $archive has no licences"
    exit 1
  fi
  node packaging/try.ts "$folder/node" "$folder/app/dist/main.js"
} >&2
"$folder/node" -p process.versions.node
