#!/bin/bash
# Builds ptxmir in every way in which programs get it, and the examples of examples/embed against each, which are run:
#
#   static, shared   CMake, installed into a temporary folder; the examples by find_package and by pkg-config
#   bazel            the examples as a workspace of their own, which has ptxmir as an external repository
#
#   tests/embed/check_install.sh [--build=FOLDER] [static] [shared] [bazel]
#
# Without a word: all three. FOLDER is kept and taken up again; without one everything goes. JOBS says how many compile
# at once, CXXFLAGS with what CMake does (default: -O1). The library is compiled once for static and shared.
#
# run_on_gpu, which is built where cuda.h is, runs with the driver that there is, and with stub_cuda_driver.cc in its
# place. Exit status 77 (skipped) without cmake, pkg-config or, for bazel, bazel.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=
kinds=()
for argument; do
  case "$argument" in
    --build=*) build=${argument#*=} ;;
    static | shared | bazel) kinds+=("$argument") ;;
    *) echo "usage: $0 [--build=FOLDER] [static] [shared] [bazel]" >&2; exit 2 ;;
  esac
done
[ ${#kinds[@]} -gt 0 ] || kinds=(static shared bazel)

say() { echo "check_install: $*"; }
need() {
  if ! command -v "$1" >/dev/null; then
    say "skipped: there is no $1"
    exit 77
  fi
}
# Runs a command, whose output is shown if it fails.
quietly() { "$@" >"$temporary/log" 2>&1 || { tail -50 "$temporary/log"; return 1; }; }

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
build=${build:-$temporary/build}
mkdir -p "$build"
build=$(cd "$build" && pwd)
jobs=${JOBS:-$(nproc)}
compiler=${CXX:-c++}
cuda_include=
for folder in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/include; do
  [ -n "$cuda_include" ] || [ ! -e "$folder/cuda.h" ] || cuda_include=$folder
done

# The example that loads what it compiled: with the real driver, and with the stub in each way that it can go.
run_gpu_example() {
  local example=$1 mir=$root/examples/saxpy.mir status=0
  "$example" "$mir" || status=$?
  [ "$status" = 0 ] || [ "$status" = 77 ]
  if [ ! -e "$temporary/stub/libcuda.so.1" ]; then
    mkdir "$temporary/stub"
    "$compiler" -std=c++20 -O1 -Wall -Wextra -shared -fPIC -isystem "$cuda_include" \
      "$root/tests/embed/stub_cuda_driver.cc" -o "$temporary/stub/libcuda.so.1"
  fi
  with_stub() { env LD_LIBRARY_PATH="$temporary/stub:${LD_LIBRARY_PATH:-}" "$@"; }
  with_stub STUB_CUDA_LOG="$temporary/loaded.ptx" "$example" "$mir" >"$temporary/gpu.txt"
  grep -q '^run_on_gpu: saxpy on sm_90: 0 of 100003 results are wrong' "$temporary/gpu.txt"
  grep -q '\.entry saxpy(' "$temporary/loaded.ptx"
  status=0
  with_stub STUB_CUDA_FAILS=cuModuleLoadData "$example" "$mir" 2>"$temporary/errors" || status=$?
  [ "$status" = 1 ]
  grep -q 'cuModuleLoadData: the stub was told to fail' "$temporary/errors"
  status=0
  with_stub STUB_CUDA_FAILS=cuInit "$example" "$mir" >"$temporary/gpu.txt" || status=$?
  [ "$status" = 77 ]
  grep -q 'skipped: no GPU' "$temporary/gpu.txt"
}

# Runs the examples in the folder $1.
run_examples() {
  local input
  for input in saxpy.mir saxpy.ll; do
    "$1/compile_file" "$root/examples/$input" -O2 -mcpu=sm_90 >"$temporary/saxpy.ptx"
    grep -q '^\.target sm_90' "$temporary/saxpy.ptx"
    grep -q 'fma\.rn\.f32' "$temporary/saxpy.ptx"
  done
  if "$1/compile_file" /dev/stdin <<<'nonsense' 2>"$temporary/errors"; then
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
  if [ -x "$1/run_on_gpu" ]; then run_gpu_example "$1/run_on_gpu"; fi
}

check_pkg_config() {
  local prefix=$1 folder=$2 example
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ptxmir.pc)")
  export PKG_CONFIG_PATH
  mkdir "$folder"
  for example in build_kernels:ptxmir compile_file:ptxmir custom_pass:ptxmir-passes; do
    "$compiler" -std=c++20 "$root/examples/embed/${example%:*}.cc" $(pkg-config --cflags --libs "${example#*:}") \
      -o "$folder/${example%:*}"
  done
  if [ -n "$cuda_include" ]; then
    "$compiler" -std=c++20 -isystem "$cuda_include" "$root/examples/embed/run_on_gpu.cc" \
      $(pkg-config --cflags --libs ptxmir) -ldl -o "$folder/run_on_gpu"
  fi
  run_examples "$folder"
}

# compiler.h needs nothing but the standard library, and each public header stands by itself.
check_headers() {
  local prefix=$1 header
  if echo '#include "ptxmir/compiler.h"' | "$compiler" -std=c++20 -fsyntax-only -I"$prefix/include" -M -x c++ - |
    tr ' \\' '\n\n' | grep -E '/(absl|re2)/'; then
    say "compiler.h includes Abseil or re2"
    return 1
  fi
  for header in "$prefix"/include/ptxmir/*.h; do
    "$compiler" -std=c++20 -fsyntax-only $(pkg-config --cflags ptxmir-passes) -x c++ "$header"
  done
}

# $1: static or shared.
check_cmake() {
  local kind=$1 is_shared=OFF prefix=$temporary/prefix-$1
  [ "$kind" = static ] || is_shared=ON
  say "$kind: building with CMake"
  quietly cmake -S "$root" -B "$build/cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE="${CXXFLAGS:--O1}" -DCMAKE_INSTALL_PREFIX=/usr/local -DBUILD_SHARED_LIBS=$is_shared
  quietly cmake --build "$build/cmake" -j"$jobs"
  quietly cmake --install "$build/cmake" --prefix "$prefix"
  local library
  library=$(find "$prefix" \( -name libptxmir.a -o -name libptxmir.so \))
  case "$kind:$library" in
    static:*.a | shared:*.so) ;;
    *) say "$kind: installed was '$library'"; return 1 ;;
  esac
  # What is installed is found there, and nothing of the build.
  LD_LIBRARY_PATH=$(dirname "$library")
  export LD_LIBRARY_PATH
  "$prefix/bin/ptxmir" --version | head -1
  say "$kind: the examples, by find_package"
  quietly cmake -S "$root/examples/embed" -B "$temporary/examples-$kind" -DCMAKE_PREFIX_PATH="$prefix"
  quietly cmake --build "$temporary/examples-$kind" -j"$jobs"
  run_examples "$temporary/examples-$kind"
  say "$kind: the examples, by pkg-config"
  check_pkg_config "$prefix" "$temporary/by-pkg-config-$kind"
  check_headers "$prefix"
  unset LD_LIBRARY_PATH
}

check_bazel() {
  say "bazel: the examples, as a workspace of their own"
  local arguments=(--jobs="$jobs" --symlink_prefix="$build/bazel-")
  (cd "$root/examples/embed" && quietly bazel --output_base="$build/bazel-base" build "${arguments[@]}" //...)
  run_examples "$build/bazel-bin"
  (cd "$root/examples/embed" && quietly bazel --output_base="$build/bazel-base" shutdown)
}

for kind in "${kinds[@]}"; do
  if [ "$kind" = bazel ]; then
    need bazel
    check_bazel
  else
    need cmake
    need pkg-config
    check_cmake "$kind"
  fi
done
say "all is well: ${kinds[*]}"
