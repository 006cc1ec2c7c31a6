// SPDX-License-Identifier: Apache-2.0

// The version of ptxmir. These headers are written for this one; LibraryVersion (compiler.h) tells that of the library
// which a program has been linked with.
//
// Versions are MAJOR.MINOR.PATCH (semver.org): while MAJOR is 0, a new MINOR may change interfaces, and PATCH does not.

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
// "0.1.0"
#define PTXMIR_VERSION_STRING PTXMIR_VERSION_TEXT_(PTXMIR_VERSION_MAJOR, PTXMIR_VERSION_MINOR, PTXMIR_VERSION_PATCH)

#endif  // PTXMIR_VERSION_H_
