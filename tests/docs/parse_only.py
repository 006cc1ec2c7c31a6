# SPDX-License-Identifier: Apache-2.0

"""Runs a script up to where argparse has accepted its arguments: parse_only.py SCRIPT ARGUMENTS...

Exit status: 77 when they were accepted; argparse's or the script's own otherwise.
"""

import argparse
import os
import runpy
import sys

ACCEPTED = 77


def main():
    def stop_after(parse):
        def parse_and_stop(*arguments, **named):
            parse(*arguments, **named)
            sys.stdout.flush()
            os._exit(ACCEPTED)
        return parse_and_stop

    argparse.ArgumentParser.parse_args = stop_after(argparse.ArgumentParser.parse_args)
    script = sys.argv[1]
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
