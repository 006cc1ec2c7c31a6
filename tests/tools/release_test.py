# SPDX-License-Identifier: Apache-2.0

"""tools/release.sh packs tools that run, and a library that programs are built with, where they are unpacked."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest

import python_test


def _run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.release = os.path.join(cls.folder, "release")
        cls._pack(cls.release)

    @classmethod
    def _pack(cls, folder):
        _run("tools/release.sh", folder, ".", env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})

    # Returns the version and the folder into which the package was unpacked.
    def _unpack(self, package):
        version = _run("tools/ptxmir", "--version").split("\n", 1)[0].rsplit(" ", 1)[1]
        name = f"{package}-{version}-linux-{os.uname().machine}"
        _run("tar", "xzf", os.path.join(self.release, name + ".tar.gz"), "-C", self.folder)
        return version, os.path.join(self.folder, name)

    def test_the_unpacked_tools_work(self):
        version, root = self._unpack("ptxmir")
        for tool in ["ptxmir", "ptxmir-run", "ptxmir-reduce"]:
            self.assertIn(version, _run(os.path.join(root, "bin", tool), "--version"))
        ptx = os.path.join(self.folder, "saxpy.ptx")
        _run(os.path.join(root, "bin/ptxmir"), "examples/saxpy.mir", "-o", ptx)
        with open(ptx, encoding="utf-8") as file:
            self.assertIn(".entry", file.read())
        self.assertIn(".TH PTXMIR", _run("zcat", os.path.join(root, "share/man/man1/ptxmir.1.gz")))
        for page in ["README.md", "LICENSE", "docs/install.md"]:
            self.assertTrue(os.path.exists(os.path.join(root, "share/doc/ptxmir", page)), page)

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_programs_are_built_with_the_unpacked_library(self):
        _, root = self._unpack("ptxmir-dev")
        links = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
        for path in filter(os.path.islink, links):
            self.assertFalse(os.path.isabs(os.readlink(path)), path)
        example = os.path.join(root, "share/doc/ptxmir-dev/examples")
        mir = os.path.join(example, "saxpy.mir")
        for kind in ["static", "shared"]:
            build = os.path.join(self.folder, kind)
            is_shared = "ON" if kind == "shared" else "OFF"
            _run("cmake", "-S", example, "-B", build, "-DCMAKE_PREFIX_PATH=" + root, "-DBUILD_SHARED_LIBS=" + is_shared)
            _run("cmake", "--build", build, "--target", "compile_file", "custom_pass")
            self.assertIn(".entry saxpy(", _run(os.path.join(build, "compile_file"), mir))
            self.assertIn("shl.b32", _run(os.path.join(build, "custom_pass")))
            needed = _run("readelf", "--dynamic", os.path.join(build, "custom_pass"))
            self.assertEqual("libptxmir.so" in needed, kind == "shared")

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("pkg-config"), "there is no cmake or pkg-config")
    def test_pkg_config_finds_the_unpacked_library(self):
        _, root = self._unpack("ptxmir-dev")
        libraries = os.path.join(root, "lib")
        environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(libraries, "pkgconfig")}
        flags = _run("pkg-config", "--cflags", "--libs", "ptxmir", env=environment).split()
        program = os.path.join(self.folder, "build_kernels")
        source = os.path.join(root, "share/doc/ptxmir-dev/examples/build_kernels.cc")
        _run("c++", "-std=c++20", source, *flags, "-o", program)
        kernels = _run(program, env={**os.environ, "LD_LIBRARY_PATH": libraries})
        self.assertEqual(kernels.count(".entry"), 3)

    def test_the_sums_are_those_of_the_packages(self):
        with open(os.path.join(self.release, "SHA256SUMS"), encoding="utf-8") as file:
            sums = dict(reversed(line.split()) for line in file)
        self.assertEqual(sorted([*sums, "SHA256SUMS"]), sorted(os.listdir(self.release)))
        for name, expected in sums.items():
            with open(os.path.join(self.release, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), expected)

    def test_the_same_tools_give_the_same_bytes(self):
        again = os.path.join(self.folder, "again")
        self._pack(again)
        for name in os.listdir(self.release):
            with open(os.path.join(self.release, name), "rb") as first, open(os.path.join(again, name), "rb") as second:
                self.assertTrue(first.read() == second.read(), name)


if __name__ == "__main__":
    python_test.main()
