// SPDX-License-Identifier: Apache-2.0

// The version of ptxmir that these headers belong to. LibraryVersion (compiler.h) returns the version of the
// library that a program is linked with.
//
// Versions are MAJOR.MINOR.PATCH (semver.org). While MAJOR is 0, a new MINOR may change interfaces; a new PATCH
// does not.

#ifndef PTXMIR_VERSION_H_
#define PTXMIR_VERSION_H_

#define PTXMIR_VERSION_MAJOR 0
#define PTXMIR_VERSION_MINOR 1
#define PTXMIR_VERSION_PATCH 0

// For comparisons by the preprocessor: 0.1.0 is 100, 1.2.3 is 10203.
#define PTXMIR_VERSION (PTXMIR_VERSION_MAJOR * 10000 + PTXMIR_VERSION_MINOR * 100 + PTXMIR_VERSION_PATCH)

#define PTXMIR_VERSION_TEXT_OF_(number) #number
#define PTXMIR_VERSION_TEXT_(major, minor, patch) \
  PTXMIR_VERSION_TEXT_OF_(major) "." PTXMIR_VERSION_TEXT_OF_(minor) "." PTXMIR_VERSION_TEXT_OF_(patch)
// The version as text: "0.1.0".
#define PTXMIR_VERSION_STRING PTXMIR_VERSION_TEXT_(PTXMIR_VERSION_MAJOR, PTXMIR_VERSION_MINOR, PTXMIR_VERSION_PATCH)

#endif  // PTXMIR_VERSION_H_
