// SPDX-License-Identifier: Apache-2.0

// Every pure node with every type that it takes. Legalization either rejects it by name, or makes a DAG that can be
// selected and means the same, and whose machine code computes the same.

#include <set>

#include "tests/sdag/legalize/legalize_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

constexpr MVT kIntegers[] = {MVT::kI1,   MVT::kI8,    MVT::kI16,   MVT::kI32,   MVT::kI64,
                             MVT::kI128, MVT::kV2I1,  MVT::kV2I8,  MVT::kV3I8,  MVT::kV4I8,
                             MVT::kV8I8, MVT::kV2I16, MVT::kV3I16, MVT::kV4I32, MVT::kV2I64};
constexpr MVT kFloats[] = {MVT::kF16,   MVT::kBF16,   MVT::kF32,   MVT::kF64,  MVT::kV2F16,
                           MVT::kV3F16, MVT::kV4BF16, MVT::kV2F32, MVT::kV3F64};

struct Case {
  std::string name;
  std::vector<MVT> inputs;
  std::function<std::vector<SDValue>(SelectionDAG&, absl::Span<const SDValue>)> build;
  // The operand number of the shift amount, and the width of the shifted value. 0: none.
  unsigned amount_operand = 0, amount_width = 0;
  // The result may differ from the exact one. Only the existence of code is checked.
  bool is_inexact = false;
};

MVT WithScalar(MVT shape, MVT scalar) { return IsVector(shape) ? *VectorOf(scalar, NumElements(shape)) : scalar; }

Case Operation(int16_t opcode, std::vector<MVT> results, std::vector<MVT> inputs,
               SDValue (*extra)(SelectionDAG&) = {}) {
  Case test{.name = std::string(Desc(opcode).name), .inputs = inputs, .build = {}};
  for (const MVT type : results) test.name += " " + std::string(Name(type));
  test.name += " of";
  for (const MVT type : inputs) test.name += " " + std::string(Name(type));
  test.build = [=](SelectionDAG& dag, absl::Span<const SDValue> in) {
    std::vector<SDValue> operands(in.begin(), in.end());
    if (extra != nullptr) operands.push_back(extra(dag));
    const SDValue node = dag.GetNode(opcode, {}, results, operands);
    std::vector<SDValue> values;
    for (unsigned i = 0; i < results.size(); ++i) values.push_back(node.Result(i));
    return values;
  };
  return test;
}

void AddIntegerCases(std::vector<Case>& cases) {
  for (const MVT type : kIntegers) {
    const MVT amount = WithScalar(type, MVT::kI32), truth = WithScalar(type, MVT::kI1);
    const unsigned width = ScalarSizeInBits(type);
    for (const int16_t opcode :
         {isd::kAdd,     isd::kSub,     isd::kMul,       isd::kSDiv,      isd::kUDiv,     isd::kSRem,     isd::kURem,
          isd::kMulHS,   isd::kMulHU,   isd::kAvgFloorS, isd::kAvgFloorU, isd::kAvgCeilS, isd::kAvgCeilU, isd::kAbdS,
          isd::kAbdU,    isd::kSMin,    isd::kSMax,      isd::kUMin,      isd::kUMax,     isd::kSAddSat,  isd::kUAddSat,
          isd::kSSubSat, isd::kUSubSat, isd::kAnd,       isd::kOr,        isd::kXor}) {
      cases.push_back(Operation(opcode, {type}, {type, type}));
    }
    for (const int16_t opcode :
         {isd::kShl, isd::kSra, isd::kSrl, isd::kRotl, isd::kRotr, isd::kSShlSat, isd::kUShlSat}) {
      cases.push_back(Operation(opcode, {type}, {type, amount}));
      cases.back().amount_operand = 1;
      cases.back().amount_width = width;
      cases.push_back(Operation(opcode, {type}, {type, type}));
      cases.back().amount_operand = 1;
      cases.back().amount_width = width;
    }
    for (const int16_t opcode : {isd::kFShl, isd::kFShr})
      cases.push_back(Operation(opcode, {type}, {type, type, type}));
    for (const int16_t opcode : {isd::kAbs, isd::kBitreverse, isd::kCtpop, isd::kCtlz, isd::kCttz, isd::kCtlzZeroUndef,
                                 isd::kCttzZeroUndef, isd::kParity, isd::kFreeze}) {
      cases.push_back(Operation(opcode, {type}, {type}));
    }
    if (width % 16 == 0) cases.push_back(Operation(isd::kBswap, {type}, {type}));
    for (const int16_t opcode : {isd::kSDivRem, isd::kUDivRem, isd::kSMulLoHi, isd::kUMulLoHi}) {
      cases.push_back(Operation(opcode, {type, type}, {type, type}));
    }
    for (const int16_t opcode : {isd::kSAddO, isd::kUAddO, isd::kSSubO, isd::kUSubO, isd::kSMulO, isd::kUMulO}) {
      cases.push_back(Operation(opcode, {type, truth}, {type, type}));
    }
    for (const int16_t opcode : {isd::kSAddOCarry, isd::kUAddOCarry, isd::kSSubOCarry, isd::kUSubOCarry}) {
      cases.push_back(Operation(opcode, {type, truth}, {type, type, truth}));
    }
    if (width > 1) {
      for (const int16_t opcode : {isd::kSCmp, isd::kUCmp}) cases.push_back(Operation(opcode, {type}, {type, type}));
    }
    for (const int16_t opcode : {isd::kShlParts, isd::kSraParts, isd::kSrlParts}) {
      if (IsVector(type) || width == 1 || width == 128) continue;
      cases.push_back(Operation(opcode, {type, type}, {type, type, MVT::kI32}));
      cases.back().amount_operand = 2;
      cases.back().amount_width = 2 * width;
    }
  }
}

// Shifts by constants.
void AddConstantShiftCases(std::vector<Case>& cases) {
  for (const MVT type : {MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64, MVT::kI128}) {
    const unsigned width = SizeInBits(type);
    for (const unsigned amount : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 127u}) {
      if (amount >= width) continue;
      for (const int16_t opcode : {isd::kShl, isd::kSra, isd::kSrl, isd::kRotl, isd::kRotr, isd::kFShl, isd::kFShr}) {
        const bool is_funnel = opcode == isd::kFShl || opcode == isd::kFShr;
        Case test{
            .name = std::string(Desc(opcode).name) + " " + std::string(Name(type)) + " by " + std::to_string(amount),
            .inputs = std::vector<MVT>(is_funnel ? 2 : 1, type),
            .build = {}};
        test.build = [=](SelectionDAG& dag, absl::Span<const SDValue> in) -> std::vector<SDValue> {
          std::vector<SDValue> operands(in.begin(), in.end());
          operands.push_back(dag.GetConstant(amount, is_funnel ? type : MVT::kI32));
          return {dag.GetNode(opcode, {}, absl::MakeConstSpan(&type, 1), operands)};
        };
        cases.push_back(test);
      }
    }
  }
}

template <CondCode kCode>
SDValue Code(SelectionDAG& dag) {
  return dag.GetCondCode(kCode);
}

void AddComparisons(std::vector<Case>& cases, MVT type, absl::Span<SDValue (*const)(SelectionDAG&)> codes) {
  const MVT truth = WithScalar(type, MVT::kI1);
  for (const auto code : codes) {
    cases.push_back(Operation(isd::kSetCC, {truth}, {type, type}, code));
    if (!IsVector(type)) {
      cases.push_back(Operation(isd::kSetCC, {MVT::kI32}, {type, type}, code));
      cases.push_back(Operation(isd::kSelectCC, {type}, {type, type, type, type}, code));
    }
  }
  if (IsVector(type)) cases.push_back(Operation(isd::kVSelect, {type}, {truth, type, type}));
  cases.push_back(Operation(isd::kSelect, {type}, {MVT::kI1, type, type}));
}

void AddComparisonCases(std::vector<Case>& cases) {
  SDValue (*const integer_codes[])(SelectionDAG&) = {
      Code<CondCode::kEq>, Code<CondCode::kNe>,  Code<CondCode::kLt>,  Code<CondCode::kLe>,  Code<CondCode::kGt>,
      Code<CondCode::kGe>, Code<CondCode::kUlt>, Code<CondCode::kUle>, Code<CondCode::kUgt>, Code<CondCode::kUge>};
  SDValue (*const float_codes[])(SelectionDAG&) = {Code<CondCode::kOeq>, Code<CondCode::kOlt>,   Code<CondCode::kOge>,
                                                   Code<CondCode::kOne>, Code<CondCode::kO>,     Code<CondCode::kUo>,
                                                   Code<CondCode::kUeq>, Code<CondCode::kUgt>,   Code<CondCode::kUle>,
                                                   Code<CondCode::kUne>, Code<CondCode::kFalse>, Code<CondCode::kTrue>};
  for (const MVT type : kIntegers) AddComparisons(cases, type, integer_codes);
  for (const MVT type : kFloats) AddComparisons(cases, type, float_codes);
  for (const MVT type : {MVT::kI8, MVT::kI32, MVT::kI64, MVT::kI128}) {
    for (const auto code : {Code<CondCode::kLt>, Code<CondCode::kGe>, Code<CondCode::kUlt>, Code<CondCode::kUge>}) {
      cases.push_back(Operation(isd::kSetCCCarry, {MVT::kI1}, {type, type, MVT::kI1}, code));
    }
  }
}

template <unsigned kMask>
SDValue Classes(SelectionDAG& dag) {
  return dag.GetTargetConstant(kMask, MVT::kI32);
}

void AddFloatCases(std::vector<Case>& cases) {
  for (const MVT type : kFloats) {
    for (const int16_t opcode :
         {isd::kFAdd, isd::kFSub, isd::kFMul, isd::kFDiv, isd::kFRem, isd::kFCopySign, isd::kFMinNum, isd::kFMaxNum,
          isd::kFMinNumIEEE, isd::kFMaxNumIEEE, isd::kFMinimum, isd::kFMaximum, isd::kFMinimumNum, isd::kFMaximumNum}) {
      cases.push_back(Operation(opcode, {type}, {type, type}));
      cases.back().is_inexact = opcode == isd::kFRem;
    }
    cases.push_back(Operation(isd::kFMA, {type}, {type, type, type}));
    for (const int16_t opcode : {isd::kFNeg, isd::kFAbs, isd::kFCanonicalize, isd::kFSqrt, isd::kFCeil, isd::kFFloor,
                                 isd::kFTrunc, isd::kFRint, isd::kFNearbyint, isd::kFRound, isd::kFRoundEven}) {
      cases.push_back(Operation(opcode, {type}, {type}));
    }
    cases.push_back(Operation(isd::kFLdexp, {type}, {type, WithScalar(type, MVT::kI32)}));
    cases.push_back(Operation(isd::kFFrexp, {type, WithScalar(type, MVT::kI32)}, {type}));
    cases.push_back(Operation(isd::kFModf, {type, type}, {type}));
    cases.push_back(Operation(isd::kFGetSign, {WithScalar(type, MVT::kI32)}, {type}));
    const MVT truth = WithScalar(type, MVT::kI1);
    for (const auto classes : {Classes<1>, Classes<2>, Classes<3>, Classes<0x204>, Classes<0x108>, Classes<0x90>,
                               Classes<0x60>, Classes<0x155>, Classes<0x3ff>, Classes<0>}) {
      cases.push_back(Operation(isd::kIsFPClass, {truth}, {type}, classes));
    }
    for (const MVT sign : {MVT::kF16, MVT::kF32, MVT::kF64}) {
      if (!IsVector(type)) cases.push_back(Operation(isd::kFCopySign, {type}, {type, sign}));
    }
    if (IsVector(type)) {
      for (const int16_t opcode : {isd::kVecReduceFMin, isd::kVecReduceFMaximum}) {
        cases.push_back(Operation(opcode, {ScalarType(type)}, {type}));
      }
      cases.push_back(Operation(isd::kVecReduceSeqFAdd, {ScalarType(type)}, {ScalarType(type), type}));
    }
  }
}

template <MVT kType>
SDValue Type(SelectionDAG& dag) {
  return dag.GetValueType(kType);
}
template <unsigned kBits>
SDValue IntegerType(SelectionDAG& dag) {
  return dag.GetValueType(EVT::Integer(kBits));
}
SDValue Zero(SelectionDAG& dag) { return dag.GetTargetConstant(0, MVT::kI64); }

constexpr MVT kScalars[] = {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64, MVT::kI128};
constexpr MVT kFormats[] = {MVT::kF16, MVT::kBF16, MVT::kF32, MVT::kF64};

void AddConversionCases(std::vector<Case>& cases) {
  for (const MVT from : kScalars) {
    for (const MVT to : kScalars) {
      if (SizeInBits(to) > SizeInBits(from)) {
        for (const int16_t opcode : {isd::kSignExtend, isd::kZeroExtend, isd::kAnyExtend}) {
          cases.push_back(Operation(opcode, {to}, {from}));
        }
      } else if (SizeInBits(to) < SizeInBits(from)) {
        cases.push_back(Operation(isd::kTruncate, {to}, {from}));
        if (to == MVT::kI1) continue;
        for (const int16_t opcode : {isd::kTruncateSSatS, isd::kTruncateSSatU, isd::kTruncateUSatU}) {
          cases.push_back(Operation(opcode, {to}, {from}));
        }
      }
    }
    for (const MVT format : kFormats) {
      for (const int16_t opcode : {isd::kSIntToFP, isd::kUIntToFP})
        cases.push_back(Operation(opcode, {format}, {from}));
      for (const int16_t opcode : {isd::kFPToSInt, isd::kFPToUInt})
        cases.push_back(Operation(opcode, {from}, {format}));
    }
  }
  for (const MVT format : kFormats) {
    for (const int16_t opcode : {isd::kFPToSIntSat, isd::kFPToUIntSat}) {
      cases.push_back(Operation(opcode, {MVT::kI8}, {format}, Type<MVT::kI8>));
      cases.push_back(Operation(opcode, {MVT::kI16}, {format}, Type<MVT::kI16>));
      cases.push_back(Operation(opcode, {MVT::kI32}, {format}, Type<MVT::kI32>));
      cases.push_back(Operation(opcode, {MVT::kI64}, {format}, Type<MVT::kI64>));
      cases.push_back(Operation(opcode, {MVT::kI128}, {format}, Type<MVT::kI128>));
      cases.push_back(Operation(opcode, {MVT::kI64}, {format}, IntegerType<19>));
    }
    for (const int16_t opcode : {isd::kLRound, isd::kLLRound, isd::kLRint, isd::kLLRint}) {
      cases.push_back(Operation(opcode, {MVT::kI64}, {format}));
    }
    for (const MVT to : kFormats) {
      if (SizeInBits(to) > SizeInBits(format)) cases.push_back(Operation(isd::kFPExtend, {to}, {format}));
      if (SizeInBits(to) < SizeInBits(format)) cases.push_back(Operation(isd::kFPRound, {to}, {format}, Zero));
    }
  }
  for (const MVT type : {MVT::kI16, MVT::kI32, MVT::kI64, MVT::kI128}) {
    cases.push_back(Operation(isd::kSignExtendInReg, {type}, {type}, Type<MVT::kI1>));
    cases.push_back(Operation(isd::kSignExtendInReg, {type}, {type}, Type<MVT::kI8>));
    cases.push_back(Operation(isd::kSignExtendInReg, {type}, {type}, IntegerType<11>));
  }
  cases.push_back(Operation(isd::kSignExtendInReg, {MVT::kI8}, {MVT::kI8}, IntegerType<3>));
  cases.push_back(Operation(isd::kSignExtendInReg, {MVT::kI128}, {MVT::kI128}, IntegerType<64>));
  cases.push_back(Operation(isd::kSignExtendInReg, {MVT::kI128}, {MVT::kI128}, IntegerType<99>));
  cases.push_back(Operation(isd::kSignExtend, {MVT::kV4I32}, {MVT::kV4I8}));
  cases.push_back(Operation(isd::kZeroExtend, {MVT::kV8I16}, {MVT::kV8I8}));
  cases.push_back(Operation(isd::kTruncate, {MVT::kV3I8}, {MVT::kV3I32}));
  cases.push_back(Operation(isd::kSIntToFP, {MVT::kV4F32}, {MVT::kV4I8}));
  cases.push_back(Operation(isd::kUIntToFP, {MVT::kV3F16}, {MVT::kV3I16}));
  cases.push_back(Operation(isd::kFPToSInt, {MVT::kV2I8}, {MVT::kV2F32}));
  cases.push_back(Operation(isd::kFPRound, {MVT::kV4F16}, {MVT::kV4F32}, Zero));
  cases.push_back(Operation(isd::kFPExtend, {MVT::kV4F32}, {MVT::kV4BF16}));
  cases.push_back(Operation(isd::kSignExtendVectorInReg, {MVT::kV2I32}, {MVT::kV4I8}));
  cases.push_back(Operation(isd::kZeroExtendVectorInReg, {MVT::kV4I16}, {MVT::kV8I8}));
  for (const MVT type : {MVT::kF32, MVT::kF64}) {
    cases.push_back(Operation(isd::kFP16ToFP, {type}, {MVT::kI16}));
    cases.push_back(Operation(isd::kFPToFP16, {MVT::kI32}, {type}));
    cases.push_back(Operation(isd::kBF16ToFP, {type}, {MVT::kI32}));
    cases.push_back(Operation(isd::kFPToBF16, {MVT::kI16}, {type}));
  }
}

void AddBitcastCases(std::vector<Case>& cases) {
  constexpr MVT kTypes[] = {MVT::kV8I1,  MVT::kI8,    MVT::kI16,    MVT::kF16,   MVT::kBF16,  MVT::kV16I1, MVT::kV2I8,
                            MVT::kI32,   MVT::kF32,   MVT::kV2F16,  MVT::kV4I8,  MVT::kI64,   MVT::kF64,   MVT::kV2F32,
                            MVT::kV4F16, MVT::kV8I8,  MVT::kI128,   MVT::kV2I64, MVT::kV8F16, MVT::kV4I32, MVT::kV16I8,
                            MVT::kV2F64, MVT::kV8I32, MVT::kV16F16, MVT::kV3I32, MVT::kV3F32};
  for (const MVT from : kTypes) {
    for (const MVT to : kTypes) {
      if (from != to && SizeInBits(from) == SizeInBits(to)) cases.push_back(Operation(isd::kBitcast, {to}, {from}));
    }
  }
  for (const MVT half : {MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64}) {
    const MVT whole = *IntegerOf(2 * SizeInBits(half));
    cases.push_back(Operation(isd::kBuildPair, {whole}, {half, half}));
    cases.push_back(Operation(isd::kExtractElement, {half}, {whole},
                              [](SelectionDAG& dag) { return dag.GetConstant(0, MVT::kI64); }));
    cases.push_back(Operation(isd::kExtractElement, {half}, {whole},
                              [](SelectionDAG& dag) { return dag.GetConstant(1, MVT::kI64); }));
  }
}

template <unsigned kIndex>
SDValue Index(SelectionDAG& dag) {
  return dag.GetConstant(kIndex, MVT::kI64);
}

void AddVectorCases(std::vector<Case>& cases) {
  for (const MVT type : {MVT::kV2I1, MVT::kV4I8, MVT::kV3I8, MVT::kV8I8, MVT::kV2I16, MVT::kV4F16, MVT::kV3BF16,
                         MVT::kV4F32, MVT::kV2I32, MVT::kV2F32, MVT::kV3I64, MVT::kV2F64}) {
    const MVT scalar = ScalarType(type);
    const unsigned lanes = NumElements(type);
    cases.push_back(Operation(isd::kBuildVector, {type}, std::vector<MVT>(lanes, scalar)));
    cases.push_back(Operation(isd::kSplatVector, {type}, {scalar}));
    cases.push_back(Operation(isd::kScalarToVector, {type}, {scalar}));
    cases.push_back(Operation(isd::kExtractVectorElt, {scalar}, {type}, Index<1>));
    cases.push_back(Operation(isd::kInsertVectorElt, {type}, {type, scalar}, Index<1>));
    for (const MVT index : {MVT::kI32, MVT::kI64}) {
      cases.push_back(Operation(isd::kExtractVectorElt, {scalar}, {type, index}));
      cases.back().amount_operand = 1;
      cases.back().amount_width = lanes;
      cases.push_back(Operation(isd::kInsertVectorElt, {type}, {type, scalar, index}));
      cases.back().amount_operand = 2;
      cases.back().amount_width = lanes;
    }
    if (IsInteger(type)) {
      for (const int16_t opcode :
           {isd::kVecReduceAdd, isd::kVecReduceMul, isd::kVecReduceAnd, isd::kVecReduceOr, isd::kVecReduceXor,
            isd::kVecReduceSMin, isd::kVecReduceSMax, isd::kVecReduceUMin, isd::kVecReduceUMax}) {
        cases.push_back(Operation(opcode, {scalar}, {type}));
      }
    }
    Case shuffle{.name = "shuffle " + std::string(Name(type)), .inputs = {type, type}, .build = {}};
    shuffle.build = [type, lanes](SelectionDAG& dag, absl::Span<const SDValue> in) -> std::vector<SDValue> {
      std::vector<int16_t> mask;
      for (unsigned i = 0; i < lanes; ++i) mask.push_back(static_cast<int16_t>(i == 0 ? -1 : (5 * i) % (2 * lanes)));
      return {dag.GetVectorShuffle({}, type, in[0], in[1], mask)};
    };
    cases.push_back(shuffle);
  }
  cases.push_back(Operation(isd::kBuildVector, {MVT::kV4I8}, {MVT::kI32, MVT::kI32, MVT::kI32, MVT::kI32}));
  cases.push_back(Operation(isd::kExtractVectorElt, {MVT::kI32}, {MVT::kV8I8}, Index<5>));
  cases.push_back(Operation(isd::kConcatVectors, {MVT::kV8F16}, {MVT::kV4F16, MVT::kV4F16}));
  cases.push_back(Operation(isd::kConcatVectors, {MVT::kV4I8}, {MVT::kV2I8, MVT::kV2I8}));
  cases.push_back(Operation(isd::kConcatVectors, {MVT::kV4F32}, {MVT::kV2F32, MVT::kV2F32}));
  cases.push_back(Operation(isd::kExtractSubvector, {MVT::kV2F16}, {MVT::kV8F16}, Index<4>));
  cases.push_back(Operation(isd::kExtractSubvector, {MVT::kV2I8}, {MVT::kV8I8}, Index<2>));
  cases.push_back(Operation(isd::kInsertSubvector, {MVT::kV4F32}, {MVT::kV4F32, MVT::kV2F32}, Index<2>));
  cases.push_back(Operation(isd::kInsertSubvector, {MVT::kV8I8}, {MVT::kV8I8, MVT::kV4I8}, Index<4>));
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  AddIntegerCases(cases);
  AddConstantShiftCases(cases);
  AddComparisonCases(cases);
  AddFloatCases(cases);
  AddConversionCases(cases);
  AddBitcastCases(cases);
  AddVectorCases(cases);
  return cases;
}

struct Target {
  const char* cpu;
  const char* features;
};

class MeaningTest : public ::testing::TestWithParam<Target> {
 protected:
  static constexpr int kRounds = 6, kRuns = 2;

  LegalizedKernel::Slots Inputs(const Case& test) {
    LegalizedKernel::Slots inputs;
    for (unsigned i = 0; i < test.inputs.size(); ++i) {
      const bool is_amount = test.amount_operand != 0 && i == test.amount_operand;
      inputs.push_back(is_amount ? values_.Amount(test.inputs[i], test.amount_width) : values_.Of(test.inputs[i]));
    }
    return inputs;
  }

  struct Expected {
    LegalizedKernel::Slots inputs;
    DagEvaluation evaluation;
    uint64_t out;
  };

  static bool HasUndefinedByte(const Expected& expected, size_t slot) {
    for (size_t k = 0; k < LegalizedKernel::kSlot; ++k) {
      const auto* byte = expected.evaluation.memory.Bytes(expected.out + slot + k, 1);
      if (byte->state == EvaluatorMemory::ByteState::kUndefined) return true;
    }
    return false;
  }

  void Compare(const Case& test, const Expected& expected, const std::vector<uint8_t>& bytes, const char* stage) {
    size_t where = 0;
    if (expected.evaluation.memory.Matches(expected.out, bytes, &where) || !failed_.insert(test.name).second) return;
    std::string text = test.name + " (" + stage + ") differs at byte " + std::to_string(where) + "; inputs:";
    for (const DagConstant& input : expected.inputs) text += " " + ToString(input);
    text += "; got";
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 32); ++i) text += " " + std::to_string(bytes[i]);
    text += "; expected";
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 32); ++i) {
      text += " " + std::to_string(expected.evaluation.memory.Bytes(expected.out + i, 1)->value);
    }
    ADD_FAILURE() << text;
  }

  static void Build(const Case& test, LegalizedKernel& kernel) {
    std::vector<SDValue> inputs;
    for (unsigned i = 0; i < test.inputs.size(); ++i) inputs.push_back(kernel.Input(i, test.inputs[i]));
    for (const SDValue value : test.build(kernel.dag(), inputs)) kernel.Output(value);
    kernel.Finish();
  }

  // Runs the whole pipeline, with the combiner before and after legalization.
  void CheckPipeline(const Case& test, absl::Span<const Expected> all) {
    LegalizedKernel kernel(GetParam().cpu, GetParam().features);
    Build(test, kernel);
    const absl::Status selected = kernel.SelectAll();
    EXPECT_TRUE(selected.ok()) << test.name << ": " << selected;
    if (!selected.ok()) return;
    for (const Expected& expected : all) {
      const std::vector<uint8_t> bytes = kernel.Run(expected.inputs);
      if (!bytes.empty()) Compare(test, expected, bytes, "selection");
    }
  }

  void Check(const Case& test) {
    LegalizedKernel kernel(GetParam().cpu, GetParam().features);
    Build(test, kernel);
    const Bits fills[] = {0, ~Bits(0), absl::MakeUint128(0x0123456789abcdef, 0x55aa77ee33cc1188)};
    std::vector<Expected> all;
    for (int round = 0; round < (test.is_inexact ? 1 : kRounds); ++round) {
      all.emplace_back();
      Expected& expected = all.back();
      expected.inputs = Inputs(test);
      if (test.is_inexact) continue;
      const absl::Status status = kernel.Evaluate(expected.inputs, nullptr, expected.evaluation, expected.out);
      if (!status.ok()) {
        ADD_FAILURE() << test.name << ": " << status;
        return;
      }
    }
    const absl::Status legalized = kernel.Legalize();
    EXPECT_TRUE(legalized.ok()) << test.name << ": " << legalized;
    if (!legalized.ok()) return;
    const std::string flaw = kernel.Flaw();
    EXPECT_EQ(flaw, "") << test.name << "\n" << kernel.Text();
    if (test.is_inexact) return;
    for (size_t i = 0; i < all.size(); ++i) {
      DagEvaluation evaluation;
      uint64_t out;
      const absl::Status status = kernel.Evaluate(all[i].inputs, &fills[i % 3], evaluation, out);
      EXPECT_TRUE(status.ok()) << test.name << ": " << status << kernel.Text();
      if (!status.ok()) return;
      std::vector<uint8_t> bytes;
      for (size_t k = 0; k < kernel.num_output_bytes(); ++k) {
        const auto* byte = evaluation.memory.Bytes(out + k, 1);
        const auto* before = all[i].evaluation.memory.Bytes(all[i].out + k, 1);
        // An undefined element makes the register undefined into which it is packed. The sign of a computed NaN
        // does so, too, in any further operation. The machine code shows the right value.
        const bool may_be_lost = before->state == EvaluatorMemory::ByteState::kNaN ||
                                 before->state == EvaluatorMemory::ByteState::kNaNTail ||
                                 HasUndefinedByte(all[i], k / LegalizedKernel::kSlot * LegalizedKernel::kSlot);
        if (byte->state != EvaluatorMemory::ByteState::kUndefined) {
          bytes.push_back(byte->value);
        } else {
          bytes.push_back(may_be_lost ? before->value : static_cast<uint8_t>(~before->value));
        }
      }
      Compare(test, all[i], bytes, "legalized");
    }
    const absl::Status emitted = kernel.SelectAndEmit();
    EXPECT_TRUE(emitted.ok()) << test.name << ": " << emitted;
    if (!emitted.ok()) return;
    all.resize(std::min<size_t>(all.size(), kRuns));
    for (const Expected& expected : all) {
      const std::vector<uint8_t> bytes = kernel.Run(expected.inputs);
      if (!bytes.empty()) Compare(test, expected, bytes, "machine code");
    }
    CheckPipeline(test, all);
  }

  EdgeValues values_{20261122};
  std::set<std::string> failed_;  // each is reported once
};

// None of these is rejected on any subtarget.
TEST_P(MeaningTest, LegalizationKeepsWhatNodesMean) {
  const std::vector<Case> cases = AllCases();
  EXPECT_GT(cases.size(), 2000u);
  for (size_t i = 0; i < cases.size(); i += testing::CaseStride(16)) Check(cases[i]);
}

// A product halfway between two bf16. The summand that decides the tie is so far below it that f64 cannot hold
// both.
TEST(LegalizationTest, FusedMultiplyAddsOfNarrowFormatsAreRoundedOnce) {
  LegalizedKernel kernel("sm_52");
  std::vector<SDValue> inputs;
  for (unsigned i = 0; i < 3; ++i) inputs.push_back(kernel.Input(i, MVT::kBF16));
  kernel.Output(kernel.dag().GetNode(isd::kFMA, {}, MVT::kBF16, {inputs[0], inputs[1], inputs[2]}));
  kernel.Finish();
  ASSERT_TRUE(kernel.SelectAll().ok());
  const auto fma = [&](uint64_t a, uint64_t b, uint64_t c) {
    const std::vector<uint8_t> bytes =
        kernel.Run({DagConstant::Of(MVT::kBF16, a), DagConstant::Of(MVT::kBF16, b), DagConstant::Of(MVT::kBF16, c)});
    return bytes.size() < 2 ? 0 : bytes[0] | bytes[1] << 8;
  };
  EXPECT_EQ(fma(0x4140, 0x5936, 0x0080), 0x5b09);
  EXPECT_EQ(fma(0x4140, 0x5936, 0x8080), 0x5b08);
  EXPECT_EQ(fma(0x4140, 0x5936, 0x0000), 0x5b08);  // to even
  EXPECT_EQ(fma(0xc140, 0x5936, 0x8080), 0xdb09);
  EXPECT_EQ(fma(0x7f80, 0x4000, 0x4000), 0x7f80);
}

INSTANTIATE_TEST_SUITE_P(Subtargets, MeaningTest,
                         ::testing::Values(Target{"sm_52", ""}, Target{"sm_80", ""}, Target{"sm_90", "+ptx80"},
                                           Target{"sm_100", "+ptx88"}),
                         [](const ::testing::TestParamInfo<Target>& info) { return std::string(info.param.cpu); });

}  // namespace
}  // namespace ptxmir::sdag
