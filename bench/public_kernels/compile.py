#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles CUDA code of public programs to MIR, as ground that took no part in choosing any setting of ptxmir.

    apt-get source --download-only darknet faiss gromacs lammps relion      # in SOURCES, with deb-src lines; Debian 12
    apt-get source --download-only pytorch                                  # the same; Debian 13
    apt-get source --download-only astra-toolbox cp2k elpa onnxruntime      # the same; Debian 13
    bench/public_kernels/compile.py SOURCES FOLDER
    bench/registers.py --nvcc=none --budgets=default,32,40,64 FOLDER

The programs: darknet (neural networks), faiss (nearest neighbors), gromacs and lammps (molecular dynamics), relion
(electron microscopy), the kernels of PyTorch's operators, astra-toolbox (tomography), cp2k (quantum chemistry), elpa
(eigenvalues) and onnxruntime (neural networks). Nothing of them is kept in this repository, and they are not configured: a
few headers that their build would make are made here. Files that do not compile so are skipped and listed, and so are
those with more than 2.5 MB of MIR, which ptxas takes minutes for. Needs clang-22, llc-22 and CUDA 13 (CUDA_HOME:
/usr/local/cuda), for PyTorch a Python with yaml and typing_extensions (TORCHGEN_PYTHON: the one that runs this), and for
onnxruntime libmsgsl-dev, libboost-dev, libprotobuf-dev and nlohmann-json3-dev. Takes about ten minutes on two cores, and
for PyTorch and onnxruntime as many more each. --only=PROGRAM,... compiles some of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tarfile

CUDA = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
PROGRAMS = ["darknet", "faiss", "gromacs", "lammps", "relion", "pytorch", "astra-toolbox", "cp2k", "elpa", "onnxruntime"]
MOST_BYTES = 2_500_000

ELPA_CONFIG = """#define WITH_NVIDIA_GPU_VERSION 1
#define DOUBLE_PRECISION_REAL 1
#define WANT_SINGLE_PRECISION_REAL 1
#define WANT_SINGLE_PRECISION_COMPLEX 1
#define WITH_NVIDIA_SM80_COMPUTE_CAPABILITY 1
"""

# Integers that are checked on the host only.
SAFE_INT = """#pragma once
#define SAFEINT_DEFAULT_EXCEPTION_POLICY SafeIntExceptionHandler<int>
template <typename E> class SafeIntExceptionHandler;
template <typename T, typename E = void> using SafeInt = T;
template <typename A, typename B> bool SafeMultiply(A a, B b, A& product) { product = a * b; return true; }
"""

# What a configured build has, by path.
HEADERS = {
    "elpa_only/config-f90.h": ELPA_CONFIG,
    "elpa_only/config.h": ELPA_CONFIG,
    "onnxruntime_only/SafeInt.hpp": SAFE_INT,
    "onnxruntime_only/onnxruntime_config.h": '#define ORT_VERSION "1.21.0"\n',
    "gflags/gflags.h": "",
    "gromacs/libgromacs_export.h": "#define LIBGROMACS_EXPORT\n",
    "fftw3.h": "#define fftw_malloc malloc\n#define fftwf_malloc malloc\n",
    "mpi.h": "",
    # clang cannot compile what cuBLAS includes.
    "darknet_only/cublas_v2.h": "#include <cuda_runtime.h>\ntypedef void* cublasHandle_t;\ntypedef int cublasStatus_t;\n",
}


def unpack(sources, folder, programs):
    """Returns the folder of each program, unpacked from what `apt-get source --download-only` left."""
    roots = {}
    for program in programs:
        archives = sorted(path for path in sources.glob(f"{program}_*.orig.tar.*"))
        root = folder / program
        if archives and not root.exists():
            with tarfile.open(archives[0]) as archive:
                archive.extractall(folder / "unpacked" / program, filter="data")
            next((folder / "unpacked" / program).iterdir()).rename(root)
        if root.exists():
            roots[program] = root
    return roots


def configure_pytorch(root, stubs):
    """Makes the headers of PyTorch's operators, with its own generator."""
    headers = stubs / "pytorch_only"
    for place in ("ATen/cuda", "c10/macros", "c10/cuda/impl"):
        (headers / place).mkdir(parents=True, exist_ok=True)
    for path in ("ATen/Config.h", "ATen/cuda/CUDAConfig.h"):
        text = (root / "aten/src" / f"{path}.in").read_text()
        (headers / path).write_text(re.sub(r"@\w+@", "0", text))
    (headers / "c10/macros/cmake_macros.h").write_text("")
    (headers / "c10/cuda/impl/cuda_cmake_macros.h").write_text("#define C10_CUDA_BUILD_SHARED_LIBS\n")
    python = os.environ.get("TORCHGEN_PYTHON", sys.executable)
    subprocess.run([python, "-m", "torchgen.gen", "--source-path", "aten/src/ATen", "--install_dir", headers / "ATen",
                    "--per-operator-headers", "--generate", "headers"], cwd=root, check=True)


def configure(roots, stubs):
    for path, text in HEADERS.items():
        (stubs / path).parent.mkdir(parents=True, exist_ok=True)
        (stubs / path).write_text(text)
    if "gromacs" in roots:
        text = (roots["gromacs"] / "src/config.h.cmakein").read_text()
        on = {"GMX_GPU", "GMX_GPU_CUDA", "GMX_OPENMP"}
        text = re.sub(r"#cmakedefine01 (\w+)", lambda m: f"#define {m[1]} {int(m[1] in on)}", text)
        text = re.sub(r"#cmakedefine (\w+).*", "", text)
        (stubs / "config.h").write_text(re.sub(r"@\w+@", "8", text))
        external = stubs / "gromacs/external"
        external.mkdir(parents=True, exist_ok=True)
        if not (external / "boost").exists():
            (external / "boost").symlink_to(roots["gromacs"] / "src/external/boost")
    if "pytorch" in roots:
        configure_pytorch(roots["pytorch"], stubs)
    if "onnxruntime" in roots:
        # clang lets no specialization be for the device alone where its template is for both sides.
        path = roots["onnxruntime"] / "onnxruntime/core/providers/cuda/cu_inc/common.cuh"
        both = r"^__device__ __host__ (__inline__ (?:T|float|double) _(?:Floor|Round)\()"
        path.write_text(re.sub(both, r"__device__ \1", path.read_text(), flags=re.MULTILINE))
    if "darknet" in roots and (roots["darknet"] / "src/cuda.h").exists():
        # Its cuda.h would hide the toolkit's.
        for path in [*roots["darknet"].glob("src/*.[ch]*"), *roots["darknet"].glob("include/*.h")]:
            text = path.read_text(errors="replace").replace('"cuda.h"', '"darknet_cuda.h"')
            path.write_text(text.replace('#include "cuda_runtime.h"', '#include <cuda.h>\n#include "cuda_runtime.h"'))
        (roots["darknet"] / "src/cuda.h").rename(roots["darknet"] / "src/darknet_cuda.h")


def flags_of(program, root, stubs):
    if program == "darknet":
        return [f"-I{stubs}/darknet_only", f"-I{root}/include", "-iquote", f"{root}/src", "-DGPU"]
    if program == "gromacs":
        modules = sorted(str(path) for path in root.glob("src/gromacs/*/include"))
        places = ["src", "src/include", "api/legacy/include", "src/gromacs/external", "src/external"]
        return [*(f"-I{root}/{place}" for place in places), *(f"-I{path}" for path in modules), "-DGMX_GPU_CUDA=1"]
    if program == "lammps":
        return [f"-I{root}/lib/gpu", "-D_SINGLE_DOUBLE", "-DNV_KERNEL", "-D__CUDACC_VER_MAJOR__=13", "-DLAMMPS_SMALLBIG"]
    if program == "relion":
        return [f"-I{root}", "-DCUDA", "-D_CUDA_ENABLED"]
    if program == "pytorch":
        return [f"-I{stubs}/pytorch_only", f"-I{root}/aten/src", f"-I{root}", "-DUSE_CUDA"]
    if program == "astra-toolbox":
        return [f"-I{root}/include", f"-I{root}/lib/include", "-DASTRA_CUDA"]
    if program == "cp2k":
        return [f"-I{root}/src", f"-I{root}/src/grid", "-D__OFFLOAD_CUDA", "-D__GRID_CUDA", "-D__DBM_CUDA"]
    if program == "elpa":
        return [f"-I{stubs}/elpa_only", f"-I{root}", f"-I{root}/src"]
    if program == "onnxruntime":
        places = ["include/onnxruntime", "include/onnxruntime/core/session", "onnxruntime", "orttraining"]
        return [f"-I{stubs}/onnxruntime_only", *(f"-I{root}/{place}" for place in places), "-DUSE_CUDA"]
    return [f"-I{root}"]


def files_of(program, root):
    return sorted(root.glob("aten/src/ATen/native/cuda/*.cu") if program == "pytorch" else root.rglob("*.cu"))


def compile_unit(source, root, flags, stubs, folder):
    """Compiles one file to MIR. Returns its name and why there is no MIR, or an empty text."""
    name = "__".join([root.name, *source.relative_to(root).with_suffix("").parts])
    ir, mir = folder / f"{name}.ll", folder / f"{name}.mir"
    command = ["clang-22", "-x", "cuda", f"--cuda-path={CUDA}", f"-I{CUDA}/include/cccl", f"-I{stubs}", *flags,
               "--cuda-gpu-arch=sm_80", "--cuda-device-only", "-O3", "-std=c++17", "-w", "-S", "-emit-llvm", source, "-o", ir]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            errors = [line for line in result.stderr.splitlines() if "error" in line]
            return name, errors[0] if errors else "clang failed"
        if "ptx_kernel" not in ir.read_text():
            return name, "no kernels"
        result = subprocess.run(["llc-22", "-mcpu=sm_80", "-stop-after=finalize-isel", ir, "-o", mir], capture_output=True,
                                text=True, timeout=300)
        if result.returncode != 0:
            return name, result.stderr[:200]
        if mir.stat().st_size > MOST_BYTES:
            mir.unlink()
            return name, "too large"
        return name, ""
    except subprocess.TimeoutExpired:
        return name, "takes too long"
    finally:
        ir.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PROGRAMS), metavar="PROGRAM,...")
    arguments = parser.parse_args()
    programs = arguments.only.split(",")
    folder = arguments.folder.resolve()
    work = folder / "sources"
    work.mkdir(parents=True, exist_ok=True)
    roots = unpack(arguments.sources.resolve(), work, programs)
    if not roots:
        sys.exit(f"{arguments.sources} has no sources of {', '.join(programs)}")
    stubs = work / "headers"
    configure(roots, stubs)
    units = [(source, root, flags_of(program, root, stubs), stubs, folder)
             for program, root in roots.items() for source in files_of(program, root)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        results = list(executor.map(lambda unit: compile_unit(*unit), units))
    for name, reason in results:
        if reason:
            print(f"{name}: {reason}")
    print(f"{sum(not reason for _, reason in results)} of {len(results)} files")


if __name__ == "__main__":
    main()
