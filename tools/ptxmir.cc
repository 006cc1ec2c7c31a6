// SPDX-License-Identifier: Apache-2.0

// The command line tool: MIR in, PTX (or MIR) out.

#include <malloc.h>

#include <string_view>
#include <vector>

#include "tools/driver.h"

int main(int argc, char** argv) {
  // Tables that one function needs are freed and then requested again for the next one. Keep such memory instead
  // of returning it to the system, which would clear it again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 4 << 20);
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return ptxmir::RunDriver(arguments);
}
