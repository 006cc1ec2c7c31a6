// What legalization refuses, and that it is said by name; every node of the table with every type ends in one of three
// ways: it is selected, it is refused with a message that names it, or the verifier rejects it.

#include <algorithm>
#include <set>

#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

// Operands that a signature allows: of each item a value of `type` or of a type of its own.
class SignatureReader {
 public:
  SignatureReader(LegalizedKernel& kernel, MVT type, MVT other) : kernel_(kernel), type_(type), other_(other) {}

  // False when the signature has something that no generic value can be made for.
  bool Read(std::string_view signature) {
    const size_t equals = signature.find('=');
    std::string_view results = signature.substr(0, equals), operands = signature.substr(equals + 1);
    for (std::string_view item; Next(operands, item);) {
      if (!AddOperand(item)) return false;
    }
    for (std::string_view item; Next(results, item);) {
      const std::optional<MVT> type = TypeOf(item);
      if (!type.has_value()) return false;
      this->results.push_back(*type);
    }
    return !this->results.empty();
  }

  std::vector<SDValue> operands;
  std::vector<MVT> results;

 private:
  static bool Next(std::string_view& text, std::string_view& item) {
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    const size_t end = std::min(text.find(' '), text.size());
    item = text.substr(0, end);
    text.remove_prefix(end);
    return !item.empty();
  }
  std::optional<MVT> TypeOf(std::string_view item) {
    if (item == "ch") return MVT::kOther;
    if (item.back() == '?') return std::nullopt;
    if (const std::optional<MVT> named = FindValueType(item)) return named;
    if (item[0] == 'B') return IsVector(type_) ? VectorOf(MVT::kI1, NumElements(type_)) : MVT::kI1;
    if (item[0] == 'P') return MVT::kI64;
    if (item.find_first_of("IFSVNX") != 0) return std::nullopt;
    // Equal letters are of one type if they carry a digit; others may differ.
    if (item.size() > 1) return item[1] == '0' ? type_ : other_;
    return other_;
  }
  bool AddOperand(std::string_view item) {
    SelectionDAG& dag = kernel_.dag();
    if (item == "ch") {
      operands.push_back(dag.root());
    } else if (item == "const") {
      operands.push_back(dag.GetConstant(0, MVT::kI32));
    } else if (item == "cc") {
      operands.push_back(dag.GetCondCode(IsFloatingPoint(type_) ? CondCode::kOlt : CondCode::kUlt));
    } else if (item == "vt") {
      operands.push_back(dag.GetValueType(MVT::kI8));
    } else if (const std::optional<MVT> type = TypeOf(item); type.has_value() && !IsToken(*type)) {
      operands.push_back(item[0] == 'P' ? kernel_.InPointer(0)
                                        : kernel_.Input(static_cast<unsigned>(operands.size() % 8), *type));
    } else {
      return false;
    }
    return true;
  }

  LegalizedKernel& kernel_;
  const MVT type_, other_;
};

// Under sanitizers every so many opcodes: all of them take minutes there.
#if defined(__SANITIZE_ADDRESS__)
constexpr int16_t kStride = 8;
#else
constexpr int16_t kStride = 1;
#endif

class EveryNodeTest : public testing::TestWithParam<const char*> {};

TEST_P(EveryNodeTest, IsSelectedRefusedOrMalformed) {
  int selected = 0, refused = 0, malformed = 0;
  std::set<std::string> refused_nodes;
  for (int16_t opcode = 0; opcode < isd::kNumOpcodes; opcode = static_cast<int16_t>(opcode + kStride)) {
    const NodeDesc& desc = Desc(opcode);
    const bool is_memory = desc.payload == NodePayload::kMemory;
    if (desc.payload != NodePayload::kNone && !is_memory) continue;
    // Their operands are leaves of their own kind: a jump table, a symbol, a token.
    if (opcode == isd::kBrJT || opcode == isd::kNvMoveParam || opcode == isd::kConvergenceCtrlLoop) continue;
    for (int i = 0; i < kNumValueTypes; ++i) {
      const MVT type = static_cast<MVT>(i);
      if (IsToken(type) || type == MVT::kUntyped || SizeInBits(type) > 1024) continue;
      for (const MVT other : {type, MVT::kI32, MVT::kF32, MVT::kI64, MVT::kV4I32}) {
        LegalizedKernel kernel(GetParam());
        SelectionDAG& dag = kernel.dag();
        SignatureReader reader(kernel, type, other);
        if (!reader.Read(desc.signature)) break;
        SDValue node;
        if (is_memory) {
          const bool is_atomic = (desc.properties & NodeProperty::kAtomic) != 0;
          const MachineMemOperand* memoperand =
              is_atomic ? kernel.AtomicOperand(type)
                        : kernel.MemOperand(MachineMemOperand::kLoad | MachineMemOperand::kStore, type, 5);
          if (opcode == isd::kLoad || opcode == isd::kStore) reader.operands.back() = dag.GetUndef(MVT::kI64);
          node = dag.GetMemNode(opcode, {}, reader.results, reader.operands, type, memoperand);
        } else {
          node = dag.GetNode(opcode, {}, reader.results, reader.operands);
        }
        for (unsigned k = 0; k < reader.results.size(); ++k) {
          if (reader.results[k] == MVT::kOther) {
            dag.SetRoot(node.Result(k));
          } else if (!IsToken(reader.results[k])) {
            kernel.Output(node.Result(k));
          }
        }
        if (!kernel.FinishIfValid()) {
          ++malformed;
          continue;
        }
        const std::string name =
            std::string(desc.name) + " of " + std::string(Name(type)) + ", " + std::string(Name(other));
        const absl::Status legalized = kernel.Legalize();
        if (!legalized.ok()) {
          ++refused;
          refused_nodes.insert(std::string(desc.name));
          EXPECT_EQ(legalized.code(), absl::StatusCode::kUnimplemented) << name << legalized;
          EXPECT_NE(legalized.message().find(absl::string_view(desc.name.data(), desc.name.size())),
                    absl::string_view::npos)
              << name << ": " << legalized;
          continue;
        }
        EXPECT_EQ(kernel.Flaw(), "") << name;
        const absl::Status emitted = kernel.SelectAndEmit();
        EXPECT_TRUE(emitted.ok()) << name << ": " << emitted;
        ++selected;
      }
    }
  }
  RecordProperty("selected", selected);
  RecordProperty("refused", refused);
  if (kStride > 1) return;
  EXPECT_GT(selected, 10000);
  EXPECT_GT(malformed, 0);
  // Of what has other forms too, these are refused of all types: functions that PTX only approximates, which afn would
  // allow, and jumps to addresses.
  for (const char* name : {"fsin", "fcos", "fexp", "flog", "fpow", "fcbrt", "brind"}) {
    EXPECT_EQ(refused_nodes.count(name), 1u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Subtargets, EveryNodeTest, testing::Values("sm_52", "sm_90"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

// Messages name the node with its types and say what is missing.

std::string ErrorOf(const std::function<SDValue(LegalizedKernel&)>& build, const char* cpu = "sm_80") {
  LegalizedKernel kernel(cpu);
  kernel.Output(build(kernel));
  kernel.Finish();
  const absl::Status status = kernel.Legalize();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  return std::string(status.message());
}

TEST(RefusalTest, FunctionsNeedTheFlagAfn) {
  const auto sine = [](uint32_t flags) {
    return [flags](LegalizedKernel& kernel) {
      return kernel.dag().GetNode(isd::kFSin, {}, MVT::kF32, {kernel.Input(0, MVT::kF32)}, flags);
    };
  };
  const std::string error = ErrorOf(sine(0));
  EXPECT_NE(error.find(": f32 = fsin "), std::string::npos) << error;
  EXPECT_NE(error.find("the flag afn would allow"), std::string::npos) << error;
  LegalizedKernel kernel;
  kernel.Output(sine(SDNodeFlags::kApproximateFuncs)(kernel));
  kernel.Finish();
  EXPECT_TRUE(kernel.Legalize().ok());
}

TEST(RefusalTest, AtomicLoopsAreMoreThanABlock) {
  const std::string error = ErrorOf([](LegalizedKernel& kernel) {
    const SDValue operands[] = {kernel.dag().EntryToken(), kernel.InPointer(0), kernel.Input(1, MVT::kI32)};
    const MVT types[] = {MVT::kI32, MVT::kOther};
    return kernel.dag().GetMemNode(isd::kAtomicLoadNand, {}, types, operands, MVT::kI32,
                                   kernel.AtomicOperand(MVT::kI32));
  });
  EXPECT_NE(error.find("i32,ch = AtomicLoadNand<"), std::string::npos) << error;
  EXPECT_NE(error.find("loop of compare-and-swap"), std::string::npos) << error;
}

TEST(RefusalTest, RegistersHoldNoVectorsBeyondTheirs) {
  LegalizedKernel kernel;
  kernel.dag().SetRoot(
      kernel.dag().GetCopyToReg({}, kernel.dag().EntryToken(), Register::Virtual(0), kernel.Input(0, MVT::kV4F32)));
  const absl::Status status = kernel.Legalize();
  EXPECT_NE(status.message().find("no register holds values of this type"), absl::string_view::npos) << status;
}

TEST(RefusalTest, LegalizationNeedsASubtarget) {
  ISelOptions options;
  LegalizedKernel kernel;
  options.subtarget = nullptr;
  EXPECT_EQ(LegalizeDag(kernel.dag(), options).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ptxmir::sdag
