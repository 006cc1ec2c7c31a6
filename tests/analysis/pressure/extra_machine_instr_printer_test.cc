// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/extra_machine_instr_printer.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

TEST(ExtraMachineInstrPrinterTest, ByHand) {
  const auto module = testing::ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    DBG_VALUE %0, $noreg
    %1:b64 = IMPLICIT_DEF
    %2:b1 = IMPLICIT_DEF
  bb.1:
    successors: %bb.2
    %3:b32 = PHI %0, %bb.0
    %4:b32 = ADD32ri %3, 1
    KILL %4, %2
  bb.2:
    successors: %bb.3
  bb.3:
    KILL %1
    Return
)");
  MachineFunction& function = testing::OnlyFunction(*module);
  AnalysisManager analyses(function);
  std::string text;
  PrintExtraMachineInstrInfo(function, analyses, text);
  EXPECT_EQ(text,
            "Max Live RRegs: 3\tPRegs: 1\n"
            "Function Size: 8\n"
            "%bb.0:\n"
            "  entry:  b1 0, b16 0, b32 0, b64 0, b128 0; units 0\n"
            "  middle: b1 0, b16 0, b32 1, b64 0, b128 0; units 1\n"
            "  exit:   b1 1, b16 0, b32 1, b64 1, b128 0; units 3\n"
            "%bb.1:\n"
            "  entry:  b1 1, b16 0, b32 1, b64 1, b128 0; units 3\n"
            "  middle: b1 1, b16 0, b32 1, b64 1, b128 0; units 3\n"
            "  exit:   b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "%bb.2:\n"
            "  entry:  b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "  middle: b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "  exit:   b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "%bb.3:\n"
            "  entry:  b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "  middle: b1 0, b16 0, b32 0, b64 0, b128 0; units 0\n"
            "  exit:   b1 0, b16 0, b32 0, b64 0, b128 0; units 0\n");
}

}  // namespace
}  // namespace ptxmir
