#!/bin/bash
# Compiles the kernels of this folder to MIR: those of the CUDA toolkit's own headers (CUB, Thrust, cuRAND, libcu++,
# libdevice), none of which was written with ptxmir in mind. They are not part of the test corpus.
#
#   bench/toolkit_kernels/compile.sh FOLDER       from the repository's root; needs clang-22, llc-22 and CUDA 13
#   bench/registers.py --nvcc=none --budgets=default,32,40,64 FOLDER
#
# CUDA_HOME: the toolkit (/usr/local/cuda).
set -euo pipefail

out=${1:?usage: compile.sh FOLDER}
cuda=${CUDA_HOME:-/usr/local/cuda}
sources=$(dirname "$0")
mkdir -p "$out"
for source in "$sources"/*.cu; do
  name=$(basename "$source" .cu)
  clang-22 -x cuda --cuda-path="$cuda" -I"$cuda/include/cccl" --cuda-gpu-arch=sm_80 --cuda-device-only -O3 -std=c++17 \
    -Wno-unknown-cuda-version -Wno-pass-failed -S -emit-llvm "$source" -o "$out/$name.ll"
  llc-22 -mcpu=sm_80 -mattr=+ptx88 -stop-after=finalize-isel "$out/$name.ll" -o "$out/$name.mir"
  rm "$out/$name.ll"
done
