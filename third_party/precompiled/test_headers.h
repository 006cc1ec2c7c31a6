// SPDX-License-Identifier: Apache-2.0

// The headers that most tests include: the standard ones, and GoogleTest's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "third_party/precompiled/standard_headers.h"
