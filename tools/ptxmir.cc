// The command line tool: MIR in, PTX (or MIR) out.

#include <string_view>
#include <vector>

#include "tools/driver.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return ptxmir::RunDriver(arguments);
}
