#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Packs two packages for Linux on this machine's architecture, each as .tar.gz and as .deb, with SHA-256 sums. The same
# binaries give the same bytes.
#
#   ptxmir       the tools, stripped binaries that need no shared library, a man page, shell completion and the documentation
#   ptxmir-dev   the library, static and shared, headers, a CMake package, pkg-config files and examples; as .deb it is
#                libptxmir-dev
#
#   tools/release.sh FOLDER            builds both with Bazel and packs them into FOLDER
#   tools/release.sh FOLDER BINARIES   packs what was built already; BINARIES is bazel-bin or its like
#
# CMake links the libraries of what Bazel compiled. Without CMake there is no ptxmir-dev.
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
  bazel build -c opt --linkopt=-static \
    //tools:ptxmir //tools/run:ptxmir-run //tools/reduce:ptxmir-reduce //cmake:compiled
  binaries=$(bazel info -c opt bazel-bin)
fi

version=$("$binaries/tools/ptxmir" --version | sed -n 's/^ptxmir version //p')
platform=linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=()

# Runs a command, whose output is shown if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -50 "$work/log" >&2; return 1; }; }

# Packs the tree $work/$1.
pack_tar() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@"$SOURCE_DATE_EPOCH" --mode=u+rwX,go+rX,go-w \
    -C "$work" -cf - "$1" | gzip -n >"$folder/$1.tar.gz"
  packages+=("$1.tar.gz")
}

# Packs the tree $work/$1 as the package $2; the rest of the control file comes from standard input.
pack_deb() {
  local file tree=$work/$2.deb architecture
  if ! command -v dpkg-deb >/dev/null; then
    echo "release.sh: no dpkg-deb here, so there is no .deb" >&2
    return
  fi
  architecture=$(dpkg --print-architecture)
  file=$2_${version}_$architecture.deb
  install -d "$tree/DEBIAN"
  cp -r "$work/$1" "$tree/usr"
  { cat <<CONTROL && cat; } >"$tree/DEBIAN/control"
Package: $2
Version: $version
Architecture: $architecture
Maintainer: The ptxmir authors <ptxmir@example.invalid>
Priority: optional
CONTROL
  chmod -R u+rwX,go+rX,go-w "$tree"
  dpkg-deb --root-owner-group -Zgzip --build "$tree" "$folder/$file" >/dev/null
  packages+=("$file")
}

# The tree under a prefix such as /usr.
name=ptxmir-$version-$platform
prefix=$work/$name
install -d "$prefix"/bin "$prefix"/share/{man/man1,bash-completion/completions,zsh/site-functions,doc/ptxmir/docs}
for tool in "${tools[@]}"; do
  cp "$binaries/tools/$tool" "$work/tool"
  chmod 755 "$work/tool"
  strip "$work/tool"
  mv "$work/tool" "$prefix/bin/${tool##*/}"
done
"$binaries/tools/ptxmir" -print-man-page | gzip -9n >"$prefix/share/man/man1/ptxmir.1.gz"
"$binaries/tools/ptxmir" -print-completion=bash >"$prefix/share/bash-completion/completions/ptxmir"
"$binaries/tools/ptxmir" -print-completion=zsh >"$prefix/share/zsh/site-functions/_ptxmir"
install -m 644 README.md CHANGELOG.md LICENSE NOTICE "$prefix/share/doc/ptxmir"
install -m 644 docs/*.md "$prefix/share/doc/ptxmir/docs"

pack_tar "$name"
pack_deb "$name" ptxmir <<CONTROL
Section: devel
Description: compiler from LLVM IR and NVPTX machine IR to PTX
 Reads LLVM IR, or the machine IR that llc writes for NVPTX, fits it into fewer registers and prints PTX.
CONTROL

if command -v cmake >/dev/null; then
  name=ptxmir-dev-$version-$platform
  prefix=$work/$name
  # One folder: only the way of linking differs. CMake takes a file for installed if it was made within a second of the one
  # that is there, which the pkg-config files of both kinds may be.
  export CMAKE_INSTALL_ALWAYS=1
  for is_shared in OFF ON; do
    quietly cmake -C "$binaries/cmake/compiled.cmake" -S . -B "$work/build" -DBUILD_SHARED_LIBS=$is_shared \
      -DPTXMIR_BUILD_TOOLS=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib
    quietly cmake --build "$work/build"
    quietly cmake --install "$work/build" --prefix "$prefix"
  done
  strip --strip-debug --enable-deterministic-archives "$prefix/lib/libptxmir.a"
  strip --strip-unneeded "$prefix/lib/libptxmir.so"
  install -d "$prefix/share/doc/ptxmir-dev/examples"
  install -m 644 LICENSE NOTICE docs/embedding.md docs/kernel-builder.md "$prefix/share/doc/ptxmir-dev"
  install -m 644 examples/saxpy.mir examples/embed/{CMakeLists.txt,*.cc} "$prefix/share/doc/ptxmir-dev/examples"
  # Bazel hands out files as links.
  find "$prefix" -type l -lname '/*' | while read -r link; do
    cp --remove-destination "$(readlink -f "$link")" "$link"
  done
  pack_tar "$name"
  # The shared library runs with the versions of Abseil and re2 that it was linked with.
  linked=
  if command -v dpkg >/dev/null; then
    linked=$(ldd "$prefix/lib/libptxmir.so" | sed -nE 's/.* => (.*lib(absl|re2).*) \(.*/\1/p' | xargs -r readlink -f |
      xargs -r dpkg -S | sed 's/:.*//' | sort -u | sed 's/^/, /' | tr -d '\n')
  fi
  pack_deb "$name" libptxmir-dev <<CONTROL
Section: libdevel
Depends: libabsl-dev, libre2-dev$linked
Description: compiler from LLVM IR and NVPTX machine IR to PTX, as a library
 The library, static and shared, with its headers, a CMake package and pkg-config files.
CONTROL
else
  echo "release.sh: no cmake here, so there are no libraries" >&2
fi

cd "$folder"
sha256sum "${packages[@]}" >SHA256SUMS
printf '%s\n' "${packages[@]}" SHA256SUMS
