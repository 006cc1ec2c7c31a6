// SPDX-License-Identifier: Apache-2.0

// Every node of the table, with every combination of types that its signature allows, is selected after
// legalization or rejected with a message that names a node. There is no third outcome. Values come from loads and
// go to stores, so that types that no register holds are legalized at both ends.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "ir/address_space.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/instruction_selection.h"
#include "sdag/legalize/dag_legalizer.h"
#include "sdag/select/dag_selector.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/dag_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

struct Item {
  std::string text;
  bool is_type() const { return std::isupper(text[0]) && text != "Untyped"; }
  // Returns the possible types of the type table. "I0" and "I" are treated alike.
  std::vector<MVT> Types() const {
    std::vector<MVT> types;
    for (int i = 0; i < kNumValueTypes; ++i) {
      if (Allows(static_cast<MVT>(i))) types.push_back(static_cast<MVT>(i));
    }
    return types;
  }
  bool Allows(MVT type) const { return !IsToken(type) && type != MVT::kUntyped && IsOfTypeClass(type, text[0]); }
};

std::vector<Item> Items(std::string_view text) {
  std::vector<Item> items;
  for (const auto word : absl::StrSplit(std::string(text), ' ', absl::SkipEmpty())) {
    items.push_back({std::string(word)});
  }
  return items;
}

struct Tally {
  size_t selected = 0;
  size_t refused = 0;
  size_t malformed = 0;  // the types do not fit each other
  size_t failed = 0;
};

struct Outcome {
  Tally tally;
  bool ok = false;
  char last[160] = {};  // the last case that was tried
};

class EveryNode {
 public:
  EveryNode(int16_t opcode, const ISelOptions& options, char* last) : opcode_(opcode), options_(options), last_(last) {
    const std::string_view signature = Desc(opcode).signature;
    results_ = Items(signature.substr(0, signature.find('=')));
    operands_ = Items(signature.substr(signature.find('=') + 1));
    Reset();
  }

  Tally Run() {
    Choose(0);
    return tally_;
  }

 private:
  // Chooses a type for each item. Equal variables have equal types.
  void Choose(size_t number) {
    if (number == results_.size() + operands_.size()) {
      for (const CondCode code : CodesToTry()) Try(code);
      return;
    }
    const Item& item = number < results_.size() ? results_[number] : operands_[number - results_.size()];
    std::vector<MVT> types = {MVT::kOther};
    if (item.is_type()) {
      types = item.Types();
      const bool is_variable = item.text.size() >= 2 && std::isdigit(static_cast<unsigned char>(item.text[1]));
      for (size_t earlier = 0; is_variable && earlier < number; ++earlier) {
        const Item& other = earlier < results_.size() ? results_[earlier] : operands_[earlier - results_.size()];
        if (other.text.substr(0, 2) == item.text.substr(0, 2)) types = {chosen_[earlier]};
      }
      // A third independent type gets only one choice, to limit the number of cases.
      if (types.size() > 1 && free_ >= 2) types = {item.Allows(MVT::kI32) ? MVT::kI32 : types.front()};
    }
    const bool is_free = types.size() > 1;
    free_ += is_free;
    for (const MVT type : types) {
      chosen_.push_back(type);
      Choose(number + 1);
      chosen_.pop_back();
    }
    free_ -= is_free;
  }

  std::vector<CondCode> CodesToTry() const {
    std::vector<CondCode> codes = {CondCode::kEq};
    for (const Item& item : operands_) {
      if (item.text != "cc") continue;
      for (int i = 0; i < kNumCondCodes; ++i) codes.push_back(static_cast<CondCode>(i));
    }
    return codes;
  }

  void Reset() {
    text_ = std::make_unique<DagText>(OneBlock("    t0: ch,glue = EntryToken\n"));
    cases_ = 0;
  }

  const MachineMemOperand* Memory(MVT type, bool is_load, bool is_atomic = false) {
    MachineMemOperand operand;
    operand.flags = is_load ? MachineMemOperand::kLoad : MachineMemOperand::kStore;
    operand.has_known_size = true;
    operand.type.kind = LowLevelType::Kind::kScalar;
    operand.type.bits = std::max(8u, SizeInBits(type));
    operand.align_log2 = operand.base_align_log2 = 4;
    operand.address_space = address_space::kGlobal;
    if (is_atomic) operand.success_ordering = AtomicOrdering::kMonotonic;
    return text_->dags().machine_function().CreateMemOperand(operand);
  }

  bool IsAtomic() const { return (Desc(opcode_).properties & NodeProperty::kAtomic) != 0; }

  SDValue Load(MVT type) {
    SelectionDAG& dag = text_->dag();
    const SDValue address = dag.GetConstant(4096 + 16 * next_address_++, MVT::kI64);
    return dag.GetLoad({}, type, dag.EntryToken(), address, Memory(type, true));
  }

  SDValue Operand(const Item& item, MVT type, CondCode code) {
    SelectionDAG& dag = text_->dag();
    const std::string& text = item.text;
    if (text == "ch" || text == "ch*") return dag.EntryToken();
    if (text == "glue") {
      const SDValue a = Load(MVT::kI32);
      return dag.GetNode(isd::kAddC, {}, {MVT::kI32, MVT::kGlue}, {a, a}).Result(1);
    }
    if (text == "cc") return dag.GetCondCode(code);
    if (text == "vt") return dag.GetValueType(MVT::kI8);
    if (text == "bb") return dag.GetBasicBlock(0);
    // Acquire for fences; an index for others.
    if (text == "const") return dag.GetTargetConstant(opcode_ == isd::kAtomicFence ? 4 : 1, MVT::kI32);
    if (text == "sym") return dag.GetExternalSymbol("symbol", MVT::kI64, true);
    if (text == "md") return dag.GetMDNode(MDNodeSDNode::kNull);
    if (text == "fi") return dag.GetFrameIndex(0, MVT::kI64, true);
    if (item.is_type()) return Load(type);
    return SDValue();
  }

  // Makes the node between loads and stores. Returns no value if it cannot be made.
  SDValue Make(CondCode code) {
    std::vector<MVT> types;
    for (size_t i = 0; i < results_.size(); ++i) {
      const std::string& text = results_[i].text;
      if (text == "ch" || text == "ch?") {
        types.push_back(MVT::kOther);
      } else if (text == "glue") {
        types.push_back(MVT::kGlue);
      } else if (results_[i].is_type()) {
        types.push_back(chosen_[i]);
      } else if (const std::optional<MVT> fixed = FindValueType(text)) {
        types.push_back(*fixed);
      } else if (text.back() != '?') {
        return SDValue();
      }
    }
    std::vector<SDValue> operands;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const MVT type = chosen_[results_.size() + i];
      const std::string& text = operands_[i].text;
      if (text == "*" && Desc(opcode_).payload == NodePayload::kMemory) {
        operands.push_back(text_->dag().GetConstant(32, MVT::kI64));
      }
      if (text == "glue?" || text == "*") continue;
      SDValue operand;
      if (const std::optional<MVT> fixed = FindValueType(text); fixed.has_value() && !IsToken(*fixed)) {
        operand = Load(*fixed);
      } else {
        operand = Operand(operands_[i], type, code);
      }
      if (!operand) return SDValue();
      operands.push_back(operand);
      // As many operands as the vector has elements.
      if (Desc(opcode_).relation == TypeRelation::kBuildVector && text.back() == '*') {
        for (unsigned k = 1; k < NumElements(types[0]); ++k) operands.push_back(Load(type));
      }
      if (Desc(opcode_).relation == TypeRelation::kConcat) operands.push_back(Load(type));
    }
    // Indexed forms are always rejected, so use the undefined offset.
    if (opcode_ == isd::kLoad || opcode_ == isd::kStore)
      operands.back() = text_->dag().GetUndef(operands.back().type());
    return MakeWithPayload(types, operands);
  }

  SDValue MakeWithPayload(const std::vector<MVT>& types, const std::vector<SDValue>& operands) {
    SelectionDAG& dag = text_->dag();
    switch (Desc(opcode_).payload) {
      case NodePayload::kNone:
        return dag.GetNode(opcode_, {}, types, operands);
      case NodePayload::kMemory: {
        const bool is_load = !types.empty() && !IsToken(types[0]);
        MVT type = is_load ? types[0] : operands.size() > 1 ? operands[1].type() : MVT::kI32;
        // As many values as the vector form accesses.
        const auto is_value = [](const Item& item) { return item.is_type(); };
        const auto& values = is_load ? results_ : operands_;
        const auto count = static_cast<unsigned>(std::count_if(values.begin(), values.end(), is_value));
        const bool is_vector_form = operands_.back().text == "*" && count > 1;
        if (is_vector_form) type = VectorOf(ScalarType(type), std::max(1u, NumElements(type)) * count).value_or(type);
        return dag.GetMemNode(opcode_, {}, types, operands, type, Memory(type, is_load, IsAtomic()));
      }
      case NodePayload::kAddrSpaceCast:
        return dag.GetAddrSpaceCast({}, types[0], operands[0], 1, 0);
      case NodePayload::kShuffle: {
        std::vector<int16_t> mask;
        for (unsigned i = 0; i < NumElements(types[0]); ++i) mask.push_back(static_cast<int16_t>(i * 3 % (i + 2)));
        return dag.GetVectorShuffle({}, types[0], operands[0], operands[1], mask);
      }
      case NodePayload::kAlign:
        return dag.GetAssertAlign({}, operands[0], 4);
      default:
        return SDValue();
    }
  }

  void Use(SDValue node) {
    SelectionDAG& dag = text_->dag();
    std::vector<SDValue> chains;
    for (unsigned i = 0; i < node->num_values(); ++i) {
      const SDValue value = node.Result(i);
      if (value.type() == MVT::kGlue || value.type() == MVT::kUntyped) continue;
      if (value.type() == MVT::kOther) {
        chains.push_back(value);
        continue;
      }
      const SDValue address = dag.GetConstant(64 + 16 * i, MVT::kI64);
      chains.push_back(dag.GetStore({}, dag.EntryToken(), value, address, Memory(value.type(), false)));
    }
    if (!chains.empty()) dag.SetRoot(dag.GetTokenFactor({}, chains));
  }

  void Try(CondCode code) {
    if (++cases_ > 500) Reset();
    SelectionDAG& dag = text_->dag();
    dag.Clear();
    next_address_ = 0;
    const SDValue node = Make(code);
    if (!node) return;
    std::string what(node->name());
    for (const MVT type : chosen_) what += " " + std::string(Name(type));
    Use(node);
    std::vector<DagFlaw> flaws;
    VerifyDag(dag, flaws, 1);
    if (!flaws.empty()) {
      ++tally_.malformed;
      return;
    }
    std::strncpy(last_, what.c_str(), sizeof(Outcome::last) - 1);
    if (IsAtomic() && dag.root()) return SelectAsFunction(what);
    const absl::Status legalized = LegalizeDag(dag, options_);
    if (!legalized.ok()) return Refused(what, legalized);
    VerifyDag(dag, flaws, 1);
    if (!flaws.empty()) return Fail(what, absl::InternalError(flaws[0].ToString()));
    const absl::Status selected = SelectDag(dag, options_);
    if (!selected.ok()) return Fail(what, selected);
    const absl::StatusOr<EmitResult> emitted = EmitSchedule(dag, {.subtarget = options_.subtarget});
    if (!emitted.ok()) return Fail(what, emitted.status());
    ++tally_.selected;
  }

  // For nodes that may become several blocks.
  void SelectAsFunction(const std::string& what) {
    SelectionDAG& dag = text_->dag();
    const MVT chain = MVT::kOther;
    const SDValue operands[] = {dag.root()};
    dag.SetRoot(dag.GetNode(isd::kNvRetGlue, {}, absl::MakeConstSpan(&chain, 1), operands));
    const absl::Status selected = SelectInstructions(text_->dags(), options_);
    Reset();
    if (!selected.ok()) return Refused(what, selected);
    ++tally_.selected;
  }

  void Refused(const std::string& what, const absl::Status& status) {
    ++tally_.refused;
    const std::string message(status.message());
    // Set PTXMIR_REFUSALS=1 in the environment to print them.
    static const bool kPrintsRefusals = std::getenv("PTXMIR_REFUSALS") != nullptr;
    if (kPrintsRefusals) std::cout << "refused: " << what << ": " << message.substr(message.rfind(": ") + 2) << "\n";
    const std::string named = "= " + std::string(Desc(opcode_).name);
    if (status.code() != absl::StatusCode::kUnimplemented || message.find(named) == std::string::npos) {
      Fail(what + ": is not refused by name", status);
    }
  }

  // Two examples are enough.
  void Fail(const std::string& what, const absl::Status& status) {
    if (tally_.failed++ < 2) ADD_FAILURE() << what << ": " << status.message();
  }

  const int16_t opcode_;
  const ISelOptions& options_;
  char* const last_;  // receives the name of the current case
  std::vector<Item> results_, operands_;
  std::vector<MVT> chosen_;
  size_t free_ = 0;
  std::unique_ptr<DagText> text_;
  size_t cases_ = 0;
  size_t next_address_ = 0;
  Tally tally_;
};

// Runs in a separate process, because a crash is also a possible outcome.
Outcome RunApart(int16_t opcode, const ISelOptions& options) {
  int ends[2];
  Outcome outcome;
  if (pipe(ends) != 0) return outcome;
  auto* last = static_cast<char*>(
      mmap(nullptr, sizeof(outcome.last), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    outcome.tally = EveryNode(opcode, options, last).Run();
    outcome.ok = outcome.tally.failed == 0;
    std::cout << std::flush;
    _exit(write(ends[1], &outcome, sizeof(outcome)) == sizeof(outcome) ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &outcome, sizeof(outcome)) != sizeof(outcome)) outcome.ok = false;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  std::memcpy(outcome.last, last, sizeof(outcome.last) - 1);
  munmap(last, sizeof(outcome.last));
  return outcome;
}

// There is a process for each opcode.
constexpr int kStride = testing::CaseStride(16);

class EveryNodeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryNodeTest, IsSelectedOrRefused) {
  const std::string parameter = GetParam();
  const size_t comma = parameter.find(',');
  const ptx::Subtarget subtarget = *ptx::Subtarget::Create(parameter.substr(0, comma), parameter.substr(comma + 1));
  const ISelOptions options = {.subtarget = &subtarget};
  Tally all;
  std::string refused;
  for (int opcode = 0; opcode < isd::kNumOpcodes; opcode += kStride) {
    const auto isd = static_cast<int16_t>(opcode);
    if (Desc(isd).payload == NodePayload::kIntrinsic) continue;  // named individually: see intrinsics_test
    const Outcome outcome = RunApart(isd, options);
    EXPECT_TRUE(outcome.ok) << parameter << ": " << Desc(isd).name << ", last tried: " << outcome.last;
    const Tally& tally = outcome.tally;
    all.selected += tally.selected;
    all.refused += tally.refused;
    all.malformed += tally.malformed;
    if (tally.refused != 0 && tally.selected == 0) refused += " " + std::string(Desc(isd).name);
  }
  std::cout << parameter << ": " << all.selected << " selected, " << all.refused << " refused, " << all.malformed
            << " not well-formed; never selected:" << refused << "\n";
  EXPECT_GT(all.selected, 5000u / (2 * kStride));
  if (kStride > 1) return;
  // These are rejected with all types, although they have other forms: functions that PTX only approximates, which
  // afn would allow, and jumps to addresses.
  for (const char* name : {"fsin", "fcos", "fexp", "flog", "fpow", "fcbrt", "brind"}) {
    EXPECT_NE((refused + " ").find(" " + std::string(name) + " "), std::string::npos) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Subtargets, EveryNodeTest, ::testing::Values("sm_50,+ptx60", "sm_80,+ptx80", "sm_100,+ptx88"));

}  // namespace
}  // namespace ptxmir::sdag
