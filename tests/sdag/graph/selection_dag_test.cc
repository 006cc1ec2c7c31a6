// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/selection_dag.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "sdag/graph/part_types.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

class SelectionDagTest : public testing::Test {
 protected:
  SelectionDagTest() : machine_(nullptr, ptx::PtxTargetInfo(), "f", 0), function_(machine_) {
    block_ = machine_.CreateBlock();
    machine_.InsertBlock(nullptr, block_);
    dag_ = &function_.dag(*block_);
  }
  ~SelectionDagTest() override { EXPECT_EQ(dag_->CheckInvariants(), ""); }

  SDValue Live(unsigned i, MVT type = MVT::kI32) {
    return dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Virtual(i), type);
  }
  SDValue Binary(int16_t opcode, SDValue a, SDValue b) { return dag_->GetNode(opcode, {}, a.type(), {a, b}); }
  // Uses a value so that it is alive.
  void Keep(SDValue value) {
    dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), Register::Virtual(100 + kept_++), value));
  }

  MachineFunction machine_;
  DagFunction function_;
  MachineBasicBlock* block_;
  SelectionDAG* dag_;
  unsigned kept_ = 0;
};

TEST_F(SelectionDagTest, EqualNodesAreOne) {
  const SDValue a = Live(0), b = Live(1);
  EXPECT_EQ(Binary(isd::kAdd, a, b), Binary(isd::kAdd, a, b));
  EXPECT_NE(Binary(isd::kAdd, a, b), Binary(isd::kAdd, b, a));
  EXPECT_NE(Binary(isd::kAdd, a, b), Binary(isd::kSub, a, b));
  EXPECT_EQ(dag_->GetConstant(7, MVT::kI32), dag_->GetConstant(7, MVT::kI32));
  EXPECT_NE(dag_->GetConstant(7, MVT::kI32), dag_->GetConstant(7, MVT::kI64));
  EXPECT_NE(dag_->GetConstant(7, MVT::kI32), dag_->GetTargetConstant(7, MVT::kI32));
  EXPECT_NE(dag_->GetConstantFP(0x8000, MVT::kF16), dag_->GetConstantFP(0, MVT::kF16));
  EXPECT_EQ(dag_->GetExternalSymbol("x", MVT::kI64), dag_->GetExternalSymbol("x", MVT::kI64));
}

TEST_F(SelectionDagTest, FlagsOfEqualNodesAreWhatBothSay) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = dag_->GetNode(isd::kAdd, {.order = 9}, MVT::kI32, {a, b},
                                    SDNodeFlags::kNoSignedWrap | SDNodeFlags::kNoUnsignedWrap);
  EXPECT_EQ(dag_->GetNode(isd::kAdd, {.order = 4}, MVT::kI32, {a, b}, SDNodeFlags::kNoSignedWrap), sum);
  EXPECT_EQ(sum->flags(), SDNodeFlags::kNoSignedWrap);
  EXPECT_EQ(sum->ir_order(), 4u);
}

TEST_F(SelectionDagTest, NodesWithGlueOrEffectsAreSeveral) {
  const SDValue a = Live(0);
  EXPECT_NE(dag_->GetNode(isd::kAddC, {}, {MVT::kI32, MVT::kGlue}, {a, a}),
            dag_->GetNode(isd::kAddC, {}, {MVT::kI32, MVT::kGlue}, {a, a}));
  const MVT types[] = {MVT::kI32, MVT::kOther};
  const SDValue operands[] = {dag_->EntryToken(), a};
  EXPECT_NE(dag_->GetIntrinsic(isd::kIntrinsicWChain, "llvm.nvvm.x", {}, types, operands),
            dag_->GetIntrinsic(isd::kIntrinsicWChain, "llvm.nvvm.x", {}, types, operands));
  EXPECT_EQ(dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.x", {}, absl::MakeConstSpan(types, 1), {a}),
            dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.x", {}, absl::MakeConstSpan(types, 1), {a}));
  EXPECT_NE(dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.x", {}, absl::MakeConstSpan(types, 1), {a}),
            dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.y", {}, absl::MakeConstSpan(types, 1), {a}));
}

TEST_F(SelectionDagTest, LoadsAreEqualUnlessVolatile) {
  const SDValue p = Live(0, MVT::kI64);
  MachineMemOperand memory;
  memory.flags = MachineMemOperand::kLoad;
  const auto* first = machine_.CreateMemOperand(memory);
  const auto* second = machine_.CreateMemOperand(memory);
  const SDValue load = dag_->GetLoad({}, MVT::kI32, dag_->EntryToken(), p, first);
  EXPECT_EQ(dag_->GetLoad({}, MVT::kI32, dag_->EntryToken(), p, second), load);
  EXPECT_NE(dag_->GetExtLoad(LoadExt::kZero, {}, MVT::kI32, dag_->EntryToken(), p, MVT::kI8, first), load);
  EXPECT_NE(dag_->GetExtLoad(LoadExt::kZero, {}, MVT::kI32, dag_->EntryToken(), p, MVT::kI8, first),
            dag_->GetExtLoad(LoadExt::kSign, {}, MVT::kI32, dag_->EntryToken(), p, MVT::kI8, first));
  memory.flags |= MachineMemOperand::kVolatile;
  const auto* is_volatile = machine_.CreateMemOperand(memory);
  EXPECT_NE(dag_->GetLoad({}, MVT::kI32, dag_->EntryToken(), p, is_volatile),
            dag_->GetLoad({}, MVT::kI32, dag_->EntryToken(), p, is_volatile));
}

TEST_F(SelectionDagTest, ConstantsOfEveryWidth) {
  const auto constant = [&](absl::int128 value, MVT type) {
    return DynCast<ConstantSDNode>(dag_->GetConstant(static_cast<absl::uint128>(value), type));
  };
  EXPECT_EQ(constant(-1, MVT::kI1)->ZExtValue(), 1u);
  EXPECT_EQ(constant(-1, MVT::kI1)->SExtValue(), -1);
  EXPECT_EQ(constant(-5, MVT::kI32)->ZExtValue(), 0xfffffffbu);
  EXPECT_EQ(constant(-5, MVT::kI32)->SExtValue(), -5);
  EXPECT_EQ(constant(-5, MVT::kI128)->SExtValue128(), -5);
  EXPECT_TRUE(constant(absl::int128(1) << 100, MVT::kI64)->IsZero());
  EXPECT_FALSE(constant(absl::int128(1) << 100, MVT::kI128)->IsZero());
  EXPECT_TRUE(constant(-1, MVT::kI128)->IsAllOnes());
}

TEST_F(SelectionDagTest, ReplacingMergesUpwards) {
  const SDValue a = Live(0), b = Live(1), c = Live(2);
  SDValue left = Binary(isd::kAdd, a, c), right = Binary(isd::kAdd, b, c);
  for (int i = 0; i < 5; ++i) {
    left = Binary(isd::kXor, left, c);
    right = Binary(isd::kXor, right, c);
  }
  Keep(left);
  Keep(right);
  const SDValue both = Binary(isd::kMul, left, right);
  Keep(both);
  ASSERT_NE(left, right);
  const size_t before = dag_->num_nodes();
  dag_->ReplaceAllUsesOfValueWith(a, b);
  EXPECT_EQ(dag_->num_nodes(), before - 6);
  EXPECT_EQ(dag_->CheckInvariants(), "");
  const SDValue kept = dag_->root().operand(2);
  EXPECT_EQ(kept.operand(0), kept.operand(1));
}

TEST_F(SelectionDagTest, ReplacingTheRoot) {
  const SDValue a = Live(0);
  Keep(a);
  const SDValue chain = dag_->root();
  const SDValue other = dag_->GetCopyToReg({}, dag_->EntryToken(), Register::Virtual(9), a);
  dag_->ReplaceAllUsesWith(chain.node(), other.node());
  EXPECT_EQ(dag_->root(), other);
  EXPECT_TRUE(chain.use_empty());
}

TEST_F(SelectionDagTest, ReplacingSeveralValuesAtOnce) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue difference = Binary(isd::kSub, a, b);
  Keep(difference);
  const SDValue from[] = {a, b}, to[] = {b, a};
  dag_->ReplaceAllUsesOfValuesWith(from, to);
  EXPECT_EQ(difference.operand(0), b);
  EXPECT_EQ(difference.operand(1), a);
}

// While values are exchanged, a node may look like another one that has yet to change.
TEST_F(SelectionDagTest, ChangingPlacesMergesNothing) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue a_b = Binary(isd::kSub, a, b), b_a = Binary(isd::kSub, b, a);
  Keep(a_b);
  const SDValue root_a_b = dag_->root();
  Keep(b_a);
  const SDValue from[] = {a, b}, to[] = {b, a};
  dag_->ReplaceAllUsesOfValuesWith(from, to);
  EXPECT_EQ(root_a_b.operand(2).operand(0), b);
  EXPECT_EQ(dag_->root().operand(2).operand(0), a);
}

// A replacement value may be merged into another node by the same replacement.
TEST_F(SelectionDagTest, ReplacingByWhatIsMerged) {
  const SDValue a = Live(0), b = Live(1), c = Live(2), d = Live(3);
  const SDValue a_c = Binary(isd::kAdd, a, c), b_c = Binary(isd::kAdd, b, c);
  const SDValue square = Binary(isd::kMul, d, d);
  Keep(square);
  const SDValue from[] = {a, d}, to[] = {b, a_c};
  dag_->ReplaceAllUsesOfValuesWith(from, to);
  EXPECT_EQ(square.operand(0), b_c);
  EXPECT_EQ(square.operand(1), b_c);
}

TEST_F(SelectionDagTest, DeepChainsOfMergesNeedNoStack) {
  const SDValue a = Live(0), b = Live(1), c = Live(2);
  SDValue left = a, right = b;
  constexpr int kDepth = 200000;
  for (int i = 0; i < kDepth; ++i) {
    left = Binary(isd::kAdd, left, c);
    right = Binary(isd::kAdd, right, c);
  }
  Keep(left);
  Keep(right);
  dag_->ReplaceAllUsesOfValueWith(a, b);
  EXPECT_EQ(dag_->root().operand(2), dag_->root().operand(0).operand(2));
  dag_->SetRoot(dag_->EntryToken());
  dag_->RemoveDeadNodes();
  EXPECT_EQ(dag_->num_nodes(), 1u);
}

TEST_F(SelectionDagTest, DeadNodesGo) {
  const SDValue a = Live(0), b = Live(1);
  Keep(Binary(isd::kAdd, a, b));
  const size_t alive = dag_->num_nodes();
  const SDValue dead = Binary(isd::kSub, Binary(isd::kMul, a, b), dag_->GetConstant(3, MVT::kI32));
  dag_->RemoveDeadNode(a.node());  // has uses, so it stays
  EXPECT_EQ(dag_->num_nodes(), alive + 3);
  (void)dead;
  dag_->RemoveDeadNodes();
  EXPECT_EQ(dag_->num_nodes(), alive);
}

TEST_F(SelectionDagTest, UpdatingOperands) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = Binary(isd::kAdd, a, b), twice = Binary(isd::kAdd, a, a);
  EXPECT_EQ(dag_->UpdateNodeOperands(twice.node(), {a, b}), sum.node());
  EXPECT_EQ(twice.operand(1), a);
  EXPECT_EQ(dag_->UpdateNodeOperands(twice.node(), {b, b}), twice.node());
  EXPECT_EQ(twice.operand(0), b);
  EXPECT_EQ(Binary(isd::kAdd, b, b), twice);
  EXPECT_NE(Binary(isd::kAdd, a, a), twice);
}

TEST_F(SelectionDagTest, Morphing) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = Binary(isd::kAdd, a, b);
  Keep(sum);
  const auto add = *machine_.target().find_opcode("ADD32rr");
  const MVT type = MVT::kI32;
  SDNode* selected = dag_->SelectNodeTo(sum.node(), add, {type}, {a, b});
  EXPECT_EQ(selected, sum.node());
  EXPECT_TRUE(selected->is_machine_opcode());
  EXPECT_EQ(selected->name(), "ADD32rr");
  // More operands than there is room for.
  const SDValue c = dag_->GetConstant(0, MVT::kI32);
  SDNode* larger = dag_->MorphNodeTo(selected, isd::kNvPrmt, {type}, {a, b, c, c});
  EXPECT_NE(larger, selected);
  EXPECT_EQ(dag_->root().operand(2).node(), larger);
  EXPECT_EQ(larger->num_operands(), 4u);
  // An equal node that exists already.
  const SDValue product = Binary(isd::kMul, a, b);
  EXPECT_EQ(dag_->MorphNodeTo(larger, isd::kMul, {type}, {a, b}), product.node());
  EXPECT_EQ(dag_->root().operand(2), product);
}

TEST_F(SelectionDagTest, SelectingInPlaceDeletesOperandsWithoutUse) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue square = Binary(isd::kMul, b, b);
  const SDValue sum = Binary(isd::kAdd, a, Binary(isd::kXor, square, square));
  Keep(sum);
  Keep(b);
  const SDValue number = dag_->GetTargetConstant(7, MVT::kI32);
  const size_t before = dag_->num_nodes();
  const MachineMemOperand memory;
  const MachineMemOperand* const memoperands[] = {&memory};
  SDNode* selected = dag_->SelectNodeTo(sum.node(), *machine_.target().find_opcode("ADD32ri"), {MVT::kI32}, {a, number},
                                        memoperands, SDNodeFlags::kNoSignedWrap);
  EXPECT_EQ(selected, sum.node());
  EXPECT_EQ(dag_->num_nodes(), before - 2);  // xor and mul
  EXPECT_EQ(selected->flags(), SDNodeFlags::kNoSignedWrap);
  ASSERT_EQ(DynCast<MachineSDNode>(selected)->memoperands().size(), 1u);
  EXPECT_EQ(DynCast<MachineSDNode>(selected)->memoperands()[0], &memory);
  EXPECT_EQ(dag_->CheckInvariants(), "");
}

TEST_F(SelectionDagTest, TheOrderOfUsesIsThatOfAReplacement) {
  const auto order_of_users = [this](bool in_place) {
    const SDValue a = Live(0), b = Live(1);
    const SDValue sum = Binary(isd::kAdd, a, b);
    std::vector<SDNode*> users;
    for (const int16_t opcode : {isd::kXor, isd::kOr, isd::kAnd}) users.push_back(Binary(opcode, sum, a).node());
    const auto add = *machine_.target().find_opcode("ADD32rr");
    SDNode* selected = sum.node();
    if (in_place) {
      dag_->SelectNodeTo(selected, add, {MVT::kI32}, {a, b});
    } else {
      selected = dag_->GetMachineNode(add, {}, {MVT::kI32}, {a, b});
      dag_->ReplaceAllUsesWith(sum.node(), selected);
    }
    std::vector<ptrdiff_t> order;
    for (const SDUse* use = selected->first_use(); use != nullptr; use = use->next()) {
      order.push_back(std::find(users.begin(), users.end(), use->user()) - users.begin());
    }
    dag_->Clear();
    return order;
  };
  EXPECT_EQ(order_of_users(true), order_of_users(false));
}

TEST_F(SelectionDagTest, TopologicalOrder) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = Binary(isd::kAdd, a, b);
  Keep(sum);
  const SDValue later = Binary(isd::kMul, b, b);
  dag_->UpdateNodeOperands(sum.node(), {a, later});
  ASSERT_EQ(dag_->AssignTopologicalOrder(), static_cast<int64_t>(dag_->num_nodes()));
  int32_t expected = 0;
  for (const SDNode& node : *dag_) {
    EXPECT_EQ(node.node_id(), expected++);
    for (const SDUse& use : node.operands()) EXPECT_LT(use.node()->node_id(), node.node_id());
  }
}

TEST_F(SelectionDagTest, CyclesHaveNoOrder) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = Binary(isd::kAdd, a, b), product = Binary(isd::kMul, sum, b);
  Keep(product);
  dag_->UpdateNodeOperands(sum.node(), {product, b});
  EXPECT_EQ(dag_->AssignTopologicalOrder(), -1);
}

TEST_F(SelectionDagTest, Divergence) {
  const MVT type = MVT::kI32;
  const SDValue tid = dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.read.ptx.sreg.tid.x", {}, {type}, {});
  const SDValue ntid = dag_->GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.read.ptx.sreg.ntid.x", {}, {type}, {});
  const SDValue a = Live(0);
  const SDValue uniform = Binary(isd::kAdd, ntid, a), sum = Binary(isd::kMul, uniform, uniform);
  EXPECT_TRUE(tid->is_divergent());
  EXPECT_FALSE(sum->is_divergent());
  dag_->ReplaceAllUsesOfValueWith(ntid, tid);
  EXPECT_TRUE(sum->is_divergent());
  EXPECT_FALSE(a->is_divergent());
  dag_->ReplaceAllUsesOfValueWith(tid, a);
  EXPECT_FALSE(sum->is_divergent());
  function_.SetDivergent(Register::Virtual(0));
  dag_->UpdateAllDivergence();
  EXPECT_TRUE(sum->is_divergent());
}

TEST_F(SelectionDagTest, ListenersHear) {
  struct Listener : DagUpdateListener {
    using DagUpdateListener::DagUpdateListener;
    void NodeDeleted(SDNode*, SDNode* replacement) override { replacement == nullptr ? ++deleted : ++merged; }
    void NodeUpdated(SDNode*) override { ++updated; }
    void NodeInserted(SDNode*) override { ++inserted; }
    int deleted = 0, merged = 0, updated = 0, inserted = 0;
  };
  const SDValue a = Live(0), b = Live(1), c = Live(2);
  Listener listener(*dag_);
  Keep(Binary(isd::kAdd, a, c));
  Keep(Binary(isd::kAdd, b, c));
  EXPECT_EQ(listener.inserted, 6);
  dag_->ReplaceAllUsesOfValueWith(a, b);
  EXPECT_EQ(listener.merged, 1);
  EXPECT_EQ(listener.updated, 1);  // the CopyToReg
  dag_->RemoveDeadNodes();
  EXPECT_EQ(listener.deleted, 2);  // the CopyFromReg and Register of %0
}

TEST_F(SelectionDagTest, ValuesOfOtherFunctionsAreMisuse) {
  MachineFunction other_machine(nullptr, ptx::PtxTargetInfo(), "g", 1);
  DagFunction other(other_machine);
  MachineBasicBlock* block = other_machine.CreateBlock();
  other_machine.InsertBlock(nullptr, block);
  const SDValue foreign = other.dag(*block).GetConstant(1, MVT::kI32);
  EXPECT_TRUE(dag_->misuse().ok());
  const SDValue sum = Binary(isd::kAdd, Live(0), foreign);
  EXPECT_FALSE(sum.operand(1));
  EXPECT_FALSE(dag_->misuse().ok());
}

TEST_F(SelectionDagTest, HugeTokenFactors) {
  std::vector<SDValue> chains;
  for (unsigned i = 0; i < 70000; ++i) {
    chains.push_back(dag_->GetCopyToReg({}, dag_->EntryToken(), Register::Virtual(i), dag_->GetConstant(i, MVT::kI32)));
  }
  const SDValue token = dag_->GetTokenFactor({}, chains);
  EXPECT_EQ(token->num_operands(), 2u);
  EXPECT_EQ(token.operand(0)->num_operands(), SDNode::kMaxOperands);
  EXPECT_TRUE(dag_->misuse().ok());
  // Replacing every operand with another one takes proportional time.
  for (const SDValue chain : chains) dag_->ReplaceAllUsesOfValueWith(chain, dag_->EntryToken());
  EXPECT_EQ(token.operand(0).operand(65534), dag_->EntryToken());
}

TEST_F(SelectionDagTest, MemoryOfErasedDagsIsUsedAgain) {
  MachineBasicBlock* second = machine_.CreateBlock();
  machine_.InsertBlock(nullptr, second);
  size_t reserved = 0;
  for (int round = 0; round < 5; ++round) {
    SelectionDAG& dag = function_.dag(*second);
    SDValue value = dag.GetCopyFromReg({}, dag.EntryToken(), Register::Virtual(0), MVT::kI32);
    for (int i = 0; i < 10000; ++i) value = dag.GetNode(isd::kAdd, {}, MVT::kI32, {value, value});
    function_.EraseDag(second->number());
    if (round == 0) reserved = function_.arena().bytes_reserved();
  }
  EXPECT_EQ(function_.arena().bytes_reserved(), reserved);
}

TEST_F(SelectionDagTest, ManyResults) {
  std::vector<MVT> types(128, MVT::kI32);
  types.push_back(MVT::kOther);
  const SDValue chain = dag_->EntryToken();
  const SDValue a = dag_->GetIntrinsic(isd::kIntrinsicWChain, "llvm.nvvm.tcgen05.ld.x", {}, types, {chain});
  EXPECT_EQ(a->num_values(), 129u);
  EXPECT_EQ(a->value_type(127), MVT::kI32);
  EXPECT_EQ(a->value_type(128), MVT::kOther);
  EXPECT_EQ(a->value_type(129), MVT::kUntyped);
  EXPECT_TRUE(a->HasChainResult());
}

TEST_F(SelectionDagTest, Properties) {
  const SDValue a = Live(0);
  EXPECT_TRUE(a->HasProperty(NodeProperty::kMachineReg, 1));
  EXPECT_TRUE(a->HasProperty(NodeProperty::kAllocatable, 1));
  EXPECT_FALSE(a->HasProperty(NodeProperty::kReservedReg, 1));
  EXPECT_FALSE(a->HasProperty(NodeProperty::kMachineReg, 0));
  const SDValue frame =
      dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(ptx::phys_reg::kDepot), MVT::kI64);
  EXPECT_TRUE(frame->HasProperty(NodeProperty::kReservedReg, 1));
  EXPECT_FALSE(frame->HasProperty(NodeProperty::kAllocatable, 1));

  const SDValue sum = Binary(isd::kAdd, a, a);
  EXPECT_TRUE(sum->HasProperty(NodeProperty::kCommutative));
  EXPECT_FALSE(sum->HasProperty(NodeProperty::kImplicitGlueConsumer, 1));
  sum->set_flags(SDNodeFlags::kImplicitGlue);
  EXPECT_TRUE(sum->HasProperty(NodeProperty::kImplicitGlueConsumer, 1));
  EXPECT_EQ(static_cast<uint64_t>(NodeProperty::kImplicitGlueConsumer), 0x1000000000u);

  const MVT type = MVT::kI32;
  const SDNode* extract = dag_->GetMachineNode(generic::kExtractSubreg, {}, {type}, {a});
  EXPECT_TRUE(extract->HasProperty(NodeProperty::kSubRegister));
  const SDNode* undefined = dag_->GetMachineNode(generic::kImplicitDef, {}, {type}, {});
  EXPECT_TRUE(undefined->HasProperty(NodeProperty::kImplicit));
  const auto ret = *machine_.target().find_opcode("Return");
  EXPECT_TRUE(dag_->GetMachineNode(ret, {}, {MVT::kOther}, {dag_->root()})->HasProperty(NodeProperty::kTerminator));
}

TEST(TypeClassesTest, HoldValuesAsTheyAre) {
  EXPECT_EQ(RegClassFor(MVT::kI1), ptx::reg_class::kB1);
  EXPECT_EQ(RegClassFor(MVT::kBF16), ptx::reg_class::kB16);
  EXPECT_EQ(RegClassFor(MVT::kV2F16), ptx::reg_class::kB32);
  EXPECT_EQ(RegClassFor(MVT::kV4I8), ptx::reg_class::kB32);
  EXPECT_EQ(RegClassFor(MVT::kV2F32), ptx::reg_class::kB64);
  EXPECT_EQ(RegClassFor(MVT::kI128), ptx::reg_class::kB128);
  for (const MVT type : {MVT::kOther, MVT::kGlue, MVT::kI8, MVT::kV2I1, MVT::kV2I8, MVT::kV4F16, MVT::kV4F32}) {
    EXPECT_EQ(RegClassFor(type), std::nullopt) << Name(type);
  }
}

TEST(PartTypesTest, PackElementsThatFit) {
  const auto parts = [](MVT type, unsigned register_bits) {
    std::string names;
    for (const MVT part : PartTypes(type, [=](MVT vector) { return SizeInBits(vector) == register_bits; })) {
      names += std::string(Name(part)) + " ";
    }
    return names;
  };
  EXPECT_EQ(parts(MVT::kI8, 32), "i16 ");
  EXPECT_EQ(parts(MVT::kI128, 32), "i64 i64 ");
  EXPECT_EQ(parts(MVT::kF64, 32), "f64 ");
  EXPECT_EQ(parts(MVT::kV4I8, 32), "v4i8 ");
  EXPECT_EQ(parts(MVT::kV3F16, 32), "v2f16 f16 ");
  EXPECT_EQ(parts(MVT::kV2I8, 32), "i16 i16 ");
  EXPECT_EQ(parts(MVT::kV8I8, 32), "v4i8 v4i8 ");
  EXPECT_EQ(parts(MVT::kV3F32, 32), "f32 f32 f32 ");
  EXPECT_EQ(parts(MVT::kV3F32, 64), "v2f32 f32 ");
}

TEST(CondCodeTest, InverseAndSwapped) {
  EXPECT_EQ(Inverse(CondCode::kUlt, true), CondCode::kUge);
  EXPECT_EQ(Inverse(CondCode::kEq, true), CondCode::kNe);
  EXPECT_EQ(Inverse(CondCode::kOeq, false), CondCode::kUne);
  EXPECT_EQ(Inverse(CondCode::kOlt, false), CondCode::kUge);
  EXPECT_EQ(Inverse(CondCode::kLt, false), CondCode::kGe);
  EXPECT_EQ(Swapped(CondCode::kUlt), CondCode::kUgt);
  EXPECT_EQ(Swapped(CondCode::kOge), CondCode::kOle);
  EXPECT_EQ(Swapped(CondCode::kNe), CondCode::kNe);
  for (int i = 0; i < kNumCondCodes; ++i) {
    const CondCode code = static_cast<CondCode>(i);
    EXPECT_EQ(FindCondCode(Name(code)), code);
    EXPECT_EQ(Swapped(Swapped(code)), code);
    EXPECT_EQ(Inverse(Inverse(code, false), false), code);
  }
}

// Names of nodes must differ from names of instructions, because the text form contains both.
TEST(IsdOpcodesTest, NamesAreUnique) {
  for (int16_t i = 0; i < isd::kNumOpcodes; ++i) {
    EXPECT_EQ(FindIsdOpcode(Desc(i).name), i) << Desc(i).name;
    EXPECT_FALSE(ptx::PtxTargetInfo().find_opcode(Desc(i).name).has_value()) << Desc(i).name;
    EXPECT_FALSE(FindCondCode(Desc(i).name).has_value());
  }
}

TEST(ValueTypesTest, AreConsistent) {
  for (int i = 0; i < kNumValueTypes; ++i) {
    const MVT type = static_cast<MVT>(i);
    EXPECT_EQ(FindValueType(Name(type)), type);
    if (!IsVector(type)) continue;
    EXPECT_EQ(SizeInBits(type), SizeInBits(ScalarType(type)) * NumElements(type)) << Name(type);
    EXPECT_EQ(VectorOf(ScalarType(type), NumElements(type)), type);
    EXPECT_EQ(std::string(Name(type)), "v" + std::to_string(NumElements(type)) + std::string(Name(ScalarType(type))));
  }
  EXPECT_EQ(EVT::Integer(10).Name(), "i10");
  EXPECT_EQ(EVT::Integer(32), EVT(MVT::kI32));
  EXPECT_EQ(EVT::Integer(10).SizeInBits(), 10u);
}

class DebugValueTest : public SelectionDagTest {
 protected:
  void Describe(SDValue value, MetadataId variable) {
    dag_->AddDbgValue({.value = value, .variable = variable, .expression = expression_, .loc = {.order = variable}});
  }
  // Returns the debug value of a variable.
  const SDDbgValue& Of(MetadataId variable) {
    for (const SDDbgValue& value : dag_->debug_info().values()) {
      if (value.variable == variable) return value;
    }
    ADD_FAILURE() << "there is no variable " << variable;
    return dag_->debug_info().values()[0];
  }

  const MetadataId expression_ = machine_.InternInlineMetadata("!DIExpression()");
};

TEST_F(DebugValueTest, TheyFollowTheirResult) {
  const SDValue a = Live(0), b = Live(1);
  const SDValue sum = Binary(isd::kAdd, a, b), product = Binary(isd::kMul, a, b);
  Keep(sum);
  Keep(product);
  Describe(sum, 1);
  Describe(product, 2);
  Describe(a, 3);
  // Swaps the two values.
  dag_->ReplaceAllUsesOfValuesWith({sum, product}, {product, sum});
  EXPECT_EQ(Of(1).value, product);
  EXPECT_EQ(Of(2).value, sum);
  EXPECT_EQ(Of(3).value, a);
  EXPECT_EQ(dag_->CheckInvariants(), "");
  // The chain of the copy is replaced, its value is not.
  dag_->ReplaceAllUsesOfValueWith(a.Result(1), dag_->EntryToken());
  EXPECT_EQ(Of(3).value, a);
}

TEST_F(DebugValueTest, NodesThatBecomeEqualPassThemOn) {
  const SDValue a = Live(0), b = Live(1), c = Live(2);
  const SDValue x = Binary(isd::kMul, a, c), y = Binary(isd::kMul, b, c);
  Keep(Binary(isd::kAdd, x, y));
  Describe(x, 1);
  Describe(y, 2);
  dag_->ReplaceAllUsesOfValueWith(b, a);
  EXPECT_EQ(Of(1).value, x);
  EXPECT_EQ(Of(2).value, x);
}

TEST_F(DebugValueTest, DeletedNodesLeaveWhatDescribesThem) {
  const SDValue a = Live(0), constant = dag_->GetConstant(7, MVT::kI32);
  const SDValue sum = Binary(isd::kAdd, a, constant), product = Binary(isd::kMul, sum, sum);
  Describe(sum, 1);
  Describe(product, 2);
  Describe(constant, 3);
  Describe(dag_->GetFrameIndex(4, MVT::kI64), 4);
  dag_->RemoveDeadNodes();
  EXPECT_EQ(dag_->num_nodes(), 1u);
  EXPECT_EQ(Of(1).location.reg(), Register::Virtual(0));
  EXPECT_EQ(machine_.inline_metadata(Of(1).expression), "!DIExpression(DW_OP_plus_uconst, 7, DW_OP_stack_value)");
  EXPECT_TRUE(Of(2).is_undef());
  EXPECT_EQ(Of(3).location.imm(), 7);
  EXPECT_EQ(Of(4).location.frame_index(), 4);
}

TEST_F(DebugValueTest, SplitValuesKeepTheirPlace) {
  const SDValue a = Live(0), wide = dag_->GetNode(isd::kAnyExtend, {}, MVT::kI64, {a});
  Describe(wide, 1);
  Describe(a, 1);
  const unsigned bits[] = {32, 32};
  dag_->SplitDbgValues(wide, {a, a}, bits);
  EXPECT_FALSE(wide->has_debug_value());
  std::vector<std::string> expressions;
  for (const SDDbgValue& value : dag_->TakeDbgValues()) {
    expressions.emplace_back(machine_.inline_metadata(value.expression));
  }
  EXPECT_EQ(expressions, (std::vector<std::string>{"!DIExpression(DW_OP_LLVM_fragment, 0, 32)",
                                                   "!DIExpression(DW_OP_LLVM_fragment, 32, 32)", "!DIExpression()"}));
  EXPECT_TRUE(dag_->debug_info().empty());
  EXPECT_FALSE(a->has_debug_value());
}

TEST_F(DebugValueTest, ValuesThatDoNotExistAreMisuse) {
  Describe({Live(0).node(), 2}, 1);
  EXPECT_EQ(std::string(dag_->misuse().message()), "block 0 of 'f': a debug value names a result that does not exist");
  EXPECT_TRUE(dag_->debug_info().empty());
}

}  // namespace
}  // namespace ptxmir::sdag
