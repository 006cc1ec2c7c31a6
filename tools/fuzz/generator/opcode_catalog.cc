// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/generator/opcode_catalog.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::fuzz {
namespace {

using ptx::InstrInfo;
using ptx::OperandRole;
using ptx::Property;
using ptx::PtxInstrInfo;
using ptx::ScalarType;

class NoSymbols final : public ptx::SymbolPrinter {
 public:
  void AppendGlobal(GlobalId, ptx::TextBuffer& out) const override { out.Append("global"); }
  void AppendSymbol(SymbolId, ptx::TextBuffer& out) const override { out.Append("symbol"); }
};

// Tries opcodes in a separate function.
class Prober {
 public:
  explicit Prober(const TargetInfo& target) : target_(target), function_(nullptr, target, "probe", 0) {
    block_ = function_.CreateBlock();
    function_.InsertBlock(nullptr, block_);
    context_.symbols = &symbols_;
  }

  // Returns true if the interpreter knows the statement that the opcode prints with these modifiers. If the opcode
  // prints several statements, sets `statement` to the one with the most modifiers. `modifiers` are the values of
  // the operands that need no register or immediate.
  bool Resolves(Opcode opcode, absl::Span<const int64_t> modifiers, ptx::Statement* statement);

  const std::string& text() const { return text_; }

 private:
  MachineOperand OperandFor(const OperandDesc& desc, bool is_result, absl::Span<const int64_t>* modifiers);
  Register Fresh(RegClassId reg_class);

  const TargetInfo& target_;
  MachineFunction function_;
  MachineBasicBlock* block_;
  NoSymbols symbols_;
  ptx::PrintContext context_;
  std::vector<ptx::PrintedRegister> printed_;
  uint32_t next_register_ = 0;
  std::string text_;
};

bool IsModifier(OperandRole role) {
  switch (role) {
    case OperandRole::kOrdering:
    case OperandRole::kScope:
    case OperandRole::kAddsp:
    case OperandRole::kSign:
    case OperandRole::kUsedbytes:
    case OperandRole::kCmp:
    case OperandRole::kCvt:
    case OperandRole::kFtz:
    case OperandRole::kPrmt:
    case OperandRole::kTmared:
    case OperandRole::kCtagroup:
    case OperandRole::kMma:
    case OperandRole::kHidden:
      return true;
    default:
      return false;
  }
}

Register Prober::Fresh(RegClassId reg_class) {
  const Register reg = Register::Virtual(next_register_++);
  function_.reg_info().EnsureVirtualRegister(reg.virtual_index());
  function_.reg_info().set_reg_class(reg, reg_class);
  printed_.resize(next_register_);
  printed_[reg.virtual_index()] = ptx::PrintedRegister(reg_class, reg.virtual_index());
  return reg;
}

MachineOperand Prober::OperandFor(const OperandDesc& desc, bool is_result, absl::Span<const int64_t>* modifiers) {
  const auto role = static_cast<OperandRole>(desc.role);
  if (desc.type == OperandType::kRegister && desc.reg_class < ptx::reg_class::kCount) {
    if (desc.reg_class == ptx::reg_class::kSpecialRegs) {
      return MachineOperand::CreateReg(Register::Physical(ptx::phys_reg::kEnvReg0));
    }
    return MachineOperand::CreateReg(Fresh(desc.reg_class), is_result ? MachineOperand::kDefine : 0);
  }
  if (IsModifier(role)) {
    const int64_t value = modifiers->empty() ? 0 : modifiers->front();
    if (!modifiers->empty()) modifiers->remove_prefix(1);
    return MachineOperand::CreateImm(value);
  }
  switch (role) {
    case OperandRole::kBase:
    case OperandRole::kHandle:
      return MachineOperand::CreateReg(Fresh(ptx::reg_class::kB64));
    case OperandRole::kRegimm:
    case OperandRole::kRegorsink:
      return MachineOperand::CreateReg(Fresh(ptx::reg_class::kB32));
    case OperandRole::kLabel:
      return MachineOperand::CreateBlock(block_->number());
    case OperandRole::kSymbol:
    case OperandRole::kCallee:
    case OperandRole::kProto:
      return MachineOperand::CreateExternalSymbol(function_.InternSymbol("symbol"));
    default:
      return MachineOperand::CreateImm(desc.type == OperandType::kImmediate ? 1 : 0);
  }
}

bool Prober::Resolves(Opcode opcode, absl::Span<const int64_t> modifiers, ptx::Statement* statement) {
  next_register_ = 0;
  std::vector<MachineOperand> operands;
  const absl::Span<const OperandDesc> descs = target_.Operands(opcode);
  for (size_t i = 0; i < descs.size(); ++i) {
    operands.push_back(OperandFor(descs[i], i < target_.Get(opcode).num_defs, &modifiers));
  }
  MachineInstr* instr = function_.CreateInstr(opcode, operands);
  context_.registers = printed_;
  ptx::TextBuffer out;
  const bool prints = ptx::PrintInstr(*instr, context_, out).ok();
  function_.DeleteInstr(instr);
  if (!prints) return false;
  text_ = std::string(out.view());
  absl::StatusOr<std::vector<ptx::Statement>> statements = ptx::ParseStatements(text_);
  if (!statements.ok()) return false;
  bool found = false;
  for (ptx::Statement& parsed : *statements) {
    if (parsed.kind != ptx::Statement::Kind::kInstruction) continue;
    ptx::Semantics semantics;
    if (!ptx::ResolveSemantics(parsed, &semantics).ok()) return false;
    // Of several statements, keeps the one with the most parts, and the last of those.
    if (!found || parsed.mnemonic.parts().size() >= statement->mnemonic.parts().size()) *statement = std::move(parsed);
    found = true;
  }
  return found;
}

// ---- PTX constraints.

// Values of the cvt operand ("Data Movement and Conversion Instructions: cvt" in the PTX ISA): 1 to 4 round to an
// integer, 5 to 8 are rn, rz, rm and rp; 16 is ftz, 32 sat, 64 relu.
std::vector<int16_t> ConversionModes(const ScalarType& to, const ScalarType& from, std::string_view narrow_to) {
  const bool from_f32 = from.kind == ScalarType::Kind::kFloat && from.bits == 32 && from.elements == 1;
  if (!to.is_valid() || !from.is_valid() || to.elements != 1 || from.elements != 1 ||
      to.kind == ScalarType::Kind::kOther || from.kind == ScalarType::Kind::kOther) {
    if (narrow_to.starts_with("ue8m0")) return {6, 8};
    return {5};
  }
  if (!to.is_float() && !from.is_float()) return {0};
  if (!to.is_float()) return from_f32 ? std::vector<int16_t>{1, 2, 3, 4, 18} : std::vector<int16_t>{1, 2, 3, 4};
  if (!from.is_float()) return to.bits >= 32 ? std::vector<int16_t>{5, 6, 7, 8} : std::vector<int16_t>{5};
  if (to.bits == from.bits && to.kind == from.kind) return {1, 2, 3, 4};
  if (to.bits > from.bits) return from_f32 ? std::vector<int16_t>{0, 16} : std::vector<int16_t>{0};
  if (to.bits == 32) return {5, 6, 7, 8};
  return from_f32 ? std::vector<int16_t>{5, 6} : std::vector<int16_t>{5};
}

std::vector<int16_t> ModifierValues(OperandRole role, const ptx::Statement& statement, const ScalarType& type) {
  switch (role) {
    case OperandRole::kCmp:
      if (type.is_float()) return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
      return {0, 1, 2, 3, 4, 5, 8, 9, 10, 11};
    case OperandRole::kFtz:
      if (type.kind == ScalarType::Kind::kBFloat) return {0};
      return {0, 1};
    case OperandRole::kPrmt:
      return {0, 1, 2, 3, 4, 5, 6};
    case OperandRole::kCvt:
      if (statement.mnemonic.Has("rs") || statement.mnemonic.parts().size() < 2) return {10};
      return ConversionModes(ptx::ParseScalarType(statement.mnemonic.Last(1)), type, statement.mnemonic.Last(1));
    case OperandRole::kMma:
      return {63};
    case OperandRole::kHidden:
      return {0};
    default:
      return {};
  }
}

// Returns true for opcodes of LLVM for which PTX has no instruction.
bool IsUnknownToPtx(const ptx::Statement& statement, const ScalarType& type) {
  const ptx::Mnemonic& mnemonic = statement.mnemonic;
  const bool is_bfloat = type.kind == ScalarType::Kind::kBFloat;
  if (mnemonic.base() == "fma") return is_bfloat && (mnemonic.Has("ftz") || mnemonic.Has("sat"));
  if (mnemonic.base() == "lg2") return type.bits == 64;
  if (mnemonic.base() == "wmma") return type.is_float() && mnemonic.Has("satfinite");
  if (mnemonic.base() != "cvt") return false;
  const ScalarType to = ptx::ParseScalarType(mnemonic.Last(1));
  return (is_bfloat && to.bits == 8) || (to.kind == ScalarType::Kind::kBFloat && type.bits == 8);
}

// Returns true for families whose operands are addresses, the launch or another thread, not values.
bool IsAddressFamily(ptx::Family family) {
  using enum ptx::Family;
  constexpr ptx::Family kFamilies[] = {kCvta,  kIsspacep, kGetctarank, kMapa,     kIstypep,
                                       kFrame, kTxq,      kSuq,        kMbarrier, kClusterlaunchcontrol};
  return std::find(std::begin(kFamilies), std::end(kFamilies), family) != std::end(kFamilies);
}

// PTX requires .noftz on 16-bit additions. LLVM's opcodes with a scope do not print it.
bool LacksNoFtz(const ptx::Statement& statement) {
  const ScalarType type = ptx::ParseScalarType(statement.mnemonic.Last());
  return type.is_float() && type.bits == 16 && !statement.mnemonic.Has("noftz");
}

bool IsAtomic(const PtxInstrInfo& info) {
  return info.family == ptx::Family::kAtom && info.address != PtxInstrInfo::kNoOperand && info.access_bits != 0;
}

// Returns the list to which an opcode may belong.
std::optional<AddressedFamily> FindAddressedFamily(const PtxInstrInfo& info) {
  using enum AddressedFamily;
  using ptx::Family;
  constexpr std::pair<Family, AddressedFamily> kFamilies[] = {
      {Family::kWmmaLoad, kWmmaLoad},
      {Family::kWmmaStore, kWmmaStore},
      {Family::kLdmatrix, kLdMatrix},
      {Family::kStmatrix, kStMatrix},
      {Family::kTxq, kTextureQuery},
      {Family::kSuq, kSurfaceQuery},
      {Family::kSuld, kSurfaceLoad},
      {Family::kSustB, kSurfaceStore},
      {Family::kSustP, kSurfaceStore},
      {Family::kBarrier, kBarrier},
      {Family::kFence, kFence},
      {Family::kPrefetch, kPrefetch},
      {Family::kTcgen05Ld, kTensorLoad},
      {Family::kTcgen05St, kTensorStore},
      {Family::kTcgen05Cp, kTensorCopy},
      {Family::kTcgen05Mma, kTensorProduct},
      {Family::kTcgen05MmaWs, kTensorProduct},
  };
  const Family family = info.family;
  const std::string_view name = ptx::SemanticsName(info.semantics);
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (IsAtomic(info)) return kAtomic;
  if (family == Family::kCpAsync && info.second_address != PtxInstrInfo::kNoOperand) return kCopy;
  if (family == Family::kTex || family == Family::kTld4)
    return info.Has(Property::kUnified) ? kTexture : kSampledTexture;
  if ((family == Family::kCpAsyncBulk || family == Family::kTma) && has("prefetch")) {
    return family == Family::kTma ? kBoxPrefetch : kBulkPrefetch;
  }
  if (family == Family::kCpAsyncBulk && info.second_address != PtxInstrInfo::kNoOperand) {
    return has("mbarrier") ? kBulkLoad : kBulkStore;
  }
  if (family == Family::kTma) return has("mbarrier") ? kBoxLoad : kBoxStore;
  if (family == Family::kMbarrier) {
    if (has("_wait")) return kMbarrierWait;
    if (has("arrive")) return kMbarrierArrive;
    if (has(".expect_tx.") || has(".complete_tx.")) return kMbarrierCount;
  }
  for (const auto& [known, which] : kFamilies) {
    if (family == known) return which;
  }
  return std::nullopt;
}

// Returns true if PTX has the statement that an opcode of a list prints.
bool IsKnownToPtx(AddressedFamily family, const ptx::Statement& statement) {
  // PTX requires a constant size, but LLVM takes a register.
  if (statement.mnemonic.base() == "applypriority") return false;
  return family != AddressedFamily::kAtomic || !LacksNoFtz(statement);
}

// ---- SM support, according to ptxas of CUDA 13.0.

constexpr uint8_t SmBit(FuzzSm sm) { return static_cast<uint8_t>(1 << static_cast<int>(sm)); }
constexpr uint8_t kEverySm = (1 << kNumFuzzSms) - 1;
constexpr uint8_t kBlackwell = kEverySm & ~SmBit(FuzzSm::k90a);
constexpr uint8_t kTensorMemory = SmBit(FuzzSm::k100a) | SmBit(FuzzSm::k103a);

uint8_t SmsOf(const ptx::Statement& statement, const ScalarType& type) {
  const ptx::Mnemonic& mnemonic = statement.mnemonic;
  const std::string_view base = mnemonic.base();
  const auto has = [&](std::string_view part) { return mnemonic.Has(part); };
  if (base == "tcgen05") return has("kind::i8") ? SmBit(FuzzSm::k100a) : kTensorMemory;
  if (base == "mma") {
    return mnemonic.text().find("kind::") != std::string_view::npos ? SmBit(FuzzSm::k120a) : kEverySm;
  }
  if (base == "cvt" && has("rs")) return kTensorMemory;
  if (base == "cvt" && has("tf32") && has("satfinite")) return kBlackwell;
  const std::string_view text = mnemonic.text();
  for (const std::string_view narrow : {"e2m1", "e2m3", "e3m2", "ue8m0", "b6x16_p32", "b4x16_p64", "m16n16", "m16n8"}) {
    if (text.find(narrow) != text.npos) return kBlackwell;
  }
  if (base == "redux" && type.is_float()) return kTensorMemory;
  // Sums in f32 of narrower types.
  const bool is_sum = base == "add" || base == "sub" || base == "fma";
  if (is_sum && has("f32") && mnemonic.Last() != "f32") return kBlackwell;
  if (has("cp_mask")) return kBlackwell;
  if (type.elements == 2 && type.bits == 32 && type.is_float()) return kBlackwell;
  if ((base == "min" || base == "max") && statement.operands.size() > 3) return kBlackwell;
  return kEverySm;
}

bool IsRegisterComputation(Opcode opcode, const PtxInstrInfo& info) {
  constexpr uint32_t kNever = Property::kRead | Property::kWrite | Property::kSide | Property::kCarryin |
                              Property::kCarryout | Property::kVolatile | Property::kFrame | Property::kControl |
                              Property::kCall | Property::kQuery | Property::kBarrier | Property::kFence;
  // Opcodes below this are target-independent and have no PTX.
  constexpr Opcode kFirstOfTarget = 52;
  return opcode >= kFirstOfTarget && !info.Has(kNever) && (info.is_pure() || info.is_collective()) &&
         !IsAddressFamily(info.family);
}

// Determines what an immediate without a role is, by its position in the statement.
FormOperand Immediate(Opcode opcode, const TargetInfo& target, const ptx::Statement& statement, size_t source,
                      size_t num_sources, const ScalarType& type) {
  const std::string_view base = statement.mnemonic.base();
  const std::string_view name = target.StableName(opcode);
  FormOperand operand;
  operand.bits = static_cast<uint8_t>(std::min(type.RegisterBits(), 64u));
  operand.is_bfloat = type.kind == ScalarType::Kind::kBFloat;
  const bool is_shift = base == "shl" || base == "shr" || base == "shf" || base == "bfe" || base == "bfi";
  if (InstrInfo(opcode).Has(Property::kTensor)) {
    // Selects which threads hold the metadata of a sparse matrix.
    operand.source = OperandSource::kZero;
  } else if (InstrInfo(opcode).is_collective()) {
    operand.source = source + 1 == num_sources ? OperandSource::kMask : OperandSource::kCount;
    operand.bits = 32;
  } else if (type.kind == ScalarType::Kind::kPred) {
    operand.source = OperandSource::kBoolean;
  } else if (type.is_float()) {
    operand.source = OperandSource::kFloat;
  } else if (is_shift && source != 0) {
    operand.source = OperandSource::kCount;
  } else if (base == "div" || base == "rem") {
    operand.source = OperandSource::kNonzero;
  } else if (base == "mov" || base == "selp") {
    // The bits of a float, in LLVM's spelling.
    const bool is_float = name.find("_F") != name.npos || name.find("_f") != name.npos;
    operand.is_bfloat = name.find("BF16") != name.npos || name.find("bf16") != name.npos;
    operand.source = is_float || operand.is_bfloat ? OperandSource::kFloat : OperandSource::kInteger;
  } else {
    operand.source = OperandSource::kInteger;
  }
  return operand;
}

// Returns the type of the operands: the last part of the mnemonic that is a type.
ScalarType OperandType(const ptx::Statement& statement) {
  const auto& parts = statement.mnemonic.parts();
  for (size_t i = parts.size(); i-- > 0;) {
    const ScalarType type = ptx::ParseScalarType(parts[i]);
    if (type.is_valid()) return type;
  }
  return {};
}

bool IsThreadDependent(const ptx::Statement& statement) {
  if (statement.mnemonic.base() != "mov") return false;
  for (const ptx::StatementOperand& operand : statement.operands) {
    for (const std::string_view name : {"tid", "laneid", "warpid", "lanemask", "ctaid", "cluster_ctarank", "smid"}) {
      if (operand.name.find(name) != operand.name.npos) return true;
    }
  }
  return false;
}

// Returns the mask for the operands that select the scales of blocks: the bytes and threads, for a and for b. The
// scales of a row are adjacent in one register.
uint8_t SelectorMask(const ptx::Mnemonic& mnemonic, unsigned number) {
  if (number % 2 != 0) return 1;
  if (mnemonic.Has("scale_vec::4X")) return 0;
  const bool has_one = mnemonic.Has("scale_vec::1X") || mnemonic.Has("kind::mxf8f6f4");
  return has_one && !mnemonic.Has("scale_vec::2X") ? 3 : 2;
}

class FormBuilder {
 public:
  FormBuilder(const TargetInfo& target, Prober& prober) : target_(target), prober_(prober) {}

  std::optional<OpcodeForm> Build(Opcode opcode);

 private:
  bool AddOperands(const ptx::Statement& statement, const ScalarType& type, OpcodeForm& form);
  // Keeps the tuples of modifiers that can be printed and are valid.
  void AddModifiers(const std::vector<std::vector<int16_t>>& values, OpcodeForm& form);

  const TargetInfo& target_;
  Prober& prober_;
};

void FormBuilder::AddModifiers(const std::vector<std::vector<int16_t>>& values, OpcodeForm& form) {
  const std::vector<int16_t> none = {0};
  for (const int16_t first : values.empty() ? none : values[0]) {
    for (const int16_t second : values.size() < 2 ? none : values[1]) {
      const int64_t tuple[] = {first, second};
      ptx::Statement statement;
      if (prober_.Resolves(form.opcode, absl::MakeConstSpan(tuple, values.size()), &statement)) {
        form.modifiers.push_back({first, second});
      }
    }
  }
}

std::optional<OpcodeForm> FormBuilder::Build(Opcode opcode) {
  // Finds some combination that prints, to obtain the mnemonic.
  constexpr int64_t kTries[][2] = {{0, 0}, {5, 0}, {1, 0}, {6, 0}, {10, 0}, {2, 0}, {63, 0}};
  ptx::Statement statement;
  bool resolves = false;
  for (const auto& values : kTries) {
    if ((resolves = prober_.Resolves(opcode, values, &statement))) break;
  }
  if (!resolves) return std::nullopt;
  OpcodeForm form;
  form.opcode = opcode;
  form.is_collective = InstrInfo(opcode).is_collective();
  form.is_thread_dependent = IsThreadDependent(statement);
  const ScalarType type = OperandType(statement);
  // The result of a vote without .sync depends on the scheduling.
  if (form.is_collective && !statement.mnemonic.Has("sync")) return std::nullopt;
  if (IsUnknownToPtx(statement, type) || !AddOperands(statement, type, form)) return std::nullopt;
  std::vector<std::vector<int16_t>> values;
  for (const OperandDesc& desc : target_.Operands(opcode)) {
    const auto role = static_cast<OperandRole>(desc.role);
    if (IsModifier(role)) values.push_back(ModifierValues(role, statement, type));
  }
  if (values.size() > 2) return std::nullopt;
  if (!values.empty()) {
    AddModifiers(values, form);
    if (form.modifiers.empty()) return std::nullopt;
  }
  return form;
}

bool FormBuilder::AddOperands(const ptx::Statement& statement, const ScalarType& type, OpcodeForm& form) {
  const absl::Span<const OperandDesc> descs = target_.Operands(form.opcode);
  const size_t num_results = target_.Get(form.opcode).num_defs;
  if (num_results == 0) return false;
  const size_t num_sources =
      static_cast<size_t>(std::count_if(descs.begin() + num_results, descs.end(), [](const OperandDesc& desc) {
        return !IsModifier(static_cast<OperandRole>(desc.role));
      }));
  form.sms = SmsOf(statement, type);
  const bool is_sparse = statement.mnemonic.Has("sp") || statement.mnemonic.Has("sp::ordered_metadata");
  size_t source = 0;
  unsigned num_selectors = 0;
  for (size_t i = 0; i < descs.size(); ++i) {
    const auto role = static_cast<OperandRole>(descs[i].role);
    FormOperand operand;
    if (i < num_results) {
      operand.source = OperandSource::kResult;
      operand.reg_class = descs[i].reg_class;
    } else if (IsModifier(role)) {
      operand.source = OperandSource::kModifier;
    } else if (role == OperandRole::kHexu32) {
      operand.source = OperandSource::kInteger;
      operand.bits = 16;
      ++source;
    } else if (role != OperandRole::kNone || descs[i].type == OperandType::kUnknown ||
               descs[i].reg_class == ptx::reg_class::kSpecialRegs) {
      return false;
    } else if (descs[i].type == OperandType::kRegister) {
      operand.reg_class = descs[i].reg_class;
      // The mask is the last source of a collective that takes one.
      if (statement.mnemonic.Has("block_scale") && descs[i].reg_class == ptx::reg_class::kB16) {
        operand.source = OperandSource::kSelector;
        operand.bits = SelectorMask(statement.mnemonic, num_selectors++);
      }
      const bool is_mask =
          form.is_collective && source + 1 == num_sources && !InstrInfo(form.opcode).Has(Property::kTensor);
      if (is_mask) operand.source = OperandSource::kMask;
      if (is_sparse && i + 1 < descs.size() && descs[i + 1].type == OperandType::kImmediate) {
        operand.source = OperandSource::kMetadata;
      }
      ++source;
    } else {
      operand = Immediate(form.opcode, target_, statement, source++, num_sources, type);
    }
    form.operands.push_back(operand);
  }
  return true;
}

}  // namespace

std::string_view FuzzSmName(FuzzSm sm) {
  constexpr std::string_view kNames[kNumFuzzSms] = {"sm_90a", "sm_100a", "sm_103a", "sm_120a"};
  return kNames[static_cast<size_t>(sm)];
}

OpcodeCatalog::OpcodeCatalog(const TargetInfo& target) {
  Prober prober(target);
  FormBuilder builder(target, prober);
  std::vector<size_t> family_sizes(ptx::kNumFamilies);
  sms_.resize(target.instrs.size());
  for (size_t i = 0; i < target.instrs.size(); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const PtxInstrInfo& info = InstrInfo(opcode);
    if (info.template_code == 0 || target.Get(opcode).Has(InstrFlag::kPreIsel)) continue;
    if (const std::optional<AddressedFamily> family = FindAddressedFamily(info); family.has_value()) {
      ptx::Statement statement;
      constexpr int64_t kGlobalAccess[] = {0, 0, address_space::kGlobal};  // order, scope, space
      constexpr int64_t kMatrixMove[] = {63};
      const bool is_matrix = family <= AddressedFamily::kStMatrix && info.Has(Property::kTensor);
      const absl::Span<const int64_t> modifiers =
          is_matrix ? absl::MakeConstSpan(kMatrixMove) : absl::MakeConstSpan(kGlobalAccess);
      if (prober.Resolves(opcode,
                          is_matrix || family == AddressedFamily::kAtomic ? modifiers : absl::Span<const int64_t>(),
                          &statement) &&
          IsKnownToPtx(*family, statement)) {
        addressed_[static_cast<size_t>(*family)].push_back(opcode);
        sms_[opcode] = SmsOf(statement, OperandType(statement));
        const bool names_space = statement.mnemonic.Has("shared") || statement.mnemonic.Has("global");
        if (is_matrix && !names_space) generic_moves_.push_back(opcode);
      }
    }
    if (!IsRegisterComputation(opcode, info)) continue;
    std::optional<OpcodeForm> form = builder.Build(opcode);
    if (!form.has_value()) continue;
    ++family_sizes[static_cast<size_t>(info.family)];
    sms_[opcode] = form->sms;
    forms_.push_back(*std::move(form));
  }
  std::vector<uint64_t> weights;
  for (const OpcodeForm& form : forms_) {
    // The weight of a family is the square root of its count, so that rare families are not lost among the loads
    // and adds.
    const ptx::Family family = InstrInfo(form.opcode).family;
    const double weight = 1000 * (2 + std::sqrt(static_cast<double>(CorpusCount(family))));
    weights.push_back(1 +
                      static_cast<uint64_t>(weight / static_cast<double>(family_sizes[static_cast<size_t>(family)])));
  }
  AddChoices(weights);
}

void OpcodeCatalog::AddChoices(const std::vector<uint64_t>& weights) {
  choices_.resize(ptx::reg_class::kCount + 1);
  for (uint32_t i = 0; i < forms_.size(); ++i) {
    const RegClassId result = forms_[i].operands.front().reg_class;
    for (const size_t row : {size_t{result}, choices_.size() - 1}) {
      for (const bool with_collectives : {false, true}) {
        if (forms_[i].is_collective && !with_collectives) continue;
        Choice& choice = choices_[row][with_collectives];
        choice.forms.push_back(i);
        choice.weights.push_back((choice.weights.empty() ? 0 : choice.weights.back()) + weights[i]);
      }
    }
  }
}

const OpcodeForm* OpcodeCatalog::Pick(RegClassId result, bool allow_collective, FuzzRandom& random) const {
  const size_t row = result == kNoRegClass ? choices_.size() - 1 : result;
  const Choice& choice = choices_[row][allow_collective];
  if (choice.forms.empty()) return nullptr;
  const uint64_t at = random.Below(choice.weights.back());
  const auto found = std::upper_bound(choice.weights.begin(), choice.weights.end(), at);
  return &forms_[choice.forms[static_cast<size_t>(found - choice.weights.begin())]];
}

}  // namespace ptxmir::fuzz
