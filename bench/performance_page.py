#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what docs/performance.md reports, and writes its tables.

    bench/performance_page.py --section threads --note "on two idle cores"    # measure, record, write
    bench/performance_page.py                                                 # only write, from what is recorded
    bench/performance_page.py --check                                         # fails if the page is out of date
    bench/performance_page.py --list

A section runs its commands, which the page shows, from the root of the repository, and keeps the figures with their
date in bench/performance/results/NAME.json. The page is written from these files: whatever stands between
`<!-- performance_page: NAME -->` and `<!-- end -->`. All other text of the page is written by hand.

Close other programs before measuring, and say in --note what could not be closed.
"""

import argparse
import datetime
import os
import sys

from performance import page, sections

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", action="append", default=[], choices=list(sections.SECTIONS), metavar="NAME",
                        help="measure this section; may be given several times")
    parser.add_argument("--note", default="", help="the circumstances, for the line with the date")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    parser.add_argument("--list", action="store_true", help="list the sections and their commands")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs/performance.md"))
    parser.add_argument("--results", default=os.path.join(ROOT, "bench/performance/results"), metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.list:
        for name, section in sections.SECTIONS.items():
            print(name + "".join(f"\n    {command}" for command in section.commands))
        return 0
    today = datetime.date.today().isoformat()
    for name in arguments.section:
        record = {"date": today, "note": arguments.note, "results": sections.SECTIONS[name].measure(ROOT)}
        page.write_record(arguments.results, name, record)
    with open(arguments.page, encoding="utf-8") as file:
        before = file.read()
    after = page.render(before, sections.SECTIONS, arguments.results)
    if arguments.check:
        if after != before:
            print(f"{arguments.page} is out of date; run bench/performance_page.py", file=sys.stderr)
        return int(after != before)
    if after != before:
        with open(arguments.page, "w", encoding="utf-8") as file:
            file.write(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
