// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/infer_address_spaces.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/memory_dependence.h"
#include "ir/address_space.h"
#include "mir/code/operand_ranges.h"
#include "passes/memory/address_spaces.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;
using ptx::PtxInstrInfo;

// Returns the code of the space in addsp operands and in memory operands.
uint32_t CodeOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return address_space::kGlobal;
    case MemorySpace::kShared:
      return address_space::kShared;
    case MemorySpace::kSharedCluster:
      return address_space::kSharedCluster;
    case MemorySpace::kConst:
      return address_space::kConst;
    case MemorySpace::kLocal:
      return address_space::kLocal;
    case MemorySpace::kParam:
      return address_space::kParam;
    default:
      return address_space::kGeneric;
  }
}

std::string_view NameOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "global";
    case MemorySpace::kConst:
      return "constant";
    case MemorySpace::kLocal:
      return "local";
    case MemorySpace::kParam:
      return "parameter";
    default:
      return "shared";
  }
}

// Returns true if the instruction takes one address, a generic one that is in a register.
bool IsGenericAccess(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  return info.address < instr.num_operands() && info.second_address == PtxInstrInfo::kNoOperand &&
         ptx::MemorySpaceOf(instr) == MemorySpace::kGeneric && IsVirtualRead(instr.operand(info.address));
}

// Returns the answer of isspacep for addresses in `space`, if both are known. The windows of constant memory and of
// parameters may lie in that of global memory.
std::optional<bool> IsInSpace(MemorySpace space, ptx::SemanticTag test) {
  struct Row {
    ptx::SemanticTag test;
    MemorySpace space;
  };
  static constexpr Row kRows[] = {
      {ptx::SemanticTag::kIsspacepConst, MemorySpace::kConst},
      {ptx::SemanticTag::kIsspacepGlobal, MemorySpace::kGlobal},
      {ptx::SemanticTag::kIsspacepLocal, MemorySpace::kLocal},
      {ptx::SemanticTag::kIsspacepShared, MemorySpace::kShared},
      {ptx::SemanticTag::kIsspacepSharedCluster, MemorySpace::kSharedCluster},
  };
  if (space == MemorySpace::kUnknown) return std::nullopt;
  const auto is_shared = [](MemorySpace s) { return s == MemorySpace::kShared || s == MemorySpace::kSharedCluster; };
  for (const Row& row : kRows) {
    if (row.test != test) continue;
    if (row.space == space) return true;
    if (is_shared(row.space) && is_shared(space)) {
      return space == MemorySpace::kShared ? std::optional(true) : std::nullopt;
    }
    const bool may_overlap =
        space == MemorySpace::kConst || space == MemorySpace::kParam || row.space == MemorySpace::kConst;
    return may_overlap ? std::nullopt : std::optional(false);
  }
  return std::nullopt;
}

class SpaceRewriter {
 public:
  SpaceRewriter(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        spaces_(function, context.analyses.Get<MemoryDependence>()),
        subtarget_(context.analyses.inputs().subtarget),
        new_reg_(reg_info_.num_virtual_registers()) {}

  bool Run() {
    FindWishes();
    for (size_t i = 0; i < needed_.size(); ++i) WantOperands(needed_[i]);
    for (const Register reg : needed_) CreateRegister(reg);
    for (const auto& [reg, def] : moved_) MoveToSpace(*def);
    for (MachineInstr* const access : accesses_) ChangeAccess(*access);
    for (MachineInstr* const conversion : conversions_) MakeCopy(*conversion);
    for (const auto& [test, answer] : tests_) DecideTest(*test, answer);
    for (const auto& [reg, def] : moved_) ServeGenericUses(reg, *def);
    for (MachineInstr* const copy : conversions_) ReplaceCopy(*copy);
    unused_.Erase();
    ClearKillFlags(reg_info_, std::move(extended_));
    context_.AddStatistic("accesses given a state space", accesses_.size());
    context_.AddStatistic("address conversions removed", conversions_.size());
    context_.AddStatistic("tests of state spaces decided", tests_.size());
    return !accesses_.empty() || !conversions_.empty() || !tests_.empty();
  }

 private:
  // ---- What wants an address in its space

  void FindWishes() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        const PtxInstrInfo& info = InstrInfo(instr.opcode());
        if (info.family == ptx::Family::kIsspacep) {
          ConsiderTest(instr);
        } else if (info.is_address_conversion()) {
          ConsiderConversion(instr);
        } else if (IsGenericAccess(instr)) {
          ConsiderAccess(instr);
        }
      }
    }
  }

  void ConsiderTest(MachineInstr& test) {
    if (!IsVirtualRead(test.operand(1)) || !IsVirtualDef(test.operand(0))) return;
    const MemorySpace space = spaces_.SpaceOf(test.operand(1).reg());
    const std::optional<bool> answer = IsInSpace(space, InstrInfo(test.opcode()).semantics);
    if (answer.has_value()) tests_.emplace_back(&test, *answer);
  }

  void ConsiderConversion(MachineInstr& instr) {
    const AddressConversion conversion = AddressConversionOf(instr);
    if (conversion.space == MemorySpace::kUnknown || conversion.is_to_generic) return;
    if (!IsVirtualRead(instr.operand(1)) || !IsVirtualDef(instr.operand(0))) return;
    const Register reg = instr.operand(1).reg();
    if (spaces_.SpaceOf(reg) != conversion.space) return;
    // The conversion of an origin that is no conversion itself is where the address in the space comes from.
    const MachineInstr& def = *reg_info_.UniqueDef(reg);
    if (spaces_.IsOrigin(def) && !AddressConversionOf(def).is_to_generic) return;
    conversions_.push_back(&instr);
    Want(reg);
  }

  void ConsiderAccess(MachineInstr& access) {
    const Register reg = access.operand(InstrInfo(access.opcode()).address).reg();
    const MemorySpace space = spaces_.SpaceOf(reg);
    const std::string_view reason =
        space == MemorySpace::kUnknown ? "the space of its address is not known" : WhyNotIn(access, space);
    if (!reason.empty()) {
      context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
        return MachineRemark(RemarkKind::kMissed, context_.pass_name, "SpaceNotInferred", access)
               << "access stays generic: " << RemarkArg("Reason", reason);
      });
      return;
    }
    accesses_.push_back(&access);
    Want(reg);
  }

  // Returns the reason why the access cannot be one in the space, or an empty text.
  std::string_view WhyNotIn(const MachineInstr& access, MemorySpace space) const {
    const PtxInstrInfo& info = InstrInfo(access.opcode());
    const bool is_between_threads = address_space::IsSharedBetweenThreads(CodeOf(space));
    if (!is_between_threads && (ptx::IsOrderedAccess(access) || info.Has(Property::kAtomic))) {
      return "its space has no atomic or ordered accesses";
    }
    const bool is_never_written = space == MemorySpace::kConst || space == MemorySpace::kParam;
    if (is_never_written && info.writes_memory()) return "its space cannot be written";
    if (info.space == MemorySpace::kOperand) return {};
    const std::optional<Opcode> form = ptx::FormInSpace(access.opcode(), space);
    if (!form.has_value()) return "there is no such instruction for its space";
    const bool is_new = subtarget_ != nullptr && !subtarget_->Supports(*form);
    return is_new ? "the GPU has no such instruction for its space" : std::string_view();
  }

  // ---- Addresses in their space

  // Notes that the address in `reg` is needed in its space.
  void Want(Register reg) {
    if (new_reg_[reg.virtual_index()].is_valid()) return;
    new_reg_[reg.virtual_index()] = reg;  // until there is a new one
    needed_.push_back(reg);
  }

  void WantOperands(Register reg) {
    const MachineInstr& def = *reg_info_.UniqueDef(reg);
    for (const unsigned i : spaces_.AddressOperands(def)) Want(def.operand(i).reg());
  }

  Register NewRegister(Register reg) const { return new_reg_[reg.virtual_index()]; }

  void CreateRegister(Register reg) {
    MachineInstr& def = *reg_info_.UniqueDef(reg);
    Register& created = new_reg_[reg.virtual_index()];
    if (!spaces_.IsOrigin(def)) {
      created = reg_info_.CreateVirtualRegister(reg_info_.reg_class(reg));
      moved_.emplace_back(reg, &def);
    } else if (AddressConversionOf(def).is_to_generic) {
      created = def.operand(1).reg();
      unused_.Add(reg);
    } else {
      created = ConvertedBehind(def);
      extended_.push_back(reg);
    }
    extended_.push_back(created);
  }

  // Returns the address that an origin defines, converted to its space right behind it. If the block converts it
  // already, that conversion is used.
  Register ConvertedBehind(MachineInstr& def) {
    const Register reg = def.operand(0).reg();
    const Opcode opcode = ConversionOpcode({.space = spaces_.SpaceOf(reg), .is_to_generic = false});
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      MachineInstr& user = *use.parent();
      if (user.opcode() != opcode || user.parent() != def.parent()) continue;
      user.RemoveFromParent();
      def.parent()->Insert(def.next(), &user);
      user.operand(0).set_reg_flag(MachineOperand::kDead, false);
      return user.operand(0).reg();
    }
    const Register created = reg_info_.CreateVirtualRegister(reg_info_.reg_class(reg));
    BuildMI(*def.parent(), def.next(), opcode, def.debug_loc()).AddDef(created).AddUse(reg).Insert();
    return created;
  }

  // Makes a definition compute its address in the space.
  void MoveToSpace(MachineInstr& def) {
    const AddressSpaces::Operands addresses = spaces_.AddressOperands(def);
    def.operand(0).SetReg(NewRegister(def.operand(0).reg()));
    for (const unsigned i : addresses) def.operand(i).SetReg(NewRegister(def.operand(i).reg()));
    // Sums of generic addresses may be known not to wrap, or to have no bits in common, where these are not.
    if (InstrInfo(def.opcode()).semantics == ptx::SemanticTag::kOrB64) def.set_opcode(SumLike(def));
    def.set_flags(0);
  }

  // Returns the addition that takes its operands as a disjunction does.
  static Opcode SumLike(const MachineInstr& disjunction) {
    return *ptx::FindForm(ptx::SemanticTag::kAddS64, disjunction.operand(2).is_imm() ? "ri" : "rr");
  }

  // Converts the address that `def` now computes in its space for those who still read the generic address.
  void ServeGenericUses(Register reg, MachineInstr& def) {
    if (reg_info_.NonDebugUses(reg).empty()) {
      DropDebugUses(reg_info_, reg);
      return;
    }
    MachineBasicBlock& block = *def.parent();
    MachineInstr* const before = def.is_phi() ? block.FirstNonPhi() : def.next();
    BuildMI(block, before, ConversionOpcode({.space = spaces_.SpaceOf(reg), .is_to_generic = true}), def.debug_loc())
        .AddDef(reg)
        .AddUse(NewRegister(reg))
        .Insert();
    extended_.push_back(reg);
  }

  // ---- Rewriting

  void ChangeAccess(MachineInstr& access) {
    const PtxInstrInfo& info = InstrInfo(access.opcode());
    MachineOperand& address = access.operand(info.address);
    const MemorySpace space = spaces_.SpaceOf(address.reg());
    if (info.space == MemorySpace::kOperand) {
      access.operand(info.address_space).set_imm(CodeOf(space));
    } else {
      access.set_opcode(*ptx::FormInSpace(access.opcode(), space));
    }
    address.SetReg(NewRegister(address.reg()));
    absl::InlinedVector<const MachineMemOperand*, 2> memoperands;
    for (const MachineMemOperand* const old : access.memoperands()) {
      MachineMemOperand memoperand = *old;
      if (memoperand.address_space == address_space::kGeneric) memoperand.address_space = CodeOf(space);
      memoperands.push_back(function_.CreateMemOperand(memoperand));
    }
    access.SetMemOperands(memoperands);
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "SpaceInferred", access)
             << "generic access made one of " << RemarkArg("Space", NameOf(space)) << " memory";
    });
  }

  // Makes a conversion of an address that is known in its space a copy. Copies go last, since the addresses of some
  // are those that others name.
  void MakeCopy(MachineInstr& conversion) {
    MachineOperand& source = conversion.operand(1);
    unused_.Add(source.reg());
    source.SetReg(NewRegister(source.reg()));
    conversion.set_opcode(generic::kCopy);
  }

  void ReplaceCopy(MachineInstr& copy) {
    const Register result = copy.operand(0).reg();
    const Register source = copy.operand(1).reg();
    copy.EraseFromParent();
    reg_info_.ReplaceRegister(result, source);
    extended_.push_back(source);
  }

  void DecideTest(MachineInstr& test, bool answer) {
    unused_.Add(test.operand(1).reg());
    BuildMI(*test.parent(), &test, ptx::op::MOV_B1_i, test.debug_loc())
        .AddDef(test.operand(0).reg())
        .AddImm(answer ? -1 : 0)
        .Insert();
    test.EraseFromParent();
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const AddressSpaces spaces_;
  const ptx::Subtarget* const subtarget_;
  std::vector<MachineInstr*> accesses_;
  std::vector<MachineInstr*> conversions_;
  std::vector<std::pair<MachineInstr*, bool>> tests_;      // with the answer
  std::vector<Register> needed_;                           // generic addresses that are needed in their space
  std::vector<Register> new_reg_;                          // by virtual register: the address in the space, if needed
  std::vector<std::pair<Register, MachineInstr*>> moved_;  // the needed ones that are no origins, with definitions
  std::vector<Register> extended_;                         // registers that are read in more places
  UnusedInstrs unused_{function_};
};

// Returns true if there may be an address whose space matters: an access to a generic one, a test, or a conversion of
// what another instruction than the load of a parameter or the address of a stack object defines.
bool MayHaveWork(const MachineFunction& function) {
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      const PtxInstrInfo& info = InstrInfo(instr.opcode());
      if (info.family == ptx::Family::kIsspacep || IsGenericAccess(instr)) return true;
      if (!info.is_address_conversion() || AddressConversionOf(instr).is_to_generic) continue;
      if (!IsVirtualRead(instr.operand(1))) continue;
      const MachineInstr* const def = function.reg_info().UniqueDef(instr.operand(1).reg());
      if (def == nullptr || def->num_operands() < 2) continue;
      if (!InstrInfo(def->opcode()).reads_memory() && !def->operand(1).is_frame_index()) return true;
    }
  }
  return false;
}

}  // namespace

PassResult RunInferAddressSpaces(MachineFunction& function, PassContext& context) {
  if (!MayHaveWork(function)) return {};
  const bool changed = SpaceRewriter(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
