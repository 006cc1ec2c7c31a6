// SPDX-License-Identifier: Apache-2.0

// Random edits of random graphs. After each edit, lists and tables are in order, no two equal nodes exist, and a
// plain evaluation shows that the kept values are right.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/split_mix64.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {
namespace {

constexpr unsigned kLiveIns = 6;
constexpr int16_t kOpcodes[] = {isd::kAdd, isd::kSub, isd::kMul, isd::kXor, isd::kAnd, isd::kOr};

uint32_t Apply(int16_t opcode, uint32_t a, uint32_t b) {
  switch (opcode) {
    case isd::kAdd:
      return a + b;
    case isd::kSub:
      return a - b;
    case isd::kMul:
      return a * b;
    case isd::kXor:
      return a ^ b;
    case isd::kAnd:
      return a & b;
    default:
      return a | b;
  }
}

class RandomEdits {
 public:
  explicit RandomEdits(uint64_t seed)
      : random_(seed), machine_(nullptr, ptx::PtxTargetInfo(), "f", 0), function_(machine_) {
    MachineBasicBlock* block = machine_.CreateBlock();
    machine_.InsertBlock(nullptr, block);
    dag_ = &function_.dag(*block);
    for (uint32_t& value : live_in_values_) value = static_cast<uint32_t>(random_.Next());
  }

  void Run() {
    for (int round = 0; round < 30; ++round) {
      Grow();
      const std::vector<uint32_t> before = Kept();
      Edit();
      ASSERT_EQ(dag_->CheckInvariants(), "");
      ASSERT_EQ(Kept(), expected_.empty() ? before : expected_);
      expected_.clear();
      ASSERT_GE(dag_->AssignTopologicalOrder(), 0);
    }
  }

 private:
  size_t Pick(size_t bound) { return random_.Next() % bound; }
  SDValue LiveIn(unsigned i) { return dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Virtual(i), MVT::kI32); }

  std::vector<SDNode*> Operations() {
    std::vector<SDNode*> nodes;
    for (SDNode& node : *dag_) {
      if ((node.properties() & NodeProperty::kBinary) != 0) nodes.push_back(&node);
    }
    return nodes;
  }
  SDValue AnyValue() {
    const std::vector<SDNode*> nodes = Operations();
    const size_t i = Pick(nodes.size() + kLiveIns + 3);
    if (i < nodes.size()) return {nodes[i], 0};
    if (i < nodes.size() + kLiveIns) return LiveIn(static_cast<unsigned>(i - nodes.size()));
    return dag_->GetConstant(Pick(4), MVT::kI32);
  }

  void Grow() {
    for (int i = 0; i < 12; ++i) {
      const SDValue a = AnyValue(), b = AnyValue();
      const SDValue value = dag_->GetNode(kOpcodes[Pick(std::size(kOpcodes))], {}, MVT::kI32, {a, b});
      if (Pick(3) != 0) continue;
      dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), Register::Virtual(100), value));
    }
  }

  void Edit() {
    switch (Pick(5)) {
      case 0: {
        // A live-in is replaced with another one. The kept values must be those for two equal live-ins.
        const unsigned from = static_cast<unsigned>(Pick(kLiveIns)), to = static_cast<unsigned>(Pick(kLiveIns));
        const SDValue old_value = LiveIn(from), new_value = LiveIn(to);
        const uint32_t kept = live_in_values_[from];
        live_in_values_[from] = live_in_values_[to];
        expected_ = Kept();
        live_in_values_[from] = kept;
        dag_->ReplaceAllUsesOfValueWith(old_value, new_value);
        break;
      }
      case 1: {
        // Two live-ins are exchanged.
        const SDValue values[] = {LiveIn(0), LiveIn(1)}, others[] = {LiveIn(1), LiveIn(0)};
        std::swap(live_in_values_[0], live_in_values_[1]);
        expected_ = Kept();
        std::swap(live_in_values_[0], live_in_values_[1]);
        dag_->ReplaceAllUsesOfValuesWith(values, others);
        break;
      }
      case 2: {
        // x op y becomes y op x for commutative operations.
        const std::vector<SDNode*> nodes = Operations();
        if (nodes.empty()) break;
        SDNode* node = nodes[Pick(nodes.size())];
        if ((node->properties() & NodeProperty::kCommutative) == 0) break;
        SDNode* swapped = dag_->UpdateNodeOperands(node, {node->operand(1), node->operand(0)});
        if (swapped != node) dag_->ReplaceAllUsesWith(node, swapped);
        break;
      }
      case 3: {
        // x - y becomes x + y * -1, in place if there is room.
        for (SDNode* node : Operations()) {
          if (node->opcode() != isd::kSub) continue;
          const SDValue negated =
              dag_->GetNode(isd::kMul, {}, MVT::kI32, {node->operand(1), dag_->GetAllOnesConstant(MVT::kI32)});
          const MVT type = MVT::kI32;
          const SDValue operands[] = {node->operand(0), negated};
          dag_->MorphNodeTo(node, isd::kAdd, absl::MakeConstSpan(&type, 1), operands);
          break;
        }
        break;
      }
      default:
        dag_->RemoveDeadNodes();
        break;
    }
  }

  // Returns the values that the chain of CopyToReg nodes keeps.
  std::vector<uint32_t> Kept() {
    const std::vector<SDNode*> order = dag_->TopologicalOrder();
    absl::flat_hash_map<const SDNode*, uint32_t> values;
    std::vector<uint32_t> kept;
    for (const SDNode* node : order) {
      if (const auto* constant = DynCast<ConstantSDNode>(node)) {
        values[node] = static_cast<uint32_t>(constant->ZExtValue());
      } else if (node->opcode() == isd::kCopyFromReg) {
        values[node] = live_in_values_[DynCast<RegisterSDNode>(node->operand(1))->reg().virtual_index()];
      } else if ((node->properties() & NodeProperty::kBinary) != 0) {
        values[node] = Apply(node->opcode(), values[node->operand(0).node()], values[node->operand(1).node()]);
      }
    }
    for (SDValue chain = dag_->root(); chain.opcode() == isd::kCopyToReg; chain = chain.operand(0)) {
      kept.push_back(values[chain.operand(2).node()]);
    }
    return kept;
  }

  SplitMix64 random_;
  MachineFunction machine_;
  DagFunction function_;
  SelectionDAG* dag_ = nullptr;
  uint32_t live_in_values_[kLiveIns];
  std::vector<uint32_t> expected_;
};

TEST(SelectionDagRandomTest, EditsKeepWhatIsMeant) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomEdits(seed).Run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ptxmir::sdag
