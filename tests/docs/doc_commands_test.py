# SPDX-License-Identifier: Apache-2.0

"""doc_commands.py and page_runner.py on pages with faults: each must be found."""

import os
import tempfile
import unittest

import doc_commands
import page_runner
import python_test


def read(text):
    return doc_commands.read_page("page.md", text, lambda word: word in ("ptxmir", "bazel", "bench/a.py", "true", "cd"))


def texts(page):
    return [command.text for command in page.commands]


class FindTest(unittest.TestCase):
    def test_finds_commands_of_blocks_sentences_and_tables(self):
        page = read("Text\n\n    ptxmir a.mir   # a comment\n    ptxmir b.mir \\\n        -O3 && true x\n\n"
                    "Say `ptxmir -O2\nc.mir`.\n\n| a | `bench/a.py --x` |\n")
        self.assertEqual(texts(page), ["ptxmir a.mir", "ptxmir b.mir -O3", "true x", "ptxmir -O2 c.mir", "bench/a.py --x"])

    def test_finds_commands_in_fences_and_lists(self):
        self.assertEqual(texts(read("```sh\nptxmir a\n```\n\n1. Item:\n\n       ptxmir b\n\n   More.\n")), ["ptxmir a", "ptxmir b"])

    def test_leaves_code_that_is_no_command(self):
        self.assertEqual(texts(read("A\n\n    int main();\n\nSee `foo -x` and `ptxmir`.\n\n- a list\n\n    ptxmir in a sentence\n")), [])

    def test_splits_only_outside_of_quotes(self):
        self.assertEqual(doc_commands.split_line("a 'b && c' && d \"# e\" # f"), ["a 'b && c'", 'd "# e"'])

    def test_assignments_and_folders_come_along(self):
        page = read("A\n\n    X=\"1 2\"\n    cd d && ptxmir $X\n")
        self.assertEqual([(c.shell_setup, c.text) for c in page.commands], [('X="1 2"; cd d && ', "ptxmir $X")])

    def test_finds_options(self):
        self.assertEqual([name for _, name in read("`-a=1,-b`, `--cc d -e`, `not -f`, `-O2`").options], ["-a", "--cc", "-e", "-O2"])

    def test_transcripts_have_their_lines(self):
        page = read("A\n\n    $ ptxmir a\n    one\n    $ ptxmir b\n    two\n\nB\n")
        self.assertEqual([(c.text, c.expected) for c in page.commands], [("ptxmir a", ["one"]), ("ptxmir b", ["two"])])


class MarkerTest(unittest.TestCase):
    def test_skips_with_a_reason(self):
        self.assertEqual(read("<!-- doctest: skip: long -->\n\n    ptxmir a\n").commands[0].skip_reason, "long")

    def test_a_short_form_is_run_in_place_of_the_block(self):
        page = read("<!-- doctest: run: ptxmir -n 1 -->\n\n    ptxmir -n 9\n")
        self.assertEqual([(c.text, c.skip_reason) for c in page.commands], [("ptxmir -n 9", "in a short form"), ("ptxmir -n 1", None)])

    def test_a_short_form_has_the_same_programs_and_options(self):
        for short in ("true", "ptxmir", "ptxmir -m 1"):
            with self.assertRaises(doc_commands.PageError):
                read(f"<!-- doctest: run: {short} -->\n\n    ptxmir -n 9\n")

    def test_faults_of_markers_are_errors(self):
        for text in ("<!-- doctest: skip -->\n\n    ptxmir a\n", "<!-- doctest: jump: x -->\n\n    ptxmir a\n",
                     "<!-- doctest: skip: no block -->\n", "<!-- doctest: skip: x -->\n\n    int main();\n",
                     "<!-- doctest: text -->\n\n    int main();\n"):
            with self.assertRaises(doc_commands.PageError, msg=text):
                read(text)

    def test_files_are_paths_or_blocks(self):
        page = read("<!-- doctest: file: a = b/c -->\n<!-- doctest: file: d -->\n\n    int main();\n")
        self.assertEqual(page.files, {"a": ("path", "b/c"), "d": ("text", "int main();\n")})


class RunTest(unittest.TestCase):
    def setUp(self):
        root, folder = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.addCleanup(folder.cleanup)
        os.makedirs(os.path.join(root.name, "tools"))
        os.makedirs(os.path.join(root.name, "bench"))
        self.script(root.name, "tools/ptxmir", '#!/bin/bash\n[[ "$*" == *bad* ]] && { echo "unknown command line argument"; exit 1; }\n'
                                               'echo one\necho two\n')
        self.script(root.name, "bench/a.py", "#!/usr/bin/env python3\nimport argparse\np = argparse.ArgumentParser()\n"
                                             "p.add_argument('--x')\np.parse_args()\nraise SystemExit('was run')\n")
        self.runner = page_runner.PageRunner(root.name, folder.name, {"//a:b", "//a/c:c"})

    def script(self, root, name, text):
        path = os.path.join(root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def kinds(self, text):
        return [self.runner.outcome(command).kind for command in self.runner.read("page.md", text).commands]

    def test_a_command_that_fails_is_a_failure(self):
        self.assertEqual(self.kinds("A\n\n    ptxmir good\n    ptxmir bad\n"), ["run", "failed"])

    def test_a_failure_ahead_of_a_pipe_is_one(self):
        self.assertEqual(self.kinds("A\n\n    ptxmir bad | cat\n"), ["failed"])

    def test_a_transcript_must_be_what_is_printed(self):
        self.assertEqual(self.kinds("A\n\n    $ ptxmir\n    one\n    two\n"), ["run"])
        self.assertEqual(self.kinds("A\n\n    $ ptxmir\n    o...\n    two\n"), ["run"])
        self.assertEqual(self.kinds("A\n\n    $ ptxmir\n    ...\n    two\n"), ["run"])
        self.assertEqual(self.kinds("A\n\n    $ ptxmir\n    one\n"), ["failed"])
        self.assertEqual(self.kinds("A\n\n    $ ptxmir\n    one\n    three\n"), ["failed"])
        self.assertEqual(self.kinds("A\n\n    $ ptxmir bad\n    unknown command line argument\n"), ["failed"])

    def test_labels_name_targets(self):
        self.assertEqual(self.kinds("`bazel build //a:b //a/c`, `bazel test //a:all`, `bazel test //...`"), ["checked"] * 3)
        self.assertEqual(self.kinds("`bazel build //a:x`, `bazel test //d:all`, `bazel test //d/...`, `bazel test x`"), ["failed"] * 4)

    def test_scripts_accept_their_arguments_and_do_not_run(self):
        self.assertEqual(self.kinds("A\n\n    bench/a.py --x 1\n    bench/a.py --y 1\n    bench/b.py --x 1\n"),
                         ["checked", "failed", "failed"])

    def test_an_incomplete_command_has_options_that_exist(self):
        self.assertEqual(self.kinds("`ptxmir -good FILE` and `ptxmir -bad FILE`"), ["checked", "failed"])

    def test_counts_every_command(self):
        page = self.runner.read("page.md", "<!-- doctest: skip: x -->\n\n    ptxmir a\n\n`ptxmir -bad FILE`\n")
        outcomes = [self.runner.outcome(command) for command in page.commands]
        self.assertIn("page.md: 0 run, 0 checked, 1 skipped, 1 failed", page_runner.summary(outcomes))


if __name__ == "__main__":
    python_test.main()
