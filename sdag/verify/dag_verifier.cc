// SPDX-License-Identifier: Apache-2.0

#include "sdag/verify/dag_verifier.h"

#include <utility>

#include "base/str_cat.h"
#include "ir/module.h"
#include "sdag/graph/type_classes.h"
#include "sdag/text/dag_node_writer.h"
#include "sdag/verify/dag_signature.h"

namespace ptxmir::sdag {
namespace {

class DagVerifier {
 public:
  DagVerifier(SelectionDAG& dag, std::vector<DagFlaw>& flaws, size_t max_flaws)
      : dag_(dag), function_(dag.machine_function()), flaws_(flaws), max_flaws_(max_flaws) {}

  void Verify();

 private:
  bool full() const { return flaws_.size() >= max_flaws_; }
  std::string Place() const;
  void Error(std::string message);
  void Error(const SDNode& node, std::string message);

  void VerifyRoot();
  // Returns false if operands are not values of this DAG. The node cannot be checked further then.
  bool VerifyOperands(const SDNode& node);
  void VerifyGlue(const SDNode& node);
  void VerifyTypes(const SDNode& node);
  void VerifyPayload(const SDNode& node);
  void VerifyMemory(const MemSDNode& node);
  void VerifyRegister(const RegisterSDNode& node);
  void VerifyBlock(const BasicBlockSDNode& node);
  void VerifyIntrinsic(const IntrinsicSDNode& node);
  void VerifyShuffle(const ShuffleVectorSDNode& node);
  void VerifyMachineNode(const MachineSDNode& node);
  void VerifyDebugValue(const SDDbgValue& value);
  void VerifyMachineValue(const SDNode& node, const OperandDesc& desc, MVT type, std::string_view what, unsigned i);

  SelectionDAG& dag_;
  MachineFunction& function_;
  std::vector<DagFlaw>& flaws_;
  const size_t max_flaws_;
  NodeNumbers numbers_;
};

std::string DagVerifier::Place() const {
  std::string place = StrCat("function '", function_.name(), "', bb.", dag_.block().number());
  if (!dag_.block().name.empty()) StrAppend(&place, ".", dag_.block().name);
  return place;
}

void DagVerifier::Error(std::string message) {
  if (!full()) flaws_.push_back({StrCat(Place(), ": ", message), "", nullptr});
}

void DagVerifier::Error(const SDNode& node, std::string message) {
  if (full()) return;
  // Number the nodes as in the text of the DAG.
  if (numbers_.empty()) {
    for (const SDNode* other : dag_.TopologicalOrder()) {
      if (!IsPrintedInline(*other)) numbers_.emplace(other->id(), static_cast<uint32_t>(numbers_.size()));
    }
  }
  DagFlaw& flaw = flaws_.emplace_back();
  flaw.message = StrCat(Place(), ": ", message);
  flaw.position = dag_.function().PositionOf(node);
  TextSink sink(flaw.node);
  DagNodeWriter(function_, sink, &numbers_).WriteLine(node);
}

void DagVerifier::Verify() {
  if (!dag_.misuse().ok()) Error(std::string(FromAbsl(dag_.misuse().message())));
#ifdef PTXMIR_CHECKED
  if (const std::string flaw = dag_.CheckInvariants(); !flaw.empty()) {
    Error(flaw);
    return;
  }
#endif
  VerifyRoot();
  for (const SDNode& node : dag_) {
    if (full()) return;
    if (!VerifyOperands(node)) continue;
    VerifyGlue(node);
    if (const auto* machine = DynCast<MachineSDNode>(&node)) {
      VerifyMachineNode(*machine);
    } else {
      VerifyTypes(node);
      VerifyPayload(node);
    }
  }
  for (const SDDbgValue& value : dag_.debug_info().values()) VerifyDebugValue(value);
  if (dag_.TopologicalOrder().empty()) Error("values depend on themselves");
}

void DagVerifier::VerifyRoot() {
  const SDValue root = dag_.root();
  if (!root) return Error("there is no root");
  if (!IsChain(root)) Error(*root.node(), "the root is no chain");
}

bool DagVerifier::VerifyOperands(const SDNode& node) {
  bool ok = true;
  const auto error = [&](unsigned i, std::string_view message) {
    Error(node, StrCat("operand ", i, " ", message));
    ok = false;
  };
  for (const SDUse& use : node.operands()) {
    const unsigned i = use.operand_number();
    if (use.node() == nullptr) {
      error(i, "is no value");
    } else if (use.resno() >= use.node()->num_values()) {
      error(i, StrCat("is result ", use.resno(), " of a node that has ", use.node()->num_values()));
    }
  }
  return ok;
}

void DagVerifier::VerifyGlue(const SDNode& node) {
  if (node.num_values() == 0) Error(node, "there is no result, not even a chain");
  for (unsigned i = 0; i + 1 < node.num_values(); ++i) {
    if (node.value_type(i) == MVT::kGlue) Error(node, "glue must be the last result");
  }
  for (unsigned i = 0; i + 1 < node.num_operands(); ++i) {
    if (node.operand(i).type() == MVT::kGlue) Error(node, "glue must be the last operand");
  }
  if (!node.HasGlueResult()) return;
  unsigned users = 0;
  for (const SDUse* use = node.first_use(); use != nullptr; use = use->next()) {
    if (use->type() == MVT::kGlue) ++users;
  }
  if (users > 1) Error(node, StrCat(users, " nodes are glued to it"));
}

void DagVerifier::VerifyTypes(const SDNode& node) {
  const NodeDesc& desc = Desc(node.opcode());
  std::string flaw = MatchSignature(node, desc.signature);
  if (flaw.empty()) flaw = CheckRelation(node, desc.relation);
  if (flaw.empty()) flaw = CheckCondition(node);
  if (!flaw.empty()) Error(node, std::move(flaw));
}

void DagVerifier::VerifyPayload(const SDNode& node) {
  switch (node.payload_kind()) {
    case NodePayload::kGlobal: {
      const GlobalId global = static_cast<const GlobalAddressSDNode&>(node).global();
      const Module* module = function_.module();
      if (module == nullptr || !module->HasGlobal(global)) Error(node, "there is no such global value");
      break;
    }
    case NodePayload::kFrameIndex:
      if (!function_.frame_info().IsValid(static_cast<const FrameIndexSDNode&>(node).index())) {
        Error(node, "there is no such stack object");
      }
      break;
    case NodePayload::kJumpTable:
      if (static_cast<const JumpTableSDNode&>(node).index() >= function_.jump_tables().size()) {
        Error(node, "there is no such jump table");
      }
      break;
    case NodePayload::kConstantPool:
      if (static_cast<const ConstantPoolSDNode&>(node).index() >= function_.constants().size()) {
        Error(node, "there is no such constant");
      }
      break;
    case NodePayload::kRegister:
      return VerifyRegister(static_cast<const RegisterSDNode&>(node));
    case NodePayload::kBlock:
      return VerifyBlock(static_cast<const BasicBlockSDNode&>(node));
    case NodePayload::kMemory:
      return VerifyMemory(AsMemSDNode(node));
    case NodePayload::kIntrinsic:
      return VerifyIntrinsic(static_cast<const IntrinsicSDNode&>(node));
    case NodePayload::kShuffle:
      return VerifyShuffle(static_cast<const ShuffleVectorSDNode&>(node));
    default:
      break;
  }
}

void DagVerifier::VerifyRegister(const RegisterSDNode& node) {
  const Register reg = node.reg();
  const TargetInfo& target = function_.target();
  if (!reg.is_valid()) return;
  if (reg.is_physical()) {
    if (reg.bits() >= target.phys_regs.size()) Error(node, "there is no such register");
    return;
  }
  if (reg.virtual_index() >= function_.reg_info().num_virtual_registers()) {
    return Error(node, "there is no such virtual register");
  }
  const RegClassId reg_class = function_.reg_info().reg_class(reg);
  if (reg_class == kNoRegClass || IsToken(node.value_type(0))) return;
  if (target.reg_classes[reg_class].bits != SizeInBits(node.value_type(0))) {
    Error(node, StrCat("a register of class '", target.reg_classes[reg_class].name, "' holds no '",
                       Name(node.value_type(0)), "'"));
  }
}

// Checks that a jump goes to a successor. (inlineasm_br names blocks, too.)
void DagVerifier::VerifyBlock(const BasicBlockSDNode& node) {
  const MachineBasicBlock* target = function_.block(node.target());
  if (target == nullptr) return Error(node, "there is no such block");
  if (!node.use_empty() && !dag_.block().IsSuccessor(target)) Error(node, "the block is no successor");
}

void DagVerifier::VerifyMemory(const MemSDNode& node) {
  const MachineMemOperand* memoperand = node.memoperand();
  if (memoperand == nullptr) return Error(node, "there is no memory operand");
  const bool is_store = node.opcode() == isd::kStore || node.opcode() == isd::kAtomicStore;
  const bool is_load = node.opcode() == isd::kLoad || node.opcode() == isd::kAtomicLoad;
  const bool is_rmw = (node.properties() & NodeProperty::kAtomicRmw) == NodeProperty::kAtomicRmw && !is_store;
  if ((is_load || is_rmw) && !memoperand->is_load()) Error(node, "the memory operand is no load");
  if ((is_store || is_rmw) && !memoperand->is_store()) Error(node, "the memory operand is no store");
  if ((node.properties() & NodeProperty::kAtomic) != 0 && !memoperand->is_atomic()) {
    Error(node, "the memory operand is not atomic");
  }
  if (!is_load && !is_store) return;
  const MVT value = is_load ? node.value_type(0) : node.operand(1).type();
  const EVT memory = node.memory_type();
  if (is_load && node.is_truncating()) return Error(node, "loads do not truncate");
  if (is_store && node.ext() != LoadExt::kNone) return Error(node, "stores do not extend");
  if (node.ext() == LoadExt::kNone && !node.is_truncating()) {
    if (memory != EVT(value)) Error(node, StrCat("'", memory.Name(), "' in memory is not '", Name(value), "'"));
    return;
  }
  if (memory.SizeInBits() >= SizeInBits(value) || memory.NumElements() != NumElements(value) ||
      memory.IsInteger() != IsInteger(value)) {
    Error(node, StrCat("'", memory.Name(), "' in memory is no narrower '", Name(value), "'"));
  }
}

void DagVerifier::VerifyIntrinsic(const IntrinsicSDNode& node) {
  if (node.intrinsic_name().substr(0, 5) != "llvm.") Error(node, "names of intrinsics begin with 'llvm.'");
  bool has_value = false;
  for (const MVT type : node.value_types()) has_value |= !IsToken(type);
  if (node.opcode() == isd::kIntrinsicVoid) return;
  if (!has_value) return Error(node, "an intrinsic without a value is an intrinsic_void");
  const bool has_chain = node.opcode() == isd::kIntrinsicWChain;
  const bool begins_with_chain = node.num_operands() > 0 && IsChain(node.operand(0));
  if (has_chain != node.HasChainResult() || has_chain != begins_with_chain) {
    Error(node, has_chain ? "a chain goes in, none comes out" : "an intrinsic with a chain is an intrinsic_w_chain");
  }
}

void DagVerifier::VerifyShuffle(const ShuffleVectorSDNode& node) {
  const unsigned elements = NumElements(node.value_type(0));
  if (node.mask().size() != elements) {
    return Error(node, StrCat("the mask has ", node.mask().size(), " elements, not ", elements));
  }
  for (const int16_t element : node.mask()) {
    if (element < -1 || element >= static_cast<int>(2 * elements)) {
      return Error(node, StrCat("there is no element ", element));
    }
  }
}

// Selected nodes.

void DagVerifier::VerifyMachineValue(const SDNode& node, const OperandDesc& desc, MVT type, std::string_view what,
                                     unsigned i) {
  if (desc.type != OperandType::kRegister || desc.reg_class == kNoRegClass || type == MVT::kUntyped) return;
  const RegClassDesc& reg_class = function_.target().reg_classes[desc.reg_class];
  if (SizeInBits(type) == reg_class.bits) return;
  Error(node, StrCat(what, " ", i, " is '", Name(type), "', which no register of class '", reg_class.name, "' holds"));
}

void DagVerifier::VerifyMachineNode(const MachineSDNode& node) {
  const TargetInfo& target = function_.target();
  if (node.machine_opcode() >= target.instrs.size()) return Error(node, "there is no such instruction");
  const InstrDesc& desc = target.Get(node.machine_opcode());
  // Generic opcodes (COPY_TO_REGCLASS, REG_SEQUENCE) take operands that instructions do not have.
  if (node.machine_opcode() <= generic::kArithFence || desc.Has(InstrFlag::kPreIsel)) return;
  const auto operands = target.Operands(node.machine_opcode());
  unsigned results = 0;
  while (results < node.num_values() && !IsToken(node.value_type(results))) ++results;
  if (results < desc.num_defs) {
    return Error(node, StrCat("the instruction has ", desc.num_defs, " results, not ", results));
  }
  for (unsigned i = 0; i < desc.num_defs; ++i) VerifyMachineValue(node, operands[i], node.value_type(i), "result", i);
  unsigned values = 0;
  while (values < node.num_operands() && node.operand(values).type() != MVT::kGlue && !IsChain(node.operand(values))) {
    ++values;
  }
  const unsigned expected = desc.num_operands - desc.num_defs;
  if (values != expected && !(desc.Has(InstrFlag::kVariadic) && values > expected)) {
    return Error(node, StrCat("the instruction has ", expected, " operands, not ", values));
  }
  for (unsigned i = 0; i < expected; ++i) {
    VerifyMachineValue(node, operands[desc.num_defs + i], node.operand(i).type(), "operand", i);
  }
}

// Debug values.

void DagVerifier::VerifyDebugValue(const SDDbgValue& value) {
  const auto error = [&](std::string_view what) {
    if (!full())
      flaws_.push_back({StrCat(Place(), ": a debug value ", what), "", dag_.function().PositionOf(value.loc)});
  };
  const Module* module = function_.module();
  const auto kind_of = [&](MetadataId id) -> std::string_view {
    const bool is_inline = MachineFunction::IsInlineMetadata(id);
    const MetadataNode* node = module == nullptr ? nullptr
                               : is_inline       ? module->ParseInlineMetadata(function_.inline_metadata(id))
                                                 : module->metadata(id);
    return node == nullptr ? std::string_view() : node->kind;
  };
  if (kind_of(value.variable) != "DILocalVariable") error("names no variable (!DILocalVariable)");
  if (kind_of(value.expression) != "DIExpression") error("has no expression (!DIExpression)");
  if (dag_.function().DebugLocOf(value.loc) == MachineInstr::kNoDebugLoc) error("has no debug location");
  if (value.value && IsToken(value.value.type())) error("names a chain or glue");
  if (value.value) return;
  const MachineOperand& location = value.location;
  if (location.is_frame_index() && !function_.frame_info().IsValid(location.frame_index())) {
    error("names a stack object that does not exist");
  }
  if (location.is_reg() && location.reg().is_virtual() &&
      location.reg().virtual_index() >= function_.reg_info().num_virtual_registers()) {
    error("names a virtual register that does not exist");
  }
}

}  // namespace

std::string DagFlaw::ToString() const { return node.empty() ? message : StrCat(message, "\n  ", node); }

void VerifyDag(SelectionDAG& dag, std::vector<DagFlaw>& flaws, size_t max_flaws) {
  DagVerifier(dag, flaws, max_flaws).Verify();
}

void VerifyDags(DagFunction& function, std::vector<DagFlaw>& flaws, size_t max_flaws) {
  for (const MachineBasicBlock& block : function.machine_function()) {
    if (SelectionDAG* dag = function.FindDag(block.number())) VerifyDag(*dag, flaws, max_flaws);
  }
}

absl::Status VerifyDags(DagFunction& function) {
  std::vector<DagFlaw> flaws;
  VerifyDags(function, flaws);
  if (flaws.empty()) return absl::OkStatus();
  std::string message;
  for (const DagFlaw& flaw : flaws) StrAppend(&message, message.empty() ? "" : "\n", flaw.ToString());
  return absl::InvalidArgumentError(message);
}

}  // namespace ptxmir::sdag
