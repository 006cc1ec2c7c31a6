# SPDX-License-Identifier: Apache-2.0

"""Programs bring ptxmir with FetchContent (subproject/CMakeLists.txt). The library's code is what Bazel compiled."""

import os
import shutil
import subprocess
import tempfile
import unittest

import python_test


def _run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


@unittest.skipUnless(shutil.which("cmake") and shutil.which("pkg-config"), "there is no cmake or pkg-config")
class SubprojectTest(unittest.TestCase):
    def setUp(self):
        self.build = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(shutil.rmtree, self.build)

    def _configure(self, *options):
        objects = ["-C", "cmake/compiled.cmake", "-DPTXMIR_SOURCE_DIR=" + os.getcwd()]
        return _run("cmake", *objects, "-S", "tests/embed/subproject", "-B", self.build, *options)

    def _build_and_run(self):
        _run("cmake", "--build", self.build)
        self.assertIn(".entry saxpy(", _run(os.path.join(self.build, "compile_file"), "examples/saxpy.mir"))
        self.assertIn("2 products replaced", _run(os.path.join(self.build, "custom_pass")))

    def test_ptxmir_takes_the_targets_of_the_parent(self):
        self._configure("-DPTXMIR_INSTALL=ON")
        self._build_and_run()
        prefix = os.path.join(self.build, "installed")
        _run("cmake", "--install", self.build, "--prefix", prefix)
        self.assertTrue(os.path.exists(os.path.join(prefix, "include/ptxmir/compiler.h")))

    def test_ptxmir_finds_what_the_parent_does_not_bring(self):
        self._configure("-DBRINGS_DEPENDENCIES=OFF", "-DBUILD_SHARED_LIBS=ON")
        self._build_and_run()


if __name__ == "__main__":
    python_test.main()
