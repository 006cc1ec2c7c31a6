# SPDX-License-Identifier: Apache-2.0
"""Each form of the intrinsics of tensor memory (tcgen05.mma, tcgen05.ld, tcgen05.st) becomes llc's instruction."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import python_test

PTXMIR = pathlib.Path("tools/ptxmir")
TARGET = ["-mcpu=sm_100a", "-mattr=+ptx88"]

PLACES = {"shared": "i64 %a_descriptor", "tensor": "ptr addrspace(6) %a"}
BLOCK_SCALES = {
    "mxf8f6f4": ["", ".block32"],
    "mxf4": ["", ".block32"],
    "mxf4nvf4": [".block16", ".block32"],
}
# Registers a thread for each vector of one (`.x1`).
SHAPES = {"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1}


def products():
    """Yields (intrinsic, arguments) for each form of tcgen05.mma."""
    for sparse in ["", ".sp"]:
        for place, a in PLACES.items():
            head = ["ptr addrspace(6) %d", a, "i64 %b", "i32 %i", "i1 %e"]
            head += ["ptr addrspace(6) %m"] if sparse else []
            name = f"tcgen05.mma{sparse}.{place}"
            yield from plain_products(name, place, head)
            for kind, scales in BLOCK_SCALES.items():
                for scale in scales:
                    for group in [1, 2]:
                        for use in range(4):
                            yield (f"{name}.{kind}.block_scale{scale}",
                                   head + ["ptr addrspace(6) %sa", "ptr addrspace(6) %sb", f"i32 {group}", f"i32 {use}"])
            name = f"tcgen05.mma.ws{sparse}.{place}"
            for kind in range(4):
                for buffer in range(4):
                    for use in range(4):
                        flags = [f"i32 {kind}", f"i32 {buffer}", f"i32 {use}"]
                        yield name, head + flags
                        yield f"{name}.zero_col_mask", head + ["i64 %z"] + flags


def plain_products(name, place, head):
    for scale in ["", ".scale_d"]:
        for shift in ["", ".ashift"] if place == "tensor" else [""]:
            for kind in range(2 if scale else 4):
                for use in range(2 if shift else 4):
                    for group, lanes in [(1, 4), (2, 8)]:
                        scaled = head + (["i64 5"] if scale else [])
                        yield name + scale + shift, scaled + [f"i32 {kind}", f"i32 {group}", f"i32 {use}"]
                        yield (f"{name}{scale}.disable_output_lane.cg{group}{shift}",
                               scaled + [f"<{lanes} x i32> %lanes{lanes}", f"i32 {kind}", f"i32 {use}"])


def type_of(argument):
    return argument.rpartition(" ")[0]


def functions_of_products():
    """Returns IR with a call of each form."""
    declarations, calls = {}, []
    for name, arguments in products():
        declarations[name] = f"declare void @llvm.nvvm.{name}({', '.join(map(type_of, arguments))})"
        calls.append(f"  call void @llvm.nvvm.{name}({', '.join(arguments)})")
    parameters = ("ptr addrspace(6) %d, ptr addrspace(6) %a, i64 %a_descriptor, i64 %b, i32 %i, i1 %e, "
                  "ptr addrspace(6) %m, ptr addrspace(6) %sa, ptr addrspace(6) %sb, i64 %z, <4 x i32> %lanes4, "
                  "<8 x i32> %lanes8")
    return [*declarations.values(), f"define void @products({parameters}) {{", *calls, "  ret void", "}"]


def functions_of_copies():
    """Returns IR that copies tensor memory in each shape."""
    lines = []
    for shape, registers in SHAPES.items():
        for times in [1, 2, 4, 8, 16, 32, 64, 128]:
            count = registers * times
            if count > 128:
                continue
            value = "i32" if count == 1 else f"<{count} x i32>"
            name = f"{shape}.x{times}"
            offset = ", i64 2" if shape == "16x32bx2" else ""
            offset_type = ", i64" if offset else ""
            lines += [
                f"declare {value} @llvm.nvvm.tcgen05.ld.{name}(ptr addrspace(6){offset_type}, i1)",
                f"declare void @llvm.nvvm.tcgen05.st.{name}(ptr addrspace(6){offset_type}, {value}, i1)",
            ]
            for flag in [0, 1]:
                lines += [
                    f"define void @copy_{shape}_{times}_{flag}(ptr addrspace(6) %from, ptr addrspace(6) %to) {{",
                    f"  %v = call {value} @llvm.nvvm.tcgen05.ld.{name}(ptr addrspace(6) %from{offset}, i1 {flag})",
                    f"  call void @llvm.nvvm.tcgen05.st.{name}(ptr addrspace(6) %to{offset}, {value} %v, i1 {flag})",
                    "  ret void",
                    "}",
                ]
    return lines


def instructions(ptx):
    """Returns the instructions of tensor memory, with registers numbered in the order in which each line names them."""
    found = []
    for line in ptx.splitlines():
        if "tcgen05" not in line:
            continue
        numbers = {}
        line = re.sub(r"%([a-z]+)\d+", lambda name: f"%{name[1]}.{numbers.setdefault(name[0], len(numbers))}", line)
        found.append(line.strip().replace("+0]", "]"))
    return found


class TensorMemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        python_test.require_peer(shutil.which("llc-22"), "llc-22")

    def compare(self, lines, level):
        with tempfile.TemporaryDirectory() as folder:
            ir = pathlib.Path(folder, "input.ll")
            ir.write_text("\n".join(['target triple = "nvptx64-nvidia-cuda"', *lines, ""]))
            texts = []
            for tool in ["llc-22", PTXMIR]:
                out = pathlib.Path(folder, "out.ptx")
                subprocess.run([tool, level, *TARGET, ir, "-o", out], check=True)
                texts.append(instructions(out.read_text()))
        self.assertEqual(texts[0], texts[1])
        return len(texts[0])

    def test_products(self):
        for level in ["-O0", "-O2"]:
            self.assertEqual(self.compare(functions_of_products(), level), 1184)

    def test_copies(self):
        for level in ["-O0", "-O2"]:
            self.assertEqual(self.compare(functions_of_copies(), level), 2 * 2 * 37)


if __name__ == "__main__":
    python_test.main()
