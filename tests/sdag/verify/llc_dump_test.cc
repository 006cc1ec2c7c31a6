// SPDX-License-Identifier: Apache-2.0

// Nodes as llc prints them are read, are valid, and are written in the same way.
//
// llc prints the graph below a node that it cannot select. Release builds do this, too, but identify nodes by their
// addresses. fsin of f64 is such a node, so the tested nodes are put below it. Intentional differences from our
// text (docs/selection-dag.md) are rewritten: addresses become numbers, and numbers of intrinsics are removed.
// Chains, which llc cuts off, are replaced with an entry token.

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/parity/external_tools.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

constexpr const char* kBodies[] = {
    "%c = icmp ult i32 %n, 7\n %y = select i1 %c, double %d, double 1.0",
    "%c = fcmp nnan olt float %f, 7.0\n %z = zext i1 %c to i32\n %y = sitofp i32 %z to double",
    "%a = atomicrmw add ptr addrspace(1) %p, i32 %n syncscope(\"block\") seq_cst\n %y = uitofp i32 %a to double",
    "%a = cmpxchg ptr addrspace(1) %p, i32 %n, i32 5 acquire monotonic\n %b = extractvalue {i32, i1} %a, 0\n"
    " %y = uitofp i32 %b to double",
    "%a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n %y = uitofp i32 %a to double",
    "%a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %n, i32 1, i32 31)\n %y = uitofp i32 %a to double",
    "%a = getelementptr [64 x i32], ptr addrspace(3) @g, i32 0, i32 %n\n"
    " %l = load atomic i32, ptr addrspace(3) %a monotonic, align 4\n %y = uitofp i32 %l to double",
    "%l = load volatile i64, ptr addrspace(1) %p, align 4\n %y = uitofp i64 %l to double",
    "%v = load <4 x float>, ptr addrspace(1) %p\n %e = extractelement <4 x float> %v, i32 2\n"
    " %y = fpext float %e to double",
    "%t = trunc i64 %w to i32\n %v = call i32 @llvm.fshl.i32(i32 %t, i32 %n, i32 5)\n"
    " %m = call i32 @llvm.ctpop.i32(i32 %v)\n %q = sub nsw i32 %m, %n\n %r = ashr exact i32 %q, 3\n"
    " %o = or disjoint i32 %r, 1\n %y = uitofp i32 %o to double",
    "%c = addrspacecast ptr addrspace(1) %p to ptr\n %i = ptrtoint ptr %c to i64\n %fr = freeze i64 %i\n"
    " %y = uitofp i64 %fr to double",
    "%x = load i8, ptr addrspace(1) %p\n %y0 = uitofp i8 %x to double\n"
    " %fm = call contract double @llvm.fma.f64(double %d, double %y0, double -0.0)\n"
    " %mn = call double @llvm.minnum.f64(double %fm, double %d)\n"
    " %y = call double @llvm.copysign.f64(double %mn, double %d)",
    "%x = load i16, ptr addrspace(1) %p\n %s = sext i16 %x to i32\n %k = mul nsw i32 %s, %n\n"
    " %h = bitcast i32 %k to <2 x half>\n %h2 = fadd <2 x half> %h, splat (half 0xH3C01)\n"
    " %b = bitcast <2 x half> %h2 to i32\n %y = uitofp i32 %b to double",
    "%x = load float, ptr addrspace(1) %p\n %m = fmul reassoc nsz arcp contract afn float %x, 0x3FB99999A0000000\n"
    " %y = fpext float %m to double",
};

std::string Ir(const std::string& body) {
  return "target triple = \"nvptx64-nvidia-cuda\"\n@g = addrspace(3) global [64 x i32] undef\n"
         "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n, float %f, double %d, i64 %w) {\n " +
         body +
         "\n %sine = call double @llvm.sin.f64(double %y)\n store double %sine, ptr addrspace(1) %p\n ret void\n}\n";
}

// Returns the lines of llc's graph, each once, with numbers in place of addresses.
std::vector<std::string> DumpLines(const std::string& output) {
  std::vector<std::string> lines;
  std::map<std::string, size_t> numbers;
  std::set<std::string> seen;
  const std::string marker = "Cannot select: ";
  size_t at = output.find(marker);
  if (at == std::string::npos) return lines;
  at += marker.size();
  while (at < output.size() && output.compare(at, 12, "In function:") != 0) {
    const size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    at = end + 1;
    line.erase(0, line.find_first_not_of(' '));
    std::string numbered;
    for (size_t i = 0; i < line.size();) {
      size_t digits = i + 2;
      if (line.compare(i, 2, "0x") == 0) {
        while (digits < line.size() && std::isxdigit(static_cast<unsigned char>(line[digits]))) ++digits;
      }
      if (digits >= i + 10) {
        const std::string address = line.substr(i, digits - i);
        numbered += "t" + std::to_string(numbers.try_emplace(address, numbers.size()).first->second);
        i = digits;
      } else {
        numbered += line[i++];
      }
    }
    numbered =
        std::regex_replace(numbered, std::regex(R"((llvm\.[\w.]+) ((t\d+), )?TargetConstant:i64<\d+>(, )?)"), "$1 $2");
    numbered = std::regex_replace(numbered, std::regex(R"([, ]+$)"), "");
    if (seen.insert(numbered).second) lines.push_back(numbered);
  }
  return lines;
}

// Returns a line without parts that may differ: numbers of nodes, and divergence, of which llc knows nothing here.
std::string Comparable(const std::string& line) {
  std::string text = std::regex_replace(line, std::regex(R"(# D:1 ?)"), "");
  text = std::regex_replace(text, std::regex(R"(, memory \w+)"), "");
  text = std::regex_replace(text, std::regex(R"(\bt\d+)"), "t");
  return std::regex_replace(text, std::regex(R"( +$)"), "");
}

std::set<std::string> ComparableLines(const std::vector<std::string>& lines) {
  std::set<std::string> result;
  for (const std::string& line : lines) result.insert(Comparable(line));
  return result;
}

void Check(const std::string& llc, const std::string& body) {
  const std::string ir = Ir(body);
  const std::string path = testing::TemporaryPath("dump.ll");
  testing::WriteFile(path, ir);
  std::string output;
  testing::RunCommand({llc, "-mcpu=sm_90", path, "-o", "/dev/null"}, output);
  const std::vector<std::string> lines = DumpLines(output);
  ASSERT_FALSE(lines.empty()) << output;

  std::string text = "--- |\n";
  for (size_t at = 0; at < ir.size();) {
    const size_t end = ir.find('\n', at);
    text += "  " + ir.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += "...\n---\nname: k\ndag: |\n  bb.0:\n";
  std::set<std::string> defined, used;
  for (const std::string& line : lines) {
    defined.insert(line.substr(0, line.find(':')));
    const std::regex reference(R"(\bt\d+\b)");
    for (std::sregex_iterator it(line.begin(), line.end(), reference), none; it != none; ++it) used.insert(it->str());
    text += "    " + line + "\n";
  }
  for (const std::string& number : used) {
    if (!defined.contains(number)) text += "    " + number + ": ch,glue = EntryToken\n";
  }
  text +=
      "    t99999: ch = CopyToReg t99998, Register:f64 %9, t0\n    t99998: ch,glue = EntryToken\n    root: t99999\n";
  DagText dag(text);
  ASSERT_TRUE(dag.ok()) << text;
  EXPECT_EQ(VerifyDags(dag.dags()).ToString(), "OK") << text;

  std::string printed;
  PrintDag(dag.dag(), printed);
  std::set<std::string> ours;
  for (size_t at = printed.find('\n') + 1; at < printed.size();) {
    const size_t end = printed.find('\n', at);
    ours.insert(Comparable(printed.substr(at + 2, end - at - 2)));
    at = end + 1;
  }
  for (const std::string& line : ComparableLines(lines)) EXPECT_TRUE(ours.contains(line)) << line << "\n" << printed;
}

TEST(LlcDumpTest, NodesOfLlcAreRead) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "there is no llc-22";
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    Check(llc, body);
  }
}

}  // namespace
}  // namespace ptxmir::sdag
