// SPDX-License-Identifier: Apache-2.0

// The compiled form of the rules (sdag/select/*.rules): for each root opcode, and each intrinsic, a list of rules in
// the order in which they are tried, each a piece of code of 16-bit words for the interpreter in rule_matcher.cc. Most
// words are small, and are stored as bytes: seven bits a byte, the low ones first; all but the last have the top bit.
//
// Code of a rule: checks, then emissions, then kDone. A check that fails goes on with the next rule; nothing has been
// made by then. Values are in slots: slot 0 is the root, then come its operands without chain and glue; what nested
// patterns, functions and emissions bring follows. generate_rules.cc writes the code.

#ifndef PTXMIR_SDAG_SELECT_RULE_TABLE_H_
#define PTXMIR_SDAG_SELECT_RULE_TABLE_H_

#include <cstdint>
#include <string_view>

#include "sdag/graph/isd_opcodes.h"

namespace ptxmir::sdag {

// Behind each, its words.
enum class RuleOp : uint16_t {
  // Checks.
  kOperands,       // count: the root has so many operands without chain and glue; with kOrMore, at least so many
  kResultType,     // result, type: of the root
  kResultClasses,  // opcode: the root's results are of the classes that the instruction defines
  kType,           // slot, type
  kClass,          // slot, register class
  kNode,           // slot, opcode, first, count: a node whose operands go to slots first ... first + count - 1
  kOneUse,         // slot
  kSame,           // slot, slot
  kImmediate,      // slot: a constant of any kind
  kRange,          // slot, low, high (signed): a constant integer
  kInteger,        // slot, value (signed): a constant integer, or its elements
  kFloat,          // slot, value (signed integer): a constant floating-point number
  kCondCode,       // slot, code
  kValueType,      // slot, EVT::raw()
  kFlags,          // mask, mask >> 16: flags that the root has
  kSpaces,         // from, to: state spaces of the root, an addrspacecast
  kSm,             // number: at least
  kPtx,            // number: at least
  kOption,         // RuleOption, value
  kCall,           // function, slot, first: of selection_functions.inc; its values go to first ...
  // Emissions.
  kEmit,  // opcode, EmitFlag bits, slot, types, type ..., operands, operand ...: OperandTag << 8 | slot, and its
          // numbers
  kDone,  // count, slot ...: the root's results. A slot that an emission filled stands for its first result; with
          // count kAllResults the one node's results are the root's.
};
inline constexpr uint16_t kAllResults = 0xffff;
inline constexpr uint16_t kOrMore = 0x8000;

struct EmitFlag {
  enum : uint16_t {
    kChain = 1,  // takes the chain, and makes the next one
    kRoot = 2,   // stands for the root: its memory operands, glue, and results where no types are given
  };
};

enum class OperandTag : uint16_t {
  kValue,      // the value in the slot
  kConstant,   // the constant in the slot, as an operand of an instruction
  kImmediate,  // a number behind it, signed, as i32
  kFtz,        // two numbers: where f32 is not flushed to zero, and where it is
};

enum class RuleOption : uint16_t { kFtz, kDivision, kPreciseSqrt, kApproximateLog2, kFmaLevel };

struct Rule {
  enum : uint16_t {
    kByTypes = 1,  // whether it matches follows from the types of operands and the subtarget
    kByNode = 2,   // ... and from leaves that the node must have as operands (condition codes), flags, payload
  };
  uint32_t code;  // index into kRuleCode, of a byte
  uint16_t flags;
  uint16_t line;  // of the rules, for messages
};

struct RuleRange {
  uint16_t first;
  uint16_t count;
};

struct IntrinsicRules {
  uint32_t name;  // offset into kIntrinsicNames
  RuleRange rules;
};

enum class SelectionFunction : uint16_t {
#define SELECTION_FUNCTION(name, values) name,
#include "sdag/select/selection_functions.inc"
  kCount,
};

extern const unsigned char kRuleCode[];
extern const Rule kRules[];
extern const RuleRange kRulesOf[isd::kNumOpcodes];
extern const uint32_t kNumIntrinsicRules;
extern const IntrinsicRules kIntrinsicRules[];  // by name
extern const char kIntrinsicNames[];            // without kIntrinsicPrefix, with which all begin
inline constexpr std::string_view kIntrinsicPrefix = "llvm.nvvm.";

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_TABLE_H_
