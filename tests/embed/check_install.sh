#!/bin/bash
# Builds ptxmir with CMake, installs it into a temporary folder, builds the examples of examples/embed against that by
# CMake and by pkg-config, and runs them.
#
#   tests/embed/check_install.sh [--shared] [--bazel] [BUILD_FOLDER]
#
# --shared: a shared library. --bazel: builds the examples as an external Bazel workspace, too. BUILD_FOLDER is kept
# and taken up again; without one everything goes. JOBS says how many compile at once, CXXFLAGS with what (default: -O1).
# Exit status 77 (skipped) without cmake or pkg-config.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
shared=OFF
with_bazel=
build=
for argument; do
  case "$argument" in
    --shared) shared=ON ;;
    --bazel) with_bazel=1 ;;
    -*) echo "usage: $0 [--shared] [--bazel] [BUILD_FOLDER]" >&2; exit 2 ;;
    *) build=$argument ;;
  esac
done
for tool in cmake pkg-config; do
  if ! command -v "$tool" >/dev/null; then
    echo "check_install: skipped: there is no $tool"
    exit 77
  fi
done

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
build=${build:-$temporary/build}
prefix=$temporary/prefix
jobs=${JOBS:-$(nproc)}

say() { echo "check_install: $*"; }

# Runs the examples in the folder $1.
run_examples() {
  local mir=$root/examples/saxpy.mir
  "$1/compile_mir" "$mir" -O2 -mcpu=sm_90 >"$temporary/saxpy.ptx"
  grep -q '^\.target sm_90' "$temporary/saxpy.ptx"
  grep -q 'fma\.rn\.f32' "$temporary/saxpy.ptx"
  if "$1/compile_mir" /dev/stdin <<<'nonsense' 2>"$temporary/errors"; then
    say "nonsense was compiled"
    return 1
  fi
  grep -q '/dev/stdin:1:1: error:' "$temporary/errors"
  "$1/custom_pass" >"$temporary/pass.ptx" 2>"$temporary/pass.txt"
  grep -q 'multiply-by-shifting: 2 products replaced' "$temporary/pass.txt"
  [ "$(grep -c 'mul\.lo\.s32' "$temporary/pass.ptx")" = 1 ]
  "$1/build_kernels" -O2 >"$temporary/kernels.ptx"
  [ "$(grep -c '\.entry' "$temporary/kernels.ptx")" = 3 ]
  grep -q 'shfl\.sync\.down' "$temporary/kernels.ptx"
  if [ -x "$1/run_on_gpu" ]; then
    local status=0
    "$1/run_on_gpu" "$mir" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ]
  fi
}

say "building (CMake, shared: $shared)"
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="${CXXFLAGS:--O1}" \
  -DCMAKE_INSTALL_PREFIX=/usr/local -DBUILD_SHARED_LIBS="$shared" >"$temporary/log" || { cat "$temporary/log"; exit 1; }
cmake --build "$build" -j"$jobs" >"$temporary/log" 2>&1 || { tail -50 "$temporary/log"; exit 1; }
cmake --install "$build" --prefix "$prefix" >/dev/null
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name 'libptxmir.*' | head -1)"):${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH
"$prefix/bin/ptxmir" --version | head -1

say "the examples, by CMake"
cmake -S "$root/examples/embed" -B "$temporary/examples" -DCMAKE_PREFIX_PATH="$prefix" >"$temporary/log" ||
  { cat "$temporary/log"; exit 1; }
cmake --build "$temporary/examples" -j"$jobs" >"$temporary/log" 2>&1 || { cat "$temporary/log"; exit 1; }
run_examples "$temporary/examples"

say "the examples, by pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ptxmir.pc)")
export PKG_CONFIG_PATH
mkdir "$temporary/by-pkg-config"
for example in build_kernels:ptxmir compile_mir:ptxmir custom_pass:ptxmir-passes; do
  "${CXX:-c++}" -std=c++20 "$root/examples/embed/${example%:*}.cc" $(pkg-config --cflags --libs "${example#*:}") \
    -o "$temporary/by-pkg-config/${example%:*}"
done
run_examples "$temporary/by-pkg-config"

# compiler.h needs nothing but the standard library, and each public header stands by itself.
say "the headers"
echo '#include "ptxmir/compiler.h"' | "${CXX:-c++}" -std=c++20 -fsyntax-only -I"$prefix/include" -M -x c++ - |
  tr ' \\' '\n\n' | grep -E '/(absl|re2)/' && { say "compiler.h includes Abseil or re2"; exit 1; }
for header in "$prefix"/include/ptxmir/*.h; do
  "${CXX:-c++}" -std=c++20 -fsyntax-only $(pkg-config --cflags ptxmir-passes) -x c++ "$header"
done

if [ -n "$with_bazel" ]; then
  say "the examples, by Bazel"
  (cd "$root/examples/embed" && bazel build //... && run_examples bazel-bin)
fi
say "all is well"
