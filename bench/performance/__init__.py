# SPDX-License-Identifier: Apache-2.0

"""The tables of docs/performance.md (bench/performance_page.py).

page.py        records of results, and the text between the markers of the page
sections.py    the sections: commands, how to measure, tables
commands.py    runs commands and reads what they print
"""
