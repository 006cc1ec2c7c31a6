// SPDX-License-Identifier: Apache-2.0

// KernelBuilder's operations of several threads, and asynchronous copies. All of them are intrinsics.

#include <bit>
#include <utility>

#include "base/str_cat.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

namespace {

struct RegisterForm {
  std::string_view name;  // after llvm.nvvm.read.ptx.sreg.
  Type type;
  bool changes;  // whether the value changes, so that reads must stay in order
};

// Indexed by SpecialRegister.
constexpr RegisterForm kRegisters[] = {
    {"tid.x", kI32, false},
    {"tid.y", kI32, false},
    {"tid.z", kI32, false},
    {"ntid.x", kI32, false},
    {"ntid.y", kI32, false},
    {"ntid.z", kI32, false},
    {"ctaid.x", kI32, false},
    {"ctaid.y", kI32, false},
    {"ctaid.z", kI32, false},
    {"nctaid.x", kI32, false},
    {"nctaid.y", kI32, false},
    {"nctaid.z", kI32, false},
    {"laneid", kI32, false},
    {"warpid", kI32, false},
    {"nwarpid", kI32, false},
    {"warpsize", kI32, false},
    {"smid", kI32, false},
    {"nsmid", kI32, false},
    {"gridid", kI32, false},
    {"lanemask.eq", kI32, false},
    {"lanemask.le", kI32, false},
    {"lanemask.lt", kI32, false},
    {"lanemask.ge", kI32, false},
    {"lanemask.gt", kI32, false},
    {"clock", kI32, true},
    {"clock64", kI64, true},
    {"globaltimer", kI64, true},
    {"dynamic_smem_size", kI32, false},
    {"clusterid.x", kI32, false},
    {"clusterid.y", kI32, false},
    {"clusterid.z", kI32, false},
    {"cluster.ctarank", kI32, false},
    {"cluster.nctarank", kI32, false},
};

constexpr std::string_view kShuffleNames[] = {"up", "down", "bfly", "idx"};
constexpr std::string_view kVoteNames[] = {"all", "any", "uni"};
constexpr std::string_view kReduceNames[] = {"add", "min", "max", "umin", "umax", "and", "or", "xor"};

// Returns true if the value has this type; reports an error otherwise.
bool CheckIs(FunctionState& state, Value value, Type type, std::string_view what) {
  if (!state.Check({value})) return false;
  return value.type() == type || state.Fail(StrCat(what, " is ", value.type().ToString(), ", not ", type.ToString()));
}

// The mask of participating lanes: all lanes, or `mask` if it is given.
bool CheckMask(FunctionState& state, Value mask) { return !mask.is_valid() || CheckIs(state, mask, kI32, "the mask"); }
SDValue MaskOf(FunctionState& state, Value mask) {
  return mask.is_valid() ? state.Use(mask) : state.Integer(-1, MVT::kI32);
}

// Makes an intrinsic that is chained after everything before it and before everything after it.
SDValue Chained(FunctionState& state, std::string_view name, std::span<const MVT> results,
                std::span<const SDValue> arguments) {
  std::vector<MVT> types(results.begin(), results.end());
  types.push_back(MVT::kOther);
  std::vector<SDValue> operands = {state.Root()};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  const SDValue node = state.dag().GetIntrinsic(results.empty() ? isd::kIntrinsicVoid : isd::kIntrinsicWChain, name,
                                                state.NextLoc(), types, operands);
  state.SetRoot(node.Result(static_cast<unsigned>(results.size())));
  return node;
}
SDValue Chained(FunctionState& state, std::string_view name, std::initializer_list<MVT> results,
                std::initializer_list<SDValue> arguments) {
  return Chained(state, name, std::span<const MVT>(results.begin(), results.size()),
                 std::span<const SDValue>(arguments.begin(), arguments.size()));
}

SDValue Pure(FunctionState& state, std::string_view name, std::span<const MVT> results,
             std::span<const SDValue> arguments) {
  return state.dag().GetIntrinsic(isd::kIntrinsicWOChain, name, state.NextLoc(), {results.data(), results.size()},
                                  {arguments.data(), arguments.size()});
}

Value PureUnary(FunctionState& state, const char* call, Value a, std::string_view f32_name,
                std::string_view f64_name = {}) {
  if (!state.Enter(call) || !state.Check({a})) return {};
  const bool is_double = a.type() == kF64 && !f64_name.empty();
  if (a.type() != kF32 && !is_double) {
    state.Error(StrCat("not of ", a.type().ToString()));
    return {};
  }
  const MVT type = *MvtOf(a.type());
  const SDValue operand = state.Use(a);
  return state.Make(a.type(), Pure(state, is_double ? f64_name : f32_name, {&type, 1}, {&operand, 1}));
}

}  // namespace

Value KernelBuilder::Read(SpecialRegister special_register) {
  if (!state_->Enter("Read(special_register)")) return {};
  if (special_register > SpecialRegister::kClusterNCtaRank) {
    state_->Error("no such register");
    return {};
  }
  const RegisterForm& form = kRegisters[static_cast<size_t>(special_register)];
  const MVT type = *MvtOf(form.type);
  const std::string name = StrCat("llvm.nvvm.read.ptx.sreg.", form.name);
  return state_->Make(form.type, form.changes ? Chained(*state_, name, {type}, {})
                                              : Pure(*state_, name, std::span<const MVT>(&type, 1), {}));
}

// The order of the nodes must not depend on the order in which a compiler evaluates arguments.
Value KernelBuilder::GlobalThreadIdX() {
  const Value block = BlockIdX(), size = BlockDimX(), thread = ThreadIdX();
  return Add(Mul(block, size), thread);
}
Value KernelBuilder::GlobalThreadIdY() {
  const Value block = BlockIdY(), size = Read(SpecialRegister::kNTidY), thread = ThreadIdY();
  return Add(Mul(block, size), thread);
}

Value KernelBuilder::ApproxRsqrt(Value a) {
  return PureUnary(*state_, "ApproxRsqrt(a)", a, "llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.d");
}
Value KernelBuilder::ApproxSqrt(Value a) { return PureUnary(*state_, "ApproxSqrt(a)", a, "llvm.nvvm.sqrt.approx.f"); }
Value KernelBuilder::ApproxReciprocal(Value a) {
  return PureUnary(*state_, "ApproxReciprocal(a)", a, "llvm.nvvm.rcp.approx.ftz.f", "llvm.nvvm.rcp.approx.ftz.d");
}
Value KernelBuilder::ApproxSin(Value a) { return PureUnary(*state_, "ApproxSin(a)", a, "llvm.nvvm.sin.approx.f"); }
Value KernelBuilder::ApproxCos(Value a) { return PureUnary(*state_, "ApproxCos(a)", a, "llvm.nvvm.cos.approx.f"); }
Value KernelBuilder::ApproxExp2(Value a) { return PureUnary(*state_, "ApproxExp2(a)", a, "llvm.nvvm.ex2.approx"); }
Value KernelBuilder::ApproxLog2(Value a) { return PureUnary(*state_, "ApproxLog2(a)", a, "llvm.nvvm.lg2.approx.f"); }

// Barriers.

void KernelBuilder::Barrier() {
  if (!state_->Enter("Barrier()")) return;
  Chained(*state_, "llvm.nvvm.barrier.cta.sync.aligned.all", {}, {state_->Integer(0, MVT::kI32)});
}
void KernelBuilder::Barrier(Value id) {
  if (!state_->Enter("Barrier(id)") || !CheckIs(*state_, id, kI32, "the barrier")) return;
  Chained(*state_, "llvm.nvvm.barrier.cta.sync.aligned.all", {}, {state_->Use(id)});
}
void KernelBuilder::Barrier(Value id, Value num_threads) {
  if (!state_->Enter("Barrier(id, num_threads)") || !CheckIs(*state_, id, kI32, "the barrier") ||
      !CheckIs(*state_, num_threads, kI32, "the number of threads")) {
    return;
  }
  const SDValue barrier = state_->Use(id);
  Chained(*state_, "llvm.nvvm.barrier.cta.sync.aligned.count", {}, {barrier, state_->Use(num_threads)});
}
void KernelBuilder::SyncWarp(Value mask) {
  if (!state_->Enter("SyncWarp(mask)") || !CheckMask(*state_, mask)) return;
  Chained(*state_, "llvm.nvvm.bar.warp.sync", {}, {MaskOf(*state_, mask)});
}

// Warps.

Value KernelBuilder::Shuffle(ShuffleKind kind, Value value, Value lane, Value mask, Value clamp) {
  if (!state_->Enter("Shuffle(kind, value, lane)") || !state_->Check({value}) ||
      !CheckIs(*state_, lane, kI32, "the lane") || !CheckMask(*state_, mask) ||
      (clamp.is_valid() && !CheckIs(*state_, clamp, kI32, "clamp"))) {
    return {};
  }
  const Type type = value.type();
  if (kind > ShuffleKind::kIndex || type.bits() == 1 || (type.is_vector() && type.element_bits() == 1)) {
    state_->Error(StrCat("not of ", type.ToString()));
    return {};
  }
  const SDValue lanes = MaskOf(*state_, mask), where = state_->Use(lane);
  const SDValue limit =
      clamp.is_valid() ? state_->Use(clamp) : state_->Integer(kind == ShuffleKind::kUp ? 0 : 31, MVT::kI32);
  // Parts are shuffled one by one, as words.
  std::vector<SDValue> parts = state_->Split(state_->Use(value));
  for (SDValue& part : parts) {
    const MVT part_type = part.type();
    const auto shuffle = [&](SDValue word) {
      const bool is_float = word.type() == MVT::kF32;
      const std::string name =
          StrCat("llvm.nvvm.shfl.sync.", kShuffleNames[static_cast<size_t>(kind)], is_float ? ".f32" : ".i32");
      return Chained(*state_, name, {word.type()}, {lanes, word, where, limit});
    };
    const auto cast = [&](SDValue from, MVT to) {
      return from.type() == to ? from : state_->dag().GetNode(isd::kBitcast, state_->NextLoc(), to, {from});
    };
    const auto convert = [&](int16_t opcode, SDValue from, MVT to) {
      return state_->dag().GetNode(opcode, state_->NextLoc(), to, {from});
    };
    if (sdag::SizeInBits(part_type) == 16) {
      const SDValue word = convert(isd::kAnyExtend, cast(part, MVT::kI16), MVT::kI32);
      part = cast(convert(isd::kTruncate, shuffle(word), MVT::kI16), part_type);
    } else if (sdag::SizeInBits(part_type) == 32) {
      part = part_type == MVT::kF32 ? shuffle(part) : cast(shuffle(cast(part, MVT::kI32)), part_type);
    } else {
      const SDValue whole = cast(part, MVT::kI64);
      const SDValue high_bits =
          state_->dag().GetNode(isd::kSrl, state_->NextLoc(), MVT::kI64, {whole, state_->Integer(32, MVT::kI32)});
      const SDValue low = shuffle(convert(isd::kTruncate, whole, MVT::kI32));
      const SDValue high = shuffle(convert(isd::kTruncate, high_bits, MVT::kI32));
      part = cast(state_->dag().GetNode(isd::kBuildPair, state_->NextLoc(), MVT::kI64, {low, high}), part_type);
    }
  }
  return state_->Make(type, state_->Join(parts, *MvtOf(type)));
}

Value KernelBuilder::Vote(VoteKind kind, Value predicate, Value mask) {
  if (!state_->Enter("Vote(kind, predicate)") || !CheckIs(*state_, predicate, kI1, "the predicate") ||
      !CheckMask(*state_, mask)) {
    return {};
  }
  if (kind > VoteKind::kUniform) {
    state_->Error("no such vote");
    return {};
  }
  const SDValue lanes = MaskOf(*state_, mask);
  const std::string name = StrCat("llvm.nvvm.vote.", kVoteNames[static_cast<size_t>(kind)], ".sync");
  return state_->Make(kI1, Chained(*state_, name, {MVT::kI1}, {lanes, state_->Use(predicate)}));
}

Value KernelBuilder::Ballot(Value predicate, Value mask) {
  if (!state_->Enter("Ballot(predicate)") || !CheckIs(*state_, predicate, kI1, "the predicate") ||
      !CheckMask(*state_, mask)) {
    return {};
  }
  const SDValue lanes = MaskOf(*state_, mask);
  return state_->Make(kI32,
                      Chained(*state_, "llvm.nvvm.vote.ballot.sync", {MVT::kI32}, {lanes, state_->Use(predicate)}));
}

Value KernelBuilder::ActiveMask() {
  if (!state_->Enter("ActiveMask()")) return {};
  return state_->Make(kI32, Chained(*state_, "llvm.nvvm.activemask", {MVT::kI32}, {}));
}

Value KernelBuilder::MatchAny(Value value, Value mask) {
  if (!state_->Enter("MatchAny(value)") || !state_->Check({value}) || !CheckMask(*state_, mask)) return {};
  if (value.type() != kI32 && value.type() != kI64) {
    state_->Error(StrCat("not of ", value.type().ToString()));
    return {};
  }
  const SDValue lanes = MaskOf(*state_, mask);
  return state_->Make(kI32, Chained(*state_, StrCat("llvm.nvvm.match.any.sync.", value.type().ToString()), {MVT::kI32},
                                    {lanes, state_->Use(value)}));
}

Value KernelBuilder::Reduce(ReduceOp op, Value value, Value mask) {
  if (!state_->Enter("Reduce(op, value)") || !CheckIs(*state_, value, kI32, "the value") || !CheckMask(*state_, mask)) {
    return {};
  }
  if (op > ReduceOp::kXor) {
    state_->Error("no such operation");
    return {};
  }
  if (!state_->CheckSupport(ptx::op::REDUX_SYNC_ADD_S32)) return {};
  const SDValue operand = state_->Use(value);
  return state_->Make(kI32, Chained(*state_, StrCat("llvm.nvvm.redux.sync.", kReduceNames[static_cast<size_t>(op)]),
                                    {MVT::kI32}, {operand, MaskOf(*state_, mask)}));
}

// Asynchronous copies.

void KernelBuilder::CopyAsync(Value shared, Value global, unsigned bytes, bool bypass_l1) {
  if (!state_->Enter("CopyAsync(shared, global, bytes)") || !CheckIs(*state_, shared, kSharedPointer, "the target") ||
      !CheckIs(*state_, global, kGlobalPointer, "the source")) {
    return;
  }
  if (bypass_l1 ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16) {
    return state_->Error(StrCat("not of ", bytes, " bytes"));
  }
  const SDValue to = state_->Use(shared);
  Chained(*state_, StrCat("llvm.nvvm.cp.async.", bypass_l1 ? "cg" : "ca", ".shared.global.", bytes), {},
          {to, state_->Use(global)});
}
void KernelBuilder::CommitAsyncCopies() {
  if (!state_->Enter("CommitAsyncCopies()")) return;
  Chained(*state_, "llvm.nvvm.cp.async.commit.group", {}, {});
}
void KernelBuilder::WaitAsyncCopies(unsigned groups_left) {
  if (!state_->Enter("WaitAsyncCopies(groups_left)")) return;
  Chained(*state_, "llvm.nvvm.cp.async.wait.group", {}, {state_->dag().GetTargetConstant(groups_left, MVT::kI32)});
}

// Other operations.

std::vector<Value> KernelBuilder::Intrinsic(std::string_view name, std::span<const Type> results,
                                            std::span<const Value> arguments, bool is_pure) {
  if (!state_->Enter("Intrinsic(name, results, arguments)") || !state_->Check(arguments)) return {};
  std::vector<MVT> types;
  for (const Type& type : results) {
    if (!state_->CheckType(type)) return {};
    types.push_back(*MvtOf(type));
  }
  if (!name.starts_with("llvm.") || (is_pure && results.empty())) {
    state_->Error(is_pure && results.empty() ? "what is pure has results" : StrCat("'", name, "' is no intrinsic"));
    return {};
  }
  std::vector<SDValue> operands;
  for (const Value& argument : arguments) operands.push_back(state_->Use(argument));
  const SDValue node = is_pure ? Pure(*state_, name, types, operands) : Chained(*state_, name, types, operands);
  std::vector<Value> values;
  for (unsigned i = 0; i < results.size(); ++i) values.push_back(state_->Make(results[i], node.Result(i)));
  return values;
}

}  // namespace ptxmir::builder
