#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

# Makes the .ll files of this folder from sources/, with front ends that are Debian packages:
#
#     apt install clang-14 clang-16 clang-19 clang-22 flang-22 ldc mlir-22-tools python3-halide python3-numba
#     tests/ir/producers/make_producers.py [NAME...]
#
# Each file begins with a comment that says what made it. A producer that is missing is skipped with a message; its
# files stay as they are. Text of producers is not changed, apart from the comment.

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / 'sources'


class Missing(Exception):
    pass


def run(*command, **options):
    if shutil.which(str(command[0])) is None:
        raise Missing(f'{command[0]} is not installed')
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Missing(f'{command[0]} failed: {done.stderr[-500:]}')
    return done


def version(program):
    lines = run(program, '--version').stdout.splitlines()
    return next(line.strip() for line in lines if 'version' in line.lower() or 'LDC' in line)


def clang(number, source, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / 'out.ll'
        run(f'clang-{number}', *options, '-S', '-emit-llvm', source, '-o', out, cwd=SOURCES)
        return version(f'clang-{number}'), out.read_text()


def opencl(number, name, level):
    return clang(number, f'{name}.cl', '-x', 'cl', '-cl-std=CL2.0', '-target', 'nvptx64-nvidia-cuda', '-Xclang',
                 '-finclude-default-header', level)


def cuda(number, level, *options):
    return clang(number, 'kernels.cu', '-x', 'cuda', '-nocudainc', '-nocudalib', '--cuda-device-only',
                 '--cuda-gpu-arch=sm_70', level, *options)


def fortran(name):
    with tempfile.TemporaryDirectory() as folder:
        host, out = Path(folder) / 'host.bc', Path(folder) / 'out.ll'
        source = f'{name}.f90'
        common = ['flang-22', '-fc1', '-fopenmp', '-module-dir', folder, '-O1']
        run(*common, '-triple', 'x86_64-unknown-linux-gnu', '-emit-llvm-bc', '--offload-targets=nvptx64-nvidia-cuda',
            '-o', host, '-x', 'f95', source, cwd=SOURCES)
        run(*common, '-triple', 'nvptx64-nvidia-cuda', '-emit-llvm', '-target-cpu', 'sm_80',
            '-fopenmp-host-ir-file-path', host, '-fopenmp-is-target-device', '-nogpulib', '-o', out, '-x', 'f95', source,
            cwd=SOURCES)
        return version('flang-22'), out.read_text()


# ldc writes only PTX of device modules, but LLVM prints the module ahead of a pass. Its selection of instructions may
# fail after that.
def d(name):
    made_by = version('ldc2')
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(['ldc2', '-mdcompute-targets=cuda-350', f'-mdcompute-file-prefix={name}', '-c',
                               '--print-module-scope', '--print-before=nvptx-assign-valid-global-names',
                               SOURCES / f'{name}.d'], cwd=folder, capture_output=True, text=True)
    if '; ModuleID' not in done.stderr:
        raise Missing(f'ldc2 failed: {done.stderr[-500:]}')
    return made_by, last_module(done.stderr)


def mlir(name):
    lowering = ('builtin.module(gpu.module(convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,'
                'convert-math-to-llvm,reconcile-unrealized-casts,canonicalize,cse))')
    lowered = run('mlir-opt-22', SOURCES / f'{name}.mlir', f'-pass-pipeline={lowering}').stdout
    # mlir-translate translates one module, and skips those within.
    inner = re.search(r'gpu\.module @\w+.*?(\{.*)\}\s*$', lowered, re.S).group(1)
    return (version('mlir-translate-22'),
            run('mlir-translate-22', '--mlir-to-llvmir', input='module ' + inner).stdout)


# Halide prints the module of the device when it is asked for debugging output.
def halide(which):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(['/usr/bin/python3', SOURCES / 'blur.py', which, f'{folder}/host.ll'],
                              env=dict(os.environ, HL_DEBUG_CODEGEN='2'), capture_output=True, text=True)
        text = done.stdout + done.stderr
    if "; ModuleID = 'ptx_dev_ll'" not in text:
        raise Missing(f'Halide failed: {text[-500:]}')
    text = text[text.index("; ModuleID = 'ptx_dev_ll'"):]
    package = subprocess.run(['dpkg-query', '-W', 'python3-halide'], capture_output=True, text=True).stdout
    return 'Debian package ' + ' '.join(package.split()), last_module(text)


# Numba hands libNVVM text. The stub writes it to files instead of compiling it.
def numba(which, number):
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ['nvvm/lib64', 'nvvm/libdevice', 'lib64']:
            (home / name).mkdir(parents=True)
        stub = home / 'nvvm/lib64/libnvvm.so'
        run('cc', '-shared', '-fPIC', SOURCES / 'nvvm_stub.c', '-o', stub)
        shutil.copy(stub, home / 'nvvm/lib64/libnvvm.so.4')
        for name in ['libcudart.so', 'libcudart.so.11.0']:
            shutil.copy(stub, home / 'lib64' / name)
        (home / 'nvvm/libdevice/libdevice.10.bc').write_bytes(b'')
        done = subprocess.run(['/usr/bin/python3', SOURCES / 'numba_kernels.py', which],
                              env=dict(os.environ, CUDA_HOME=folder, LD_LIBRARY_PATH=str(home / 'lib64'),
                                       NVVM_STUB_OUT=str(home / 'out')), capture_output=True, text=True)
        made = home / f'out.{number}.ll'
        if not made.exists():
            raise Missing(f'Numba failed: {done.stderr[-500:]}')
        package = subprocess.run(['dpkg-query', '-W', 'python3-numba'], capture_output=True, text=True).stdout
        return 'Debian package ' + ' '.join(package.split()), made.read_text()


# Returns the first module of a dump, from its first entity to its last.
def last_module(text):
    begin = text.index('; ModuleID')
    lines = []
    for line in text[begin:].splitlines():
        if lines and (line.startswith('; ModuleID') or line.startswith('***')):
            break
        # Other output follows the last entity.
        if lines and not re.match(r'$|[@%$!;}#. ]|\]|define |declare |attributes |target |source_filename|'
                                  r'[-\w.$]+:|"', line):
            break
        lines.append(line)
    return '\n'.join(lines) + '\n'


FILES = {
    'clang14_cuda_O0': lambda: cuda(14, '-O0'),
    'clang14_cuda_O2': lambda: cuda(14, '-O2'),
    'clang14_cuda_g': lambda: cuda(14, '-O1', '-g'),
    'clang14_opencl_reduce': lambda: opencl(14, 'reduce', '-O2'),
    'clang14_opencl_vectors': lambda: opencl(14, 'vectors', '-O0'),
    'clang16_cuda_O2': lambda: cuda(16, '-O2'),
    'clang16_opencl_reduce': lambda: opencl(16, 'reduce', '-O1'),
    'clang19_cuda_g': lambda: cuda(19, '-O1', '-g'),
    'clang19_opencl_reduce': lambda: opencl(19, 'reduce', '-O2'),
    'clang22_opencl_reduce': lambda: opencl(22, 'reduce', '-O2'),
    'clang22_opencl_vectors': lambda: opencl(22, 'vectors', '-O2'),
    'flang22_blas': lambda: fortran('blas'),
    'flang22_stencil': lambda: fortran('stencil'),
    'halide14_blur': lambda: halide('blur'),
    'halide14_select': lambda: halide('select'),
    'ldc_bits': lambda: d('bits'),
    'ldc_saxpy': lambda: d('saxpy'),
    'mlir22_kernels': lambda: mlir('kernels'),
    'mlir22_math': lambda: mlir('math'),
    'numba_saxpy_kernel': lambda: numba('saxpy', 0),
    'numba_saxpy_function': lambda: numba('saxpy', 1),
    'numba_sum_kernel': lambda: numba('sum', 0),
    'numba_sum_function': lambda: numba('sum', 1),
}


def main():
    names = sys.argv[1:] or FILES
    for name in names:
        try:
            made_by, text = FILES[name]()
        except Missing as missing:
            print(f'{name}: skipped: {missing}')
            continue
        text = text.replace(str(HERE) + '/', '')
        (HERE / f'{name}.ll').write_text(f'; Made by make_producers.py with {made_by}.\n' + text)
        print(f'{name}: {len(text)} bytes')


if __name__ == '__main__':
    main()
