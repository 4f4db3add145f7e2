#!/usr/bin/env bash
# build-chart.sh VERSION FOLDER: packs the chart into FOLDER/dormouse-VERSION.tgz, with the licence, and tries the archive:
# as Helm lints it, and as it renders with its own values, from an empty folder.
set -euo pipefail
version=$1 folder=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

cp -R charts/dormouse "$copy/dormouse"
cp LICENSE "$copy/dormouse/LICENSE"
helm package "$copy/dormouse" --destination "$folder"
archive=$folder/dormouse-$version.tgz
if [ ! -e "$archive" ]; then
  echo "error: the chart's version is not $version: Helm made no ${archive##*/}" >&2
  exit 1
fi
helm lint --strict "$archive"
helm template dormouse "$archive" --namespace dormouse --kube-version 1.35 >"$copy/rendered"
if ! grep --quiet --fixed-strings "/dormouse:$version" "$copy/rendered"; then
  echo "error: the chart does not run the image of its version, $version" >&2
  exit 1
fi
