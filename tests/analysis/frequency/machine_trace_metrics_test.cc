// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_trace_metrics.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/control_flow/machine_loops.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

// The definitions, applied to traces written out as lists of instructions.
namespace reference {

uint32_t Latency(const MachineInstr& instr) {
  const bool is_free = instr.is_meta() || instr.is_phi() || instr.is_copy() || instr.opcode() == generic::kBundle;
  return is_free ? 0 : ptx::MachineModel::Default().CostOf(instr).latency;
}

uint32_t Count(const MachineBasicBlock& block) {
  uint32_t count = 0;
  for (const MachineInstr& instr : block) {
    if (!instr.is_meta() && !instr.is_phi() && !instr.is_copy() && instr.opcode() != generic::kBundle) ++count;
  }
  return count;
}

struct Block {
  const MachineBasicBlock* above = nullptr;
  const MachineBasicBlock* below = nullptr;
  uint32_t depth = 0;   // instructions above it
  uint32_t height = 0;  // instructions in it and below it
};

class Traces {
 public:
  explicit Traces(MachineFunction& function) : analyses_(function), loops_(analyses_.Get<MachineLoops>()) {
    const DepthFirstOrder order(function);
    const auto is_forward = [&](const MachineBasicBlock* from, const MachineBasicBlock* to) {
      return order.IsReached(from->number()) &&
             order.reverse_postorder_number[from->number()] < order.reverse_postorder_number[to->number()];
    };
    blocks_.resize(function.block_number_bound());
    for (MachineBasicBlock& block : function) blocks_[block.number()].height = Count(block);
    for (const MachineBasicBlock* block : order.reverse_postorder) {
      Block& at = blocks_[block->number()];
      if (loops_.IsHeader(*block)) continue;
      for (const MachineBasicBlock* predecessor : block->predecessors()) {
        if (!is_forward(predecessor, block)) continue;
        const uint32_t depth = blocks_[predecessor->number()].depth + Count(*predecessor);
        if (at.above == nullptr || depth < at.depth) at.above = predecessor, at.depth = depth;
      }
    }
    for (auto it = order.reverse_postorder.rbegin(); it != order.reverse_postorder.rend(); ++it) {
      Block& at = blocks_[(*it)->number()];
      uint32_t best = 0;
      for (const MachineBasicBlock* successor : (*it)->successors()) {
        const CycleId loop = loops_.InnermostCycle(**it);
        const bool leaves = loop != CycleForest::kNoCycle && !loops_.Contains(loop, *successor);
        if (leaves || !is_forward(*it, successor)) continue;
        const uint32_t height = blocks_[successor->number()].height;
        if (at.below == nullptr || height < best) at.below = successor, best = height;
      }
      at.height += best;
    }
  }

  const Block& at(const MachineBasicBlock& block) const { return blocks_[block.number()]; }

  std::vector<const MachineBasicBlock*> Trace(const MachineBasicBlock& center) const {
    std::vector<const MachineBasicBlock*> trace;
    for (const MachineBasicBlock* block = &center; block != nullptr; block = at(*block).above) trace.push_back(block);
    std::reverse(trace.begin(), trace.end());
    for (const MachineBasicBlock* block = at(center).below; block != nullptr; block = at(*block).below) {
      trace.push_back(block);
    }
    return trace;
  }

  // Returns the loop header whose PHIs come after the trace, or null.
  const MachineBasicBlock* NextTurn(const MachineBasicBlock& tail) const {
    const CycleId loop = loops_.InnermostCycle(tail);
    if (loop == CycleForest::kNoCycle || !tail.IsSuccessor(loops_.Header(loop))) return nullptr;
    return loops_.Header(loop);
  }

 private:
  AnalysisManager analyses_;
  const MachineLoops& loops_;
  std::vector<Block> blocks_;
};

struct Node {
  const MachineInstr* instr;
  int place;  // position of its block: negative above the center, 0 in it
  uint32_t depth = 0;
  uint32_t height = 0;
  std::vector<size_t> waits_for;
};

struct TraceCycles {
  std::map<const MachineInstr*, std::pair<uint32_t, uint32_t>> of_center;  // depth and height
  uint32_t critical_path = 0;
};

TraceCycles Compute(const Traces& traces, const MachineBasicBlock& center) {
  std::vector<Node> nodes;
  std::map<uint32_t, size_t> last_definition;  // by register
  const std::vector<const MachineBasicBlock*> trace = traces.Trace(center);
  const int above = static_cast<int>(std::find(trace.begin(), trace.end(), &center) - trace.begin());
  const auto add_phis = [&](const MachineBasicBlock& block, const MachineBasicBlock& from, int place) {
    const std::map<uint32_t, size_t> at_end = last_definition;
    for (const MachineInstr& phi : block) {
      if (!phi.is_phi()) break;
      Node node{.instr = &phi, .place = place, .waits_for = {}};
      for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) {
        if (phi.operand(i + 1).block() != from.number() || phi.operand(i).is_undef()) continue;
        const auto definition = at_end.find(phi.operand(i).reg().bits());
        if (definition != at_end.end()) node.waits_for.push_back(definition->second);
        break;
      }
      last_definition[phi.operand(0).reg().bits()] = nodes.size();
      nodes.push_back(node);
    }
  };
  for (size_t i = 0; i < trace.size(); ++i) {
    const int place = static_cast<int>(i) - above;
    if (i > 0) add_phis(*trace[i], *trace[i - 1], place);
    for (const MachineInstr& instr : *trace[i]) {
      if ((instr.is_phi() && i > 0) || instr.is_debug() || instr.opcode() == generic::kBundle) continue;
      Node node{.instr = &instr, .place = place, .waits_for = {}};
      for (const MachineOperand& operand : instr.operands()) {
        if (instr.is_phi() || !operand.is_use() || operand.is_undef() || !operand.reg().is_valid()) continue;
        const auto definition = last_definition.find(operand.reg().bits());
        if (definition != last_definition.end()) node.waits_for.push_back(definition->second);
      }
      for (const MachineOperand& operand : instr.operands()) {
        if (operand.is_def() && operand.reg().is_valid()) last_definition[operand.reg().bits()] = nodes.size();
      }
      nodes.push_back(node);
    }
  }
  if (const MachineBasicBlock* header = traces.NextTurn(*trace.back())) {
    add_phis(*header, *trace.back(), static_cast<int>(trace.size()) - above);
  }
  for (Node& node : nodes) {
    for (const size_t i : node.waits_for) {
      node.depth = std::max(node.depth, nodes[i].depth + Latency(*nodes[i].instr));
    }
  }
  for (size_t user = nodes.size(); user-- > 0;) {
    for (const size_t i : nodes[user].waits_for) {
      nodes[i].height = std::max(nodes[i].height, nodes[user].height + Latency(*nodes[i].instr));
    }
  }
  TraceCycles cycles;
  for (const Node& node : nodes) {
    if (node.place == 0) {
      cycles.of_center[node.instr] = {node.depth, node.height};
      cycles.critical_path = std::max(cycles.critical_path, node.depth + node.height);
    }
    if (node.place <= 0) continue;
    for (const size_t i : node.waits_for) {
      if (nodes[i].place >= 0) continue;
      const uint32_t length = nodes[i].depth + Latency(*nodes[i].instr) + node.height;
      cycles.critical_path = std::max(cycles.critical_path, length);
    }
  }
  return cycles;
}

}  // namespace reference

// Compares blocks with the reference: all blocks or, in large functions, about `max_blocks`.
void ExpectAsReference(MachineFunction& function, TraceEnsemble& ensemble, const std::string& where,
                       size_t max_blocks = 60) {
  const reference::Traces expected(function);
  const size_t step = 1 + function.num_blocks() / max_blocks;
  size_t i = 0;
  for (const MachineBasicBlock& block : function) {
    const std::string at = StrCat(where, ", %bb.", block.number());
    const reference::Block& should_be = expected.at(block);
    ASSERT_EQ(ensemble.InstrCount(block), reference::Count(block)) << at;
    ASSERT_EQ(ensemble.TracePredecessor(block), should_be.above) << at;
    ASSERT_EQ(ensemble.TraceSuccessor(block), should_be.below) << at;
    ASSERT_EQ(ensemble.InstrDepth(block), should_be.depth) << at;
    ASSERT_EQ(ensemble.InstrHeight(block), should_be.height) << at;
    if (i++ % step != 0) continue;
    const std::vector<const MachineBasicBlock*> trace = expected.Trace(block);
    ASSERT_EQ(&ensemble.Head(block), trace.front()) << at;
    ASSERT_EQ(&ensemble.Tail(block), trace.back()) << at;
    const std::vector<MachineBasicBlock*> blocks = ensemble.Blocks(block);
    ASSERT_TRUE(std::equal(blocks.begin(), blocks.end(), trace.begin(), trace.end())) << at;
    for (const MachineBasicBlock& other : function) {
      const bool is_on_trace = std::find(trace.begin(), trace.end(), &other) != trace.end();
      ASSERT_EQ(ensemble.IsOnTrace(other, block), is_on_trace) << at << ", %bb." << other.number();
    }
    TraceResources depth{}, length{};
    bool is_above = true;
    for (const MachineBasicBlock* on_trace : trace) {
      is_above &= on_trace != &block;
      for (const MachineInstr& instr : *on_trace) {
        if (instr.is_meta() || reference::Latency(instr) == 0) continue;
        const ptx::LatencyClass latency_class = ptx::LatencyClassOf(instr);
        const uint32_t issue = ptx::MachineModel::Default().CostOf(latency_class).issue;
        length[static_cast<size_t>(latency_class)] += issue;
        if (is_above) depth[static_cast<size_t>(latency_class)] += issue;
      }
    }
    ASSERT_EQ(ensemble.ResourceDepth(block, false),
              std::max(should_be.depth, *std::max_element(depth.begin(), depth.end())))
        << at;
    ASSERT_EQ(ensemble.ResourceLength(block),
              std::max(should_be.depth + should_be.height, *std::max_element(length.begin(), length.end())))
        << at;
    const reference::TraceCycles cycles = reference::Compute(expected, block);
    ASSERT_EQ(ensemble.CriticalPath(block), cycles.critical_path) << at;
    size_t position = 0;
    for (const MachineInstr& instr : block) {
      ++position;
      const auto it = cycles.of_center.find(&instr);
      if (it == cycles.of_center.end()) continue;
      const TraceEnsemble::InstrCycles is = ensemble.Cycles(instr);
      ASSERT_EQ(is.depth, it->second.first) << at << ", instruction " << position;
      ASSERT_EQ(is.height, it->second.second) << at << ", instruction " << position;
      ASSERT_EQ(ensemble.Slack(instr), cycles.critical_path - is.depth - is.height) << at;
    }
  }
}

TEST(MachineTraceMetricsTest, DiamondByHand) {
  // The path through %bb.2 has one instruction less. Latencies: ld of parameters 8, integer additions and moves 4,
  // compare 6, copies 0.
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1, %bb.2
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b32 = ADD32ri %0, 1
    %2:b1 = SETP_i32ri %0, 10, 1
    DBG_VALUE %1, $noreg
    CBranch %2, %bb.2

  bb.1:
    successors: %bb.3
    %3:b32 = ADD32ri %1, 2
    %4:b32 = ADD32ri %3, 3
    GOTO %bb.3

  bb.2:
    successors: %bb.3
    %5:b32 = COPY %1
    %6:b32 = ADD32ri %5, 4

  bb.3:
    %7:b32 = PHI %4, %bb.1, %6, %bb.2
    %8:b32 = ADD32rr %7, %1
    %9:b32 = ADD32rr %8, %0
    Return
)");
  AnalysisManager analyses(OnlyFunction(*module));
  std::string text;
  analyses.Get<MachineTraceMetrics>().Print(text);
  EXPECT_EQ(text, R"(MinInstr ensemble:
  %bb.0	depth=0 pred=null head=%bb.0 +instrs, height=8 succ=%bb.2 tail=%bb.3 +instrs, crit=20
  %bb.1	depth=4 pred=%bb.0 head=%bb.0 +instrs, height=6 succ=%bb.3 tail=%bb.3 +instrs, crit=24
  %bb.2	depth=4 pred=%bb.0 head=%bb.0 +instrs, height=4 succ=%bb.3 tail=%bb.3 +instrs, crit=20
  %bb.3	depth=5 pred=%bb.2 head=%bb.0 +instrs, height=3 succ=null tail=%bb.3 +instrs, crit=20
%bb.0: 4 instrs, resources alu=2 compare=2 ld_const=2 branch=4, of the trace 8
  depth	height	slack
  0	20	0	%0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
  8	12	0	%1:b32 = ADD32ri %0:b32, 1
  8	6	6	%2:b1 = SETP_i32ri %0:b32, 10, 1
  14	0	6	CBranch %2:b1, %bb.2
%bb.1: 3 instrs, resources alu=4 branch=4, of the trace 12
  depth	height	slack
  12	12	0	%3:b32 = ADD32ri %1:b32, 2
  16	8	0	%4:b32 = ADD32ri %3:b32, 3
  0	0	24	GOTO %bb.3
%bb.2: 1 instrs, resources alu=2, of the trace 8
  depth	height	slack
  12	8	0	%5:b32 = COPY %1:b32
  12	8	0	%6:b32 = ADD32ri %5:b32, 4
%bb.3: 3 instrs, resources alu=4 branch=4, of the trace 8
  depth	height	slack
  16	4	0	%7:b32 = PHI %4:b32, %bb.1, %6:b32, %bb.2
  16	4	0	%8:b32 = ADD32rr %7:b32, %1:b32
  20	0	0	%9:b32 = ADD32rr %8:b32, %0:b32
  0	0	20	Return
)");
}

TEST(MachineTraceMetricsTest, LoopByHand) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b32 = ADD32ri %0, 1

  bb.1:
    successors: %bb.2, %bb.3
    %2:b32 = PHI %1, %bb.0, %5, %bb.2
    %3:b32 = ADD32rr %2, %0
    %4:b1 = SETP_i32ri %3, 10, 1
    CBranch %4, %bb.3

  bb.2:
    successors: %bb.1
    %5:b32 = ADD32ri %3, 3
    GOTO %bb.1

  bb.3:
    %6:b32 = ADD32ri %3, 5
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  TraceEnsemble& ensemble = analyses.Get<MachineTraceMetrics>().ensemble();
  const MachineBasicBlock &entry = *function.block(0), &header = *function.block(1), &latch = *function.block(2),
                          &exit = *function.block(3);
  // The trace extends down into the loop, but neither up out of it nor down out of it.
  EXPECT_EQ(ensemble.TraceSuccessor(entry), &header);
  EXPECT_EQ(ensemble.TracePredecessor(header), nullptr);
  EXPECT_EQ(ensemble.TraceSuccessor(header), &latch);
  EXPECT_EQ(ensemble.TraceSuccessor(latch), nullptr);
  EXPECT_EQ(ensemble.TracePredecessor(exit), &header);
  EXPECT_EQ(&ensemble.Head(exit), &header);
  EXPECT_EQ(&ensemble.Tail(entry), &latch);
  // %2 0, %3 0 to 4, %5 4 to 8, where the PHI of the next iteration waits for it. The branch waits for %4, from 4
  // to 10.
  const MachineInstr& add = *header.front()->next();
  EXPECT_EQ(ensemble.Cycles(add), (TraceEnsemble::InstrCycles{0, 10}));
  EXPECT_EQ(ensemble.Cycles(*latch.front()), (TraceEnsemble::InstrCycles{4, 4}));
  EXPECT_EQ(ensemble.CriticalPath(latch), 8u);
  EXPECT_EQ(ensemble.CriticalPath(header), 10u);
  EXPECT_EQ(ensemble.Slack(add), 0u);
  // From the entry: %0 8, %1 4, %3 4, %4 6.
  EXPECT_EQ(ensemble.CriticalPath(entry), 22u);
  EXPECT_EQ(ensemble.PhiDepth(*header.front(), latch), 8u);
  EXPECT_EQ(ensemble.PhiDepth(*header.front(), entry), 12u);
  EXPECT_TRUE(ensemble.IsOnTrace(latch, entry));
  EXPECT_FALSE(ensemble.IsOnTrace(entry, latch));
}

TEST(MachineTraceMetricsTest, Resources) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b32 = ADD32ri %0, 1
    %2:b32 = ADD32ri %0, 2
    %3:b32 = COPY %2

  bb.1:
    %4:b32 = ADD32ri %0, 3
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  TraceEnsemble& ensemble = analyses.Get<MachineTraceMetrics>().ensemble();
  const MachineBasicBlock &entry = *function.block(0), &exit = *function.block(1);
  EXPECT_EQ(ensemble.InstrCount(entry), 3u);
  // An addition keeps its unit busy for 2 cycles.
  EXPECT_EQ(ensemble.Resources(entry)[static_cast<size_t>(ptx::LatencyClass::kAlu)], 4u);
  EXPECT_EQ(ensemble.ResourceDepth(entry, false), 0u);
  EXPECT_EQ(ensemble.ResourceDepth(entry, true), 4u);
  EXPECT_EQ(ensemble.ResourceDepth(exit, false), 4u);
  EXPECT_EQ(ensemble.ResourceDepth(exit, true), 6u);
  EXPECT_EQ(ensemble.ResourceLength(entry), 6u);
  EXPECT_EQ(ensemble.ResourceLength(entry, {&exit}), 8u);
  EXPECT_EQ(ensemble.ResourceLength(entry, {}, {exit.front(), exit.front()}), 10u);
  EXPECT_EQ(ensemble.ResourceLength(entry, {}, {}, {exit.front()}), 4u);
  // Removing a copy changes nothing.
  EXPECT_EQ(ensemble.ResourceLength(entry, {}, {}, {entry.back()}), 6u);
  EXPECT_FALSE(ensemble.HasCalls(entry));
}

TEST(MachineTraceMetricsTest, WithoutSsaForm) {
  // The last definition on the trace counts. %bb.1 is not on the trace of %bb.2, which writes %1 last.
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1, %bb.2
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b32 = ADD32ri %0, 1
    %2:b1 = SETP_i32ri %0, 10, 1
    CBranch %2, %bb.2

  bb.1:
    successors: %bb.2
    %1:b32 = ADD32ri %1, 2
    %1:b32 = ADD32ri %1, 3

  bb.2:
    %3:b32 = ADD32ri %1, 5
    %1:b32 = ADD32ri %1, 6
    %1:b32 = ADD32ri undef %1, 7
    Return implicit %1
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  TraceEnsemble& ensemble = analyses.Get<MachineTraceMetrics>().ensemble();
  const MachineInstr* instr = function.block(2)->front();
  EXPECT_EQ(ensemble.Cycles(*instr), (TraceEnsemble::InstrCycles{12, 0}));
  EXPECT_EQ(ensemble.Cycles(*(instr = instr->next())), (TraceEnsemble::InstrCycles{12, 0}));
  EXPECT_EQ(ensemble.Cycles(*(instr = instr->next())), (TraceEnsemble::InstrCycles{0, 4}));
  EXPECT_EQ(ensemble.Cycles(*function.block(1)->back()), (TraceEnsemble::InstrCycles{16, 4}));
  EXPECT_EQ(ensemble.CriticalPath(*function.block(1)), 20u);
  EXPECT_EQ(ensemble.CriticalPath(*function.block(2)), 12u);
}

TEST(MachineTraceMetricsTest, GeneratedFunctions) {
  const auto check = [](MachineFunction& function, const std::string& where) {
    AnalysisManager analyses(function);
    ExpectAsReference(function, analyses.Get<MachineTraceMetrics>().ensemble(), where);
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 150, check);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kPressure, 1, 4, check);
}

TEST(MachineTraceMetricsTest, GeneratedFunctionsOfExtremeShapes) {
  for (const fuzz::FuzzShape shape : {fuzz::FuzzShape::kSwitch, fuzz::FuzzShape::kNest, fuzz::FuzzShape::kLive}) {
    testing::ForEachGeneratedFunction(shape, 1, 1, [](MachineFunction& function, const std::string& where) {
      AnalysisManager analyses(function);
      ExpectAsReference(function, analyses.Get<MachineTraceMetrics>().ensemble(), where, 6);
    });
  }
}

// Fills the blocks of a graph with instructions that read and write a few registers, and edits them.
class Scribe {
 public:
  Scribe(MachineFunction& function, std::mt19937& random) : function_(function), random_(random) {
    for (MachineBasicBlock& block : function) blocks_.push_back(&block);
    for (const char* name : {"ADD32rr", "SETP_i32rr", "LD_i32", "Return", "CALL_UNI"}) {
      if (const auto opcode = function.target().find_opcode(name)) opcodes_.push_back(*opcode);
    }
    opcodes_.insert(opcodes_.end(), {generic::kCopy, generic::kImplicitDef, generic::kKill, generic::kInlineAsm,
                                     generic::kDbgValue, generic::kBundle});
    for (int i = 0; i < 6; ++i) registers_.push_back(function.reg_info().CreateVirtualRegister(0));
    registers_.push_back(Register::Physical(1));
    registers_.push_back(Register());
    for (MachineBasicBlock* block : blocks_) {
      for (size_t i = Below(5); i > 0; --i) Insert(*block);
      for (size_t i = Below(3); i > 0 && !block->predecessors().empty(); --i) InsertPhi(*block);
    }
  }

  // Edits the function and returns the affected blocks.
  std::vector<MachineBasicBlock*> Edit() { return Edit(AnyBlock()); }
  std::vector<MachineBasicBlock*> Edit(MachineBasicBlock& block) {
    MachineInstr* instr = block.front();
    for (size_t i = block.empty() ? 0 : Below(block.CountInstrs()); i > 0; --i) instr = instr->next();
    switch (Below(5)) {
      case 0:
        if (instr != nullptr) instr->EraseFromParent();
        break;
      case 1:
        if (instr != nullptr && !instr->is_phi()) {
          MachineBasicBlock& to = AnyBlock();
          instr->RemoveFromParent();
          to.Append(instr);
          return {&block, &to};
        }
        break;
      case 2:
        if (instr != nullptr && instr->num_operands() > 0 && instr->operand(0).is_reg())
          instr->operand(0).SetReg(AnyVirtual());
        break;
      case 3:
        if (!block.predecessors().empty()) InsertPhi(block);
        break;
      default:
        Insert(block);
    }
    return {&block};
  }

  MachineBasicBlock& AnyBlock() { return *blocks_[Below(blocks_.size())]; }
  size_t Below(size_t bound) { return random_() % bound; }

 private:
  Register AnyRegister() { return registers_[Below(registers_.size())]; }
  uint16_t AnyUseFlag() { return Below(5) == 0 ? uint16_t{MachineOperand::kUndef} : uint16_t{0}; }
  Register AnyVirtual() { return registers_[Below(6)]; }
  void Insert(MachineBasicBlock& block) {
    const Opcode opcode = opcodes_[Below(opcodes_.size())];
    MachineInstrBuilder builder = BuildMI(block, nullptr, opcode);
    if (opcode != generic::kDbgValue) {
      for (size_t i = Below(3); i > 0; --i) builder.AddDef(AnyRegister());
    }
    for (size_t i = Below(4); i > 0; --i) {
      builder.AddUse(AnyRegister(), AnyUseFlag());
    }
    builder.Insert();
  }
  void InsertPhi(MachineBasicBlock& block) {
    MachineInstrBuilder builder = BuildMI(block, block.front(), generic::kPhi);
    builder.AddDef(AnyVirtual());
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      builder.AddUse(AnyVirtual(), AnyUseFlag()).AddBlock(*predecessor);
    }
    builder.Insert();
  }

  MachineFunction& function_;
  std::mt19937& random_;
  std::vector<MachineBasicBlock*> blocks_;
  std::vector<Opcode> opcodes_;
  std::vector<Register> registers_;
};

TEST(MachineTraceMetricsTest, RandomGraphsAndEdits) {
  std::mt19937 random(1);
  for (int i = 0; i < 1500; ++i) {
    const auto function = testing::MakeRandomGraph(random, i % 3 == 0 ? 40 : 10);
    Scribe scribe(*function, random);
    AnalysisManager analyses(*function);
    MachineTraceMetrics& metrics = analyses.Get<MachineTraceMetrics>();
    ExpectAsReference(*function, metrics.ensemble(), StrCat("graph ", i));
    if (HasFailure()) return;
    for (int edit = 0; edit < 20; ++edit) {
      for (MachineBasicBlock* block : scribe.Edit()) metrics.Invalidate(*block);
      // Query in between, so that parts are known when the next edit comes.
      for (size_t questions = scribe.Below(4); questions > 0; --questions) {
        metrics.ensemble().CriticalPath(scribe.AnyBlock());
        metrics.ensemble().ResourceDepth(scribe.AnyBlock(), true);
      }
      if (edit % 4 != 3) continue;
      AnalysisManager fresh(*function);
      ASSERT_EQ(metrics.DifferenceFrom(fresh.Get<MachineTraceMetrics>()), "") << "graph " << i << ", edit " << edit;
    }
    ExpectAsReference(*function, metrics.ensemble(), StrCat("graph ", i, ", edited"));
    if (HasFailure()) return;
  }
}

// So many edges that PHIs are found through an index.
TEST(MachineTraceMetricsTest, EditsWhereManyBlocksMeet) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  constexpr uint32_t kJoin = 41, kHeader = 42, kEnd = 83;
  for (uint32_t i = 1; i < kJoin; ++i) edges.insert(edges.end(), {{0, i}, {i, kJoin}});
  edges.emplace_back(kJoin, kHeader);
  for (uint32_t i = kHeader + 1; i < kEnd; ++i) edges.insert(edges.end(), {{kHeader, i}, {i, kHeader}});
  edges.emplace_back(kHeader, kEnd);
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    const auto function = testing::MakeGraph(kEnd + 1, edges);
    Scribe scribe(*function, random);
    AnalysisManager analyses(*function);
    MachineTraceMetrics& metrics = analyses.Get<MachineTraceMetrics>();
    for (int edit = 0; edit < 150; ++edit) {
      for (MachineBasicBlock* block : scribe.Edit(*function->block(edit % 2 == 0 ? kJoin : kHeader))) {
        metrics.Invalidate(*block);
      }
      AnalysisManager fresh(*function);
      ASSERT_EQ(metrics.DifferenceFrom(fresh.Get<MachineTraceMetrics>()), "") << "function " << i << ", edit " << edit;
    }
    ExpectAsReference(*function, metrics.ensemble(), StrCat("function ", i), 100);
    if (HasFailure()) return;
  }
}

TEST(MachineTraceMetricsTest, DifferenceIsSeen) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b32 = ADD32ri %0, 1
    %2:b32 = ADD32ri %1, 2
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function), fresh(function);
  MachineTraceMetrics& metrics = analyses.Get<MachineTraceMetrics>();
  EXPECT_EQ(metrics.ensemble().CriticalPath(*function.front()), 4u);
  function.front()->front()->next()->EraseFromParent();
  EXPECT_EQ(metrics.DifferenceFrom(fresh.Get<MachineTraceMetrics>()), "the number of instructions of %bb.0 differs");
  metrics.Invalidate(*function.front());
  EXPECT_EQ(metrics.DifferenceFrom(fresh.Get<MachineTraceMetrics>()), "");
  EXPECT_EQ(metrics.ensemble().CriticalPath(*function.front()), 0u);
}

TEST(MachineTraceMetricsTest, LongChain) {
  constexpr uint32_t kBlocks = 200000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i + 1 < kBlocks; ++i) edges.emplace_back(i, i + 1);
  const auto function = testing::MakeGraph(kBlocks, edges);
  const Opcode add = *function->target().find_opcode("ADD32ri");
  const Register reg = function->reg_info().CreateVirtualRegister(0);
  BuildMI(*function->front(), nullptr, generic::kImplicitDef).AddDef(reg).Insert();
  const Register sum = function->reg_info().CreateVirtualRegister(0);
  BuildMI(*function->front(), nullptr, add).AddDef(sum).AddUse(reg).AddImm(1).Insert();
  BuildMI(*function->back(), nullptr, add).AddDef(reg).AddUse(sum).AddImm(1).Insert();
  AnalysisManager analyses(*function);
  TraceEnsemble& ensemble = analyses.Get<MachineTraceMetrics>().ensemble();
  for (const MachineBasicBlock& block : *function) ASSERT_EQ(ensemble.CriticalPath(block), 4u);
  EXPECT_TRUE(ensemble.IsOnTrace(*function->back(), *function->front()));
}

}  // namespace
}  // namespace ptxmir
