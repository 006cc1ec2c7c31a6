// SPDX-License-Identifier: Apache-2.0

// Random functions as DAGs. They are executed according to the meaning of the nodes and, after selection (combine,
// legalize, select, schedule and emit), as machine code in the interpreter. The memory must be the same wherever
// the nodes define it.

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/interpreter/create_device.h"
#include "sdag/graph/type_classes.h"
#include "sdag/instruction_selection.h"
#include "sdag/meaning/dag_evaluator.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/emit/emit_fixture.h"
#include "tests/sdag/random_dag.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

struct TypeSet {
  const char* cpu;
  std::vector<MVT> types;
};
const std::vector<TypeSet>& TypeSets() {
  static const auto* const kSets = new std::vector<TypeSet>{
      {"sm_80", {MVT::kI1, MVT::kI16, MVT::kI32, MVT::kI64}},
      {"sm_90", {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32}},
      {"sm_70", {MVT::kI1, MVT::kI32, MVT::kF32, MVT::kF64, MVT::kI64}},
      {"sm_90", {MVT::kI1, MVT::kI32, MVT::kF16, MVT::kBF16, MVT::kF32}},
      {"sm_80", {MVT::kI1, MVT::kI32, MVT::kI64, MVT::kI128}},
      {"sm_90", {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32, MVT::kV4I8, MVT::kV2I16}},
      {"sm_90", {MVT::kI1, MVT::kF16, MVT::kF32, MVT::kV2F16, MVT::kI16, MVT::kV2I16}},
      {"sm_80", {MVT::kI1, MVT::kI32, MVT::kF32, MVT::kV4I32, MVT::kV2F32, MVT::kV4F32}},
      {"sm_90", {MVT::kI1, MVT::kBF16, MVT::kV2BF16, MVT::kI32, MVT::kF32}},
      {"sm_100", {MVT::kI1, MVT::kF32, MVT::kV2F32, MVT::kV2I32, MVT::kI64, MVT::kI32}},
      {"sm_75", {MVT::kI1, MVT::kI8, MVT::kV8I8, MVT::kI64, MVT::kV2I64, MVT::kV4I16, MVT::kI16}},
      {"sm_80", {MVT::kI1, MVT::kI32, MVT::kV3I32, MVT::kF64, MVT::kV2F64, MVT::kV3F32, MVT::kF32}},
      {"sm_60", {MVT::kI1, MVT::kF16, MVT::kV4F16, MVT::kI16, MVT::kV2F16, MVT::kI32}},
      {"sm_70", {MVT::kI1, MVT::kI128, MVT::kI16, MVT::kF64, MVT::kF32}},
      {"sm_52", {MVT::kI1, MVT::kI16, MVT::kI32, MVT::kF32, MVT::kF16}},
  };
  return *kSets;
}

class RandomSelectionTest : public EmitTest {
 protected:
  static constexpr size_t kBytes = 512;

  // Builds a function with values in memory and registers, in blocks that form a chain of diamonds.
  class Builder {
   public:
    Builder(MachineFunction& function, DagFunction& dags, uint64_t seed, const RandomDagOptions& options)
        : function_(function), dags_(dags), options_(options), random_(seed ^ 0x1234567) {}

    void Build() {
      MachineBasicBlock* block = function_.front();
      const uint32_t diamonds = Random(3);
      for (uint32_t i = 0; i < diamonds; ++i) block = Diamond(*block);
      Begin(*block);
      Body();
      dag_->SetRoot(dag_->GetNode(isd::kNvRetGlue, {}, MVT::kOther, {dag_->root()}));
      End();
    }

   private:
    uint32_t Random(uint32_t bound) { return static_cast<uint32_t>(random_.Next() % bound); }

    MachineBasicBlock* NewBlock() {
      MachineBasicBlock* block = function_.CreateBlock();
      function_.InsertBlock(nullptr, block);
      return block;
    }

    // The live values, which are in registers, are available in every block.
    void Begin(MachineBasicBlock& block) {
      dag_ = &dags_.dag(block);
      nodes_ = std::make_unique<RandomDag>(*dag_, random_.Next(), options_);
      for (const auto& [reg, type] : live_) {
        nodes_->Add(dag_->GetCopyFromReg({}, dag_->EntryToken(), reg, type));
      }
      out_ = Parameter("k_param_0");
      in_ = Parameter("k_param_1");
      for (const MVT type : options_.types) {
        if (type != MVT::kI1) nodes_->Add(Load(type));
      }
    }
    void End() { nodes_.reset(); }

    SDValue Parameter(const char* name) {
      MachineMemOperand memory;
      memory.flags = MachineMemOperand::kLoad | MachineMemOperand::kInvariant | MachineMemOperand::kDereferenceable;
      memory.address_space = address_space::kParam;
      memory.align_log2 = memory.base_align_log2 = 3;
      memory.has_known_size = true;
      memory.type.kind = LowLevelType::Kind::kScalar;
      memory.type.bits = 64;
      return dag_->GetLoad({}, MVT::kI64, dag_->EntryToken(), dag_->GetExternalSymbol(name, MVT::kI64),
                           function_.CreateMemOperand(memory));
    }
    const MachineMemOperand* MemOperand(MVT type, bool load) {
      MachineMemOperand memory;
      memory.flags = load ? MachineMemOperand::kLoad : MachineMemOperand::kStore;
      memory.address_space = address_space::kGlobal;
      while (SizeInBytes(type) % (2u << memory.align_log2) == 0) ++memory.align_log2;
      memory.base_align_log2 = memory.align_log2;
      memory.has_known_size = true;
      memory.type.kind = LowLevelType::Kind::kScalar;
      memory.type.bits = 8 * SizeInBytes(type);
      return function_.CreateMemOperand(memory);
    }
    SDValue Address(SDValue base, uint32_t offset) {
      return dag_->GetNode(isd::kAdd, {}, MVT::kI64, {base, dag_->GetConstant(offset, MVT::kI64)});
    }

    // Loads from the input or from memory that has been stored.
    SDValue Load(MVT type) {
      const bool again = next_ > 0 && Random(3) == 0;
      const uint32_t size = SizeInBytes(type);
      const uint32_t offset = Random((again ? next_ + size : kBytes) / size) * size % (kBytes - size + 1) / size * size;
      const SDValue address = Address(again ? out_ : in_, offset);
      SDValue value;
      const MVT narrow = SizeInBits(type) == 64 ? MVT::kI32 : MVT::kI8;
      if (IsScalarInteger(type) && SizeInBits(type) > 8 && Random(3) == 0) {
        value = dag_->GetExtLoad(Random(2) == 0 ? LoadExt::kSign : LoadExt::kZero, {}, type, dag_->root(), address,
                                 narrow, MemOperand(narrow, true));
      } else {
        value = dag_->GetLoad({}, type, dag_->root(), address, MemOperand(type, true));
      }
      if (again || Random(2) == 0) dag_->SetRoot(value.Result(1));
      return value;
    }
    void Store(SDValue value) {
      MVT type = value.type();
      if (type == MVT::kI1) {
        value = dag_->GetNode(isd::kZeroExtend, {}, MVT::kI32, {value});
        type = MVT::kI32;
      }
      const bool truncates = IsScalarInteger(type) && SizeInBits(type) > 8 && SizeInBits(type) <= 64 && Random(4) == 0;
      const MVT memory = truncates ? MVT::kI8 : type;
      const uint32_t size = SizeInBytes(memory);
      const uint32_t offset = (next_ + size - 1) / size * size;
      if (offset + size > kBytes) return;
      next_ = offset + size;
      const SDValue address = Address(out_, offset);
      if (truncates) {
        const MVT types[] = {MVT::kOther};
        const SDValue operands[] = {dag_->root(), value, address, dag_->GetUndef(MVT::kI64)};
        dag_->SetRoot(dag_->GetMemNode(isd::kStore, {}, types, operands, memory, MemOperand(memory, false),
                                       LoadExt::kNone, true));
      } else {
        dag_->SetRoot(dag_->GetStore({}, dag_->root(), value, address, MemOperand(memory, false)));
      }
    }

    // Makes an atomic on memory that has been stored: integers of 32 and 64 bits (for which the last two have no
    // instructions), in order with all other accesses.
    void Atomic(MVT type) {
      static constexpr int16_t kOpcodes[] = {isd::kAtomicLoadAdd, isd::kAtomicLoadSub,      isd::kAtomicLoadAnd,
                                             isd::kAtomicLoadOr,  isd::kAtomicLoadXor,      isd::kAtomicLoadMin,
                                             isd::kAtomicLoadMax, isd::kAtomicLoadUMin,     isd::kAtomicLoadUMax,
                                             isd::kAtomicSwap,    isd::kAtomicLoadUIncWrap, isd::kAtomicLoadUDecWrap};
      const uint32_t size = SizeInBytes(type);
      if (next_ < size) return;
      const SDValue address = Address(out_, Random(next_ / size) * size);
      const MVT types[] = {type, MVT::kOther};
      MachineMemOperand memory = *MemOperand(type, true);
      memory.flags |= MachineMemOperand::kStore;
      memory.success_ordering = memory.failure_ordering = AtomicOrdering::kMonotonic;
      SDValue result;
      if (Random(6) == 0) {
        const SDValue operands[] = {dag_->root(), address, nodes_->Value(type), nodes_->Value(type)};
        result = dag_->GetMemNode(isd::kAtomicCmpSwap, {}, types, operands, type, function_.CreateMemOperand(memory));
      } else {
        memory.failure_ordering = AtomicOrdering::kNotAtomic;
        const SDValue operands[] = {dag_->root(), address, nodes_->Value(type)};
        result = dag_->GetMemNode(kOpcodes[Random(std::size(kOpcodes) - (type == MVT::kI64 ? 2 : 0))], {}, types,
                                  operands, type, function_.CreateMemOperand(memory));
      }
      dag_->SetRoot(result.Result(1));
      nodes_->Add(result);
    }

    void Body() {
      const uint32_t size = 2 + Random(14);
      for (uint32_t i = 0; i < size; ++i) {
        if (Random(8) == 0) nodes_->Add(Load(ValueType()));
        if (Random(20) == 0) Atomic(AtomicType());
        const SDValue value = nodes_->Grow();
        if (Random(5) == 0) Store(value);
      }
      Store(nodes_->values().back());
      for (int i = 0; i < 2; ++i) Store(nodes_->Value(ValueType()));
    }
    MVT AtomicType() {
      const bool wide =
          std::find(options_.types.begin(), options_.types.end(), MVT::kI64) != options_.types.end() && Random(2) == 0;
      return wide ? MVT::kI64 : MVT::kI32;
    }
    MVT ValueType() {
      MVT type = MVT::kI1;
      while (type == MVT::kI1) type = options_.types[Random(static_cast<uint32_t>(options_.types.size()))];
      return type;
    }
    // Returns a type that registers can hold.
    MVT RegisterType() {
      for (int i = 0; i < 20; ++i) {
        const MVT type = options_.types[Random(static_cast<uint32_t>(options_.types.size()))];
        if (RegClassFor(type).has_value() && type != MVT::kI128 && !(IsVector(type) && SizeInBits(type) > 32)) {
          return type;
        }
      }
      return MVT::kI32;
    }
    Register Export(MVT type) {
      const Register reg = function_.reg_info().CreateVirtualRegister(*RegClassFor(type));
      dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), reg, nodes_->Value(type)));
      return reg;
    }
    void Jump(MachineBasicBlock& to) {
      dag_->SetRoot(dag_->GetNode(isd::kBr, {}, MVT::kOther, {dag_->root(), dag_->GetBasicBlock(to.number())}));
    }

    MachineBasicBlock* Diamond(MachineBasicBlock& top) {
      MachineBasicBlock *left = NewBlock(), *right = NewBlock(), *bottom = NewBlock();
      Begin(top);
      Body();
      const MVT type = RegisterType();
      if (Random(2) == 0) live_.push_back({Export(type), type});
      SDValue condition = nodes_->Value(MVT::kI1);
      if (condition.opcode() == isd::kConstant) condition = nodes_->Grow(MVT::kI1);
      dag_->SetRoot(
          dag_->GetNode(isd::kBrCond, {}, MVT::kOther, {dag_->root(), condition, dag_->GetBasicBlock(left->number())}));
      Jump(*right);
      End();
      top.AddSuccessor(left);
      top.AddSuccessor(right);
      const MVT merged = RegisterType();
      std::vector<std::pair<Register, MachineBasicBlock*>> incoming;
      for (MachineBasicBlock* side : {left, right}) {
        Begin(*side);
        Body();
        incoming.push_back({Export(merged), side});
        Jump(*bottom);
        End();
        side->AddSuccessor(bottom);
      }
      const Register reg = function_.reg_info().CreateVirtualRegister(*RegClassFor(merged));
      auto phi = BuildMI(*bottom, nullptr, generic::kPhi);
      phi.AddDef(reg);
      for (const auto& [value, block] : incoming) phi.AddUse(value).AddBlock(*block);
      phi.Insert();
      live_.push_back({reg, merged});
      return bottom;
    }

    MachineFunction& function_;
    DagFunction& dags_;
    const RandomDagOptions options_;
    SplitMix64 random_;
    SelectionDAG* dag_ = nullptr;
    std::unique_ptr<RandomDag> nodes_;
    SDValue out_, in_;
    uint32_t next_ = 0;  // the offset of the next store
    std::vector<std::pair<Register, MVT>> live_;
  };

  std::string DagsText() {
    std::string text;
    WriteDagFunction(*dags_, {}, text);
    return text.substr(std::min(text.find("dag:"), text.size()));
  }

  // Returns false after reporting an error.
  bool Check(uint64_t seed) {
    const TypeSet& set = TypeSets()[seed % TypeSets().size()];
    RandomDagOptions options{.types = set.types};
    Builder(*function_, *dags_, seed, options).Build();
    const std::string text = DagsText();
    const absl::Status valid = VerifyDags(*dags_);
    EXPECT_TRUE(valid.ok()) << valid << text;

    std::vector<uint8_t> input(kBytes);
    SplitMix64 random(seed ^ 0x777);
    for (size_t i = 0; i < kBytes; i += 8) {
      const DagConstant value = RandomInput(random.Next() % 2 == 0 ? MVT::kI64 : MVT::kF64, random);
      for (size_t b = 0; b < 8; ++b) input[i + b] = static_cast<uint8_t>(absl::Uint128Low64(value.bits()) >> (8 * b));
    }
    DagEvaluation evaluation;
    const uint64_t out = evaluation.memory.Allocate(kBytes), in = evaluation.memory.Allocate(kBytes);
    const uint64_t parameters = evaluation.memory.Allocate(16);
    evaluation.memory.Write(in, input);
    evaluation.memory.Store(parameters, DagConstant::Of(MVT::kI64, out));
    evaluation.memory.Store(parameters + 8, DagConstant::Of(MVT::kI64, in));
    evaluation.symbols["k_param_0"] = parameters;
    evaluation.symbols["k_param_1"] = parameters + 8;
    const absl::Status evaluated = EvaluateFunction(*dags_, evaluation);
    EXPECT_TRUE(evaluated.ok() || evaluated.code() == absl::StatusCode::kFailedPrecondition) << evaluated << text;

    const ptx::Subtarget subtarget = *ptx::Subtarget::Create(set.cpu, "");
    const absl::Status selected =
        SelectInstructions(*dags_, {.subtarget = &subtarget, .opt_level = static_cast<unsigned>(seed / 16 % 3)});
    if (!selected.ok()) {
      ADD_FAILURE() << "seed " << seed << ": " << selected << "\n" << text;
      return false;
    }
    std::string report;
    if (!VerifyMachineFunction(*function_, report)) {
      ADD_FAILURE() << "seed " << seed << ": " << report << text << Dump();
      return false;
    }
    if (!evaluated.ok()) return true;
    ++executed_;
    for (size_t i = 0; i < kBytes; ++i) {
      defined_ += evaluation.memory.Bytes(out + i, 1)->state != EvaluatorMemory::ByteState::kUndefined;
    }
    return Compare(seed, evaluation, out, input, text);
  }

  bool Compare(uint64_t seed, const DagEvaluation& evaluation, uint64_t expected, const std::vector<uint8_t>& input,
               const std::string& text) {
    auto device = ptx::CreateDevice(*module_, {function_});
    if (!device.ok()) {
      ADD_FAILURE() << device.status();
      return false;
    }
    const uint64_t out = (*device)->Allocate("out", kBytes), in = (*device)->Allocate("in", kBytes);
    (*device)->Write(out, std::vector<uint8_t>(kBytes));
    (*device)->Write(in, input);
    ptx::LaunchConfig config;
    config.kernel = "k";
    const auto result = (*device)->Launch(config, {ptx::KernelArgument::Of(out), ptx::KernelArgument::Of(in)});
    if (!result.ok() || result->fault.is_fault()) {
      ADD_FAILURE() << "seed " << seed << ": " << (result.ok() ? result->fault.ToString() : result.status().ToString())
                    << "\n"
                    << text << Dump();
      return false;
    }
    std::vector<uint8_t> bytes(kBytes);
    (*device)->Read(out, absl::MakeSpan(bytes));
    size_t where = 0;
    if (evaluation.memory.Matches(expected, bytes, &where)) return true;
    ADD_FAILURE() << "seed " << seed << ": byte " << where << " is " << int{bytes[where]} << ", not "
                  << int{evaluation.memory.Bytes(expected + where, 1)->value} << "\n"
                  << text << Dump();
    return false;
  }

  // Numbers the nodes in the order of the program and, if `with_debug_values`, lets some of them describe variables.
  // Selects the instructions and returns them without DBG_VALUEs.
  std::string SelectWithOrWithoutDebugValues(uint64_t seed, bool with_debug_values) {
    ReadModule();
    const TypeSet& set = TypeSets()[seed % TypeSets().size()];
    Builder(*function_, *dags_, seed, {.types = set.types}).Build();
    const MetadataId variable = function_->InternInlineMetadata("!DILocalVariable(name: \"x\", scope: null)");
    const MetadataId expression = function_->InternInlineMetadata("!DIExpression()");
    SplitMix64 random(seed ^ 0x999);
    uint32_t order = 0;
    for (const MachineBasicBlock& block : *function_) {
      for (SDNode& node : *dags_->FindDag(block.number())) {
        node.set_ir_order(order += 2);
        const auto resno = static_cast<unsigned>(random.Next() % node.num_values());
        if (!with_debug_values || random.Next() % 2 != 0 || IsToken(node.value_type(resno))) continue;
        dags_->FindDag(block.number())
            ->AddDbgValue({.value = {&node, resno},
                           .variable = variable,
                           .expression = expression,
                           .loc = {.order = order + 1, .debug_loc = 9}});
      }
    }
    EXPECT_TRUE(VerifyDags(*dags_).ok());
    const ptx::Subtarget subtarget = *ptx::Subtarget::Create(set.cpu, "");
    const absl::Status selected =
        SelectInstructions(*dags_, {.subtarget = &subtarget, .opt_level = static_cast<unsigned>(seed / 16 % 3)});
    EXPECT_TRUE(selected.ok()) << selected;
    std::string report;
    EXPECT_TRUE(VerifyMachineFunction(*function_, report)) << report;
    for (MachineBasicBlock& block : *function_) {
      for (MachineInstr* instr = block.front(); instr != nullptr;) {
        MachineInstr* next = instr->next();
        if (instr->is_debug()) {
          ++debug_values_;
          located_ += !instr->operand(0).is_reg() || instr->operand(0).reg().is_valid();
          instr->EraseFromParent();
        }
        instr = next;
      }
    }
    show_undefined_ = true;
    return Dump();
  }

  size_t debug_values_ = 0;
  size_t located_ = 0;  // debug values that have a location
  size_t executed_ = 0;
  size_t defined_ = 0;  // bytes
};

// Set PTXMIR_SELECTION_SEEDS=FIRST:COUNT for more.
std::pair<uint64_t, uint64_t> Seeds() {
  const char* seeds = std::getenv("PTXMIR_SELECTION_SEEDS");
  if (seeds == nullptr) return {0, testing::NumInputs(1500)};
  char* end = nullptr;
  const uint64_t first = std::strtoull(seeds, &end, 10);
  return {first, *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1};
}

TEST_F(RandomSelectionTest, MachineCodeComputesWhatTheNodesMean) {
  const auto [first, count] = Seeds();
  int failures = 0;
  const char* most = std::getenv("PTXMIR_SELECTION_FAILURES");
  const int limit = most == nullptr ? 3 : std::atoi(most);
  for (uint64_t seed = first; seed < first + count && failures < limit; ++seed) {
    ReadModule();
    failures += Check(seed) ? 0 : 1;
  }
  // Makes sure that something is tested: most functions have a meaning and define most of the memory.
  EXPECT_GE(executed_, count * 2 / 3);
  EXPECT_GE(defined_, executed_ * kBytes * 2 / 3);
}

TEST_F(RandomSelectionTest, DebugValuesDoNotChangeTheCode) {
  size_t total = 0;
  for (uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    const std::string plain = SelectWithOrWithoutDebugValues(seed, false);
    EXPECT_EQ(debug_values_, 0u) << seed;
    EXPECT_EQ(SelectWithOrWithoutDebugValues(seed, true), plain) << seed;
    total += std::exchange(debug_values_, 0);
  }
  EXPECT_GE(total, 1000u);
  EXPECT_GE(located_, total / 2);
}

}  // namespace
}  // namespace ptxmir::sdag
