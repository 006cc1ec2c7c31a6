# SPDX-License-Identifier: Apache-2.0

"""tools/release.sh packs tools that run where they are unpacked."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest

import python_test


def _run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.release = os.path.join(cls.folder, "release")
        cls._pack(cls.release)

    @classmethod
    def _pack(cls, folder):
        _run("tools/release.sh", folder, "tools", env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})

    def test_the_unpacked_tools_work(self):
        version = _run("tools/ptxmir", "--version").split("\n", 1)[0].rsplit(" ", 1)[1]
        name = f"ptxmir-{version}-linux-{os.uname().machine}"
        _run("tar", "xzf", os.path.join(self.release, name + ".tar.gz"), "-C", self.folder)
        root = os.path.join(self.folder, name)
        for tool in ["ptxmir", "ptxmir-run", "ptxmir-reduce"]:
            self.assertIn(version, _run(os.path.join(root, "bin", tool), "--version"))
        ptx = os.path.join(self.folder, "saxpy.ptx")
        _run(os.path.join(root, "bin/ptxmir"), "examples/saxpy.mir", "-o", ptx)
        with open(ptx, encoding="utf-8") as file:
            self.assertIn(".entry", file.read())
        self.assertIn(".TH PTXMIR", _run("zcat", os.path.join(root, "share/man/man1/ptxmir.1.gz")))
        for page in ["README.md", "LICENSE", "docs/install.md"]:
            self.assertTrue(os.path.exists(os.path.join(root, "share/doc/ptxmir", page)), page)

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
