// SPDX-License-Identifier: Apache-2.0

#include "ir/code/opcode.h"

#include <bit>
#include <iterator>

namespace ptxmir::ir {
namespace {

struct OpcodeInfo {
  std::string_view word;
  uint32_t flags;
};

constexpr uint32_t kWrap = kNoUnsignedWrap | kNoSignedWrap;

constexpr OpcodeInfo kOpcodes[] = {
    {"ret", 0},
    {"br", 0},
    {"switch", 0},
    {"unreachable", 0},
    {"fneg", kFastMath},
    {"add", kWrap},
    {"fadd", kFastMath},
    {"sub", kWrap},
    {"fsub", kFastMath},
    {"mul", kWrap},
    {"fmul", kFastMath},
    {"udiv", kExact},
    {"sdiv", kExact},
    {"fdiv", kFastMath},
    {"urem", 0},
    {"srem", 0},
    {"frem", kFastMath},
    {"shl", kWrap},
    {"lshr", kExact},
    {"ashr", kExact},
    {"and", 0},
    {"or", kDisjoint},
    {"xor", 0},
    {"trunc", kWrap},
    {"zext", kNonNeg},
    {"sext", 0},
    {"fptoui", 0},
    {"fptosi", 0},
    {"uitofp", kNonNeg},
    {"sitofp", 0},
    {"fptrunc", kFastMath},
    {"fpext", kFastMath},
    {"ptrtoint", 0},
    {"ptrtoaddr", 0},
    {"inttoptr", 0},
    {"bitcast", 0},
    {"addrspacecast", 0},
    {"alloca", kInAlloca | kSwiftError},
    {"load", kVolatile},
    {"store", kVolatile},
    {"getelementptr", kInBounds | kNoUnsignedSignedWrap | kNoUnsignedWrap},
    {"fence", 0},
    {"cmpxchg", kWeak | kVolatile},
    {"atomicrmw", kVolatile},
    {"icmp", kSameSign},
    {"fcmp", kFastMath},
    {"phi", kFastMath},
    {"select", kFastMath},
    {"call", kFastMath},
    {"va_arg", 0},
    {"freeze", 0},
    {"extractelement", 0},
    {"insertelement", 0},
    {"shufflevector", 0},
    {"extractvalue", 0},
    {"insertvalue", 0},
    {"dbg_value", 0},
    {"dbg_declare", 0},
    {"dbg_declare_value", 0},
    {"dbg_assign", 0},
    {"dbg_label", 0},
};
static_assert(std::size(kOpcodes) == kNumOpcodes);

constexpr std::string_view kOrderings[] = {"", "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"};

constexpr std::string_view kOperations[] = {
    "xchg", "add",  "sub",  "and",  "nand",     "or",       "xor",       "max",       "min",       "umax",    "umin",
    "fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"};
static_assert(std::size(kOperations) == kNumAtomicOperations);

constexpr std::string_view kPredicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one",  "ord", "uno",
                                            "ueq",   "ugt", "uge", "ult", "ule", "une", "true", "eq",  "ne",
                                            "ugt",   "uge", "ult", "ule", "sgt", "sge", "slt",  "sle"};

constexpr std::string_view kFlags[] = {"reassoc",  "nnan", "ninf",     "nsz",      "arcp",      "contract", "afn",
                                       "inbounds", "nusw", "nuw",      "nsw",      "exact",     "disjoint", "nneg",
                                       "samesign", "weak", "volatile", "inalloca", "swifterror"};

}  // namespace

std::string_view OpcodeWord(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)].word; }
uint32_t AllowedFlags(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)].flags; }
std::string_view OrderingWord(AtomicOrdering ordering) { return kOrderings[static_cast<size_t>(ordering)]; }
std::string_view OperationWord(AtomicOperation operation) { return kOperations[static_cast<size_t>(operation)]; }
std::string_view PredicateWord(Predicate predicate) { return kPredicates[static_cast<size_t>(predicate)]; }
std::string_view FlagWord(InstructionFlag flag) { return kFlags[std::countr_zero(static_cast<uint32_t>(flag))]; }

}  // namespace ptxmir::ir
