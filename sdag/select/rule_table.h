// SPDX-License-Identifier: Apache-2.0

// The compiled form of the rules (sdag/select/*.rules). Each root opcode with a type of result and each intrinsic has a
// list of rules, in the order in which they are tried. Each rule is a piece of code of 16-bit words for the interpreter
// in rule_matcher.cc. Most words are small, so they are stored as bytes: seven bits a byte, the low ones first. All
// bytes of a word but the last have the top bit set.
//
// The code of a rule consists of checks, then emissions, then kDone. If a check fails, the next rule is tried; no
// node has been made by then. Values are in slots. Slot 0 is the root, followed by its operands without chain and
// glue, and then by the values that nested patterns, functions and emissions add. generate_rules.cc writes the
// code.

#ifndef PTXMIR_SDAG_SELECT_RULE_TABLE_H_
#define PTXMIR_SDAG_SELECT_RULE_TABLE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "sdag/graph/isd_opcodes.h"

namespace ptxmir::sdag {

// The comment of each opcode lists its words.
enum class RuleOp : uint16_t {
  // Checks.
  kOperands,       // count: the root has this many operands without chain and glue; with kOrMore, at least this many
  kResultType,     // result, type: of the root
  kResultClasses,  // opcode: the root's results are of the classes that the instruction defines
  kType,           // slot, type
  kClass,          // slot, register class
  kNode,           // slot, opcode, first, count: a node, whose operands go to slots first ... first + count - 1
  kOneUse,         // slot
  kSame,           // slot, slot
  kImmediate,      // slot: a constant of any kind
  kRange,          // slot, low, high (signed): a constant integer
  kInteger,        // slot, value (signed): this integer constant, or a vector whose elements are all this constant
  kFloat,          // slot, value (signed integer): this floating-point constant
  kCondCode,       // slot, code
  kValueType,      // slot, EVT::raw()
  kFlags,          // mask, mask >> 16: the root has these flags
  kSpaces,         // from, to: the state spaces of the root, an addrspacecast
  kSm,             // number: the subtarget has at least this SM
  kPtx,            // number: the subtarget has at least this PTX version
  kSupports,       // opcode: the subtarget has this instruction
  kOption,         // RuleOption, value
  kCall,           // function, slot, first: calls one of selection_functions.inc; its values go to slots first ...
  // Emissions.
  kEmit,  // opcode, EmitFlag bits, slot, number of types, types ..., number of operands, operands ...: each operand
          // is OperandTag << 8 | slot, followed by its numbers
  kDone,  // count, slot ...: the root's results. A slot that an emission filled means its first result. If count is
          // kAllResults, the results of a single node are the root's.
};
inline constexpr uint16_t kAllResults = 0xffff;
inline constexpr uint16_t kOrMore = 0x8000;

struct EmitFlag {
  enum : uint16_t {
    kChain = 1,  // takes the chain and makes the next one
    kRoot = 2,   // stands for the root: takes its memory operands, glue, flags and result types
  };
};

enum class OperandTag : uint16_t {
  kValue,      // the value in the slot
  kConstant,   // the constant in the slot, as an instruction operand
  kImmediate,  // the signed number that follows, as an i32
  kFtz,        // one of the two numbers that follow: the first if f32 is not flushed to zero, else the second
};

enum class RuleOption : uint16_t {
  kFtz,
  kDivision,
  kPreciseSqrt,
  kDivisionFlags,
  kSqrtFlags,
  kApproximateLog2,
  kFmaLevel
};

// The most that a quick look at a node can tell: without these facts, a rule does not match. Its checks say the same.
struct RuleDemands {
  static constexpr uint8_t kAnyType = 0xff;
  static constexpr int16_t kAnyOpcode = INT16_MIN;
  static constexpr int16_t kAnyConstant = INT16_MIN + 1;

  uint8_t result_type = kAnyType;                                     // of result 0, an MVT
  uint8_t operand_type = kAnyType;                                    // of operand 0, an MVT; the chain does not count
  std::array<int16_t, 2> operand_opcodes = {kAnyOpcode, kAnyOpcode};  // of operands 0 and 1
};

struct Rule {
  enum : uint16_t {
    kByTypes = 1,  // types of operands and the subtarget decide if it matches
    kByNode = 2,   // also leaves that the node must have as operands (condition codes), flags, payload
  };
  uint32_t code;  // byte index into kRuleCode
  uint16_t flags;
  uint16_t line;  // line in the rules file, for messages
  RuleDemands demands;
};

struct RuleRange {
  uint16_t first;
  uint16_t count;
};

// The rules of an opcode that a node with this type of result 0 may match. The last group of an opcode, with
// RuleDemands::kAnyType, is for all types without a group of their own.
struct RuleGroup {
  uint8_t result_type;
  RuleRange rules;
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
extern const RuleGroup kRuleGroups[];
extern const RuleRange kRuleGroupsOf[isd::kNumOpcodes];  // of kRuleGroups
extern const uint32_t kNumIntrinsicRules;
extern const IntrinsicRules kIntrinsicRules[];  // sorted by name
extern const char kIntrinsicNames[];            // without kIntrinsicPrefix, with which all names begin
inline constexpr std::string_view kIntrinsicPrefix = "llvm.nvvm.";

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_TABLE_H_
