# SPDX-License-Identifier: Apache-2.0

"""python_test.py: what a missing peer does to a test."""

import os
import unittest
from unittest import mock

import python_test


def _with(value):
    return mock.patch.dict(os.environ, {"PTXMIR_REQUIRE_PEERS": value})


class RequirePeerTest(unittest.TestCase):
    def test_returns_the_path_of_a_peer(self):
        for value in ("", "1"):
            with self.subTest(value), _with(value):
                self.assertEqual(python_test.require_peer("/bin/ptxas", "ptxas"), "/bin/ptxas")

    def test_skips_without_a_peer(self):
        for value in ("", "0"):
            with self.subTest(value), _with(value), self.assertRaisesRegex(unittest.SkipTest, "ptxas was not found"):
                python_test.require_peer(None, "ptxas")

    def test_fails_if_peers_are_required(self):
        with _with("1"), self.assertRaisesRegex(AssertionError, "ptxas was not found.*PTXMIR_REQUIRE_PEERS=1"):
            python_test.require_peer(None, "ptxas")


if __name__ == "__main__":
    python_test.main()
