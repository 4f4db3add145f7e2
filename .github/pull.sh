#!/usr/bin/env bash
# pull.sh VERSION CHART ASSETS: gets image and chart as a stranger does, without a login and in a fresh home, verifies
# their signatures, and starts the image. The chart has to be the archive CHART. Into the folder ASSETS go the chart and
# the image's SBOMs, so that what a release has beside it is what was published. Reads REGISTRY, GITHUB_REPOSITORY,
# GITHUB_REPOSITORY_OWNER, and GH_TOKEN, with which `gh` asks GitHub, not the registry.
set -euo pipefail
version=$1 chart=$2 assets=$3
image=$REGISTRY/$GITHUB_REPOSITORY:$version
charts=$REGISTRY/$GITHUB_REPOSITORY_OWNER/charts/dormouse
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

stranger() { env -i HOME="$home" PATH="$PATH" "$@"; }
cannot() {
  echo "error: $1 cannot be pulled without a login. A package is private after its first push: make it public (CONTRIBUTING.md, 'The first release'), and run this job again" >&2
  exit 1
}

stranger docker pull --quiet "$image" || cannot "$image"
says=$(stranger docker run --rm --network none "$image" --version)
if [ "$says" != "$version" ]; then
  echo "error: $image says that its version is $says" >&2
  exit 1
fi
stranger helm pull "oci://$charts" --version "$version" --destination "$assets" || cannot "$charts:$version"
if ! cmp --silent "$chart" "$assets/dormouse-$version.tgz"; then
  echo "error: $charts:$version is not the chart that was tried" >&2
  exit 1
fi
# As SECURITY.md tells those who install it.
for published in "$image" "$charts:$version"; do
  stranger GH_TOKEN="$GH_TOKEN" gh attestation verify "oci://$published" --repo "$GITHUB_REPOSITORY"
done
for architecture in amd64 arm64; do
  sbom=$assets/dormouse-$version-linux-$architecture.spdx.json
  stranger docker buildx imagetools inspect "$image" --format "{{ json (index .SBOM \"linux/$architecture\").SPDX }}" >"$sbom"
  if ! grep --quiet '"packages"' "$sbom"; then
    echo "error: $image has no SBOM of linux/$architecture" >&2
    exit 1
  fi
done
