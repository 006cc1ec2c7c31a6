#!/bin/bash
# Whether the CMake build's list of files ($1) is the one that the BUILD files make ($2).
diff -u "$1" "$2" && exit 0
echo "cmake/sources.cmake is out of date; run cmake/update"
exit 1
