#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Packs the tools for Linux on this machine's architecture: stripped binaries that need no shared library, a man page,
# shell completion and the documentation, as .tar.gz and as .deb, with SHA-256 sums. The same binaries give the same
# bytes.
#
#   tools/release.sh FOLDER            builds the tools and packs them into FOLDER
#   tools/release.sh FOLDER BINARIES   packs tools that were built already; BINARIES is bazel-bin/tools or its like
set -euo pipefail

if (($# < 1 || $# > 2)); then
  echo "usage: tools/release.sh FOLDER [BINARIES]" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
binaries=${2:+$(cd "$2" && pwd)}
cd "$(dirname "$0")/.."
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}

tools=(ptxmir run/ptxmir-run reduce/ptxmir-reduce)
if [[ -z "$binaries" ]]; then
  bazel build -c opt --linkopt=-static //tools:ptxmir //tools/run:ptxmir-run //tools/reduce:ptxmir-reduce
  binaries=$(bazel info -c opt bazel-bin)/tools
fi

version=$("$binaries/ptxmir" --version | sed -n 's/^ptxmir version //p')
name=ptxmir-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tree under a prefix such as /usr.
prefix=$work/$name
install -d "$prefix"/bin "$prefix"/share/{man/man1,bash-completion/completions,zsh/site-functions,doc/ptxmir/docs}
for tool in "${tools[@]}"; do
  cp "$binaries/$tool" "$work/tool"
  chmod 755 "$work/tool"
  strip "$work/tool"
  mv "$work/tool" "$prefix/bin/${tool##*/}"
done
"$binaries/ptxmir" -print-man-page | gzip -9n >"$prefix/share/man/man1/ptxmir.1.gz"
"$binaries/ptxmir" -print-completion=bash >"$prefix/share/bash-completion/completions/ptxmir"
"$binaries/ptxmir" -print-completion=zsh >"$prefix/share/zsh/site-functions/_ptxmir"
install -m 644 README.md CHANGELOG.md LICENSE NOTICE "$prefix/share/doc/ptxmir"
install -m 644 docs/*.md "$prefix/share/doc/ptxmir/docs"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@"$SOURCE_DATE_EPOCH" --mode=u+rwX,go+rX,go-w \
  -C "$work" -cf - "$name" | gzip -9n >"$folder/$name.tar.gz"
packages=("$name.tar.gz")

if command -v dpkg-deb >/dev/null; then
  package=ptxmir_${version}_$(dpkg --print-architecture).deb
  install -d "$work/deb/DEBIAN"
  cp -r "$prefix" "$work/deb/usr"
  cat >"$work/deb/DEBIAN/control" <<CONTROL
Package: ptxmir
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The ptxmir authors <ptxmir@example.invalid>
Section: devel
Priority: optional
Description: machine-level compiler from NVPTX machine IR to PTX
 Reads the machine IR that llc writes for NVPTX, fits it into fewer registers and prints PTX.
CONTROL
  chmod -R u+rwX,go+rX,go-w "$work/deb"
  dpkg-deb --root-owner-group --build "$work/deb" "$folder/$package" >/dev/null
  packages+=("$package")
else
  echo "release.sh: no dpkg-deb here, so there is no .deb" >&2
fi

cd "$folder"
sha256sum "${packages[@]}" >SHA256SUMS
printf '%s\n' "${packages[@]}" SHA256SUMS
