# SPDX-License-Identifier: Apache-2.0
"""nvvm-reflect makes of each function of CUDA's libdevice what llc's own pass makes of it.

libdevice asks for __CUDA_FTZ, __CUDA_PREC_SQRT and __CUDA_ARCH. Both results are brought into one form by opt: how
constants are folded and blocks are joined is not the question.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import python_test

PTXMIR = pathlib.Path("tools/ptxmir")
NORMALIZE = "-passes=function(simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)"


def libdevice() -> pathlib.Path | None:
    for root in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        path = pathlib.Path(root) / "nvvm/libdevice/libdevice.10.bc"
        if root and path.exists():
            return path
    return None


def functions(ir: str) -> dict[str, list[str]]:
    """Returns the instructions of each function, sorted, without what means nothing: names of values, the order of PHIs
    and of their entries, and numbers of attributes and metadata, which depend on the whole module."""
    found = {}
    for match in re.finditer(r"^define [^@]*@([\w.$]+)\(.*?^}", ir, re.MULTILINE | re.DOTALL):
        text = re.sub(r"#\d+|!\d+|; .*|^[\w.]+:", "", match.group(0), flags=re.MULTILINE)
        text = re.sub(r"%[\w.]+", "%", text)
        text = re.sub(r"(?<= )\[ .* \]$", lambda entries: ", ".join(
            sorted(re.findall(r"\[ .*? \]", entries.group(0)))), text, flags=re.MULTILINE)
        found[match.group(1)] = sorted(line for line in text.splitlines() if line.strip())
    return found


class LibdeviceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in ("llvm-dis-22", "llc-22", "opt-22"):
            python_test.require_peer(shutil.which(tool), tool)
        path = libdevice()
        if path is None:
            raise unittest.SkipTest("CUDA's libdevice is not here")
        cls.folder = tempfile.TemporaryDirectory()
        cls.ir = pathlib.Path(cls.folder.name) / "libdevice.ll"
        subprocess.run(["llvm-dis-22", path, "-o", cls.ir], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def normalized(self, ir: str) -> dict[str, list[str]]:
        return functions(subprocess.run(["opt-22", NORMALIZE, "-S", "-"], input=ir, check=True, capture_output=True,
                                        text=True).stdout)

    def llvm(self, *options: str) -> dict[str, list[str]]:
        mir = subprocess.run(["llc-22", *options, "-stop-after=nvvm-reflect", self.ir, "-o", "-"],
                             check=True, capture_output=True, text=True).stdout
        return self.normalized(textwrap.dedent(mir.split("--- |\n", 1)[1].split("\n...\n", 1)[0]))

    def ours(self, *options: str) -> dict[str, list[str]]:
        ir = subprocess.run([PTXMIR, "-x", "ir", "-emit-llvm", "-passes=nvvm-reflect,nvvm-reflect-pp", *options, self.ir,
                             "-o", "-"],
                            check=True, capture_output=True, text=True).stdout
        self.assertNotIn("__nvvm_reflect", ir)
        return self.normalized(ir)

    def check(self, *options: str):
        with self.subTest(options=options):
            expected, actual = self.llvm(*options), self.ours(*options)
            self.assertGreater(len(expected), 300)
            self.assertEqual(sorted(expected), sorted(actual))
            self.assertEqual([name for name in expected if expected[name] != actual[name]], [])

    def test_each_function_is_what_llc_makes_of_it(self):
        # libdevice asks whether the number is 200, 350 or 370, at least 500 or 730, less than 600, or more than 820: one
        # GPU for each set of answers.
        for options in (["-mcpu=sm_20"], ["-mcpu=sm_35"], ["-mcpu=sm_37"], ["-mcpu=sm_50"], ["-mcpu=sm_60"],
                        ["-mcpu=sm_80"], ["-mcpu=sm_90"]):
            for ftz in (0, 1):
                self.check(*options, f"-nvvm-reflect-add=__CUDA_FTZ={ftz}")
        self.check("-mcpu=sm_80", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1")
        self.check("-mcpu=sm_80", "-nvvm-reflect-add=__CUDA_ARCH=350")

    def test_the_keys_matter(self):
        self.assertNotEqual(self.ours("-mcpu=sm_80"), self.ours("-mcpu=sm_80", "-nvvm-reflect-add=__CUDA_FTZ=1"))
        self.assertNotEqual(self.ours("-mcpu=sm_50"), self.ours("-mcpu=sm_90"))


if __name__ == "__main__":
    python_test.main()
