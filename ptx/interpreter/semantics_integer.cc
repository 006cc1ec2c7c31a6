// Integer instructions.

#include "ptx/interpreter/scalar_semantics.h"

namespace ptxmir::ptx {
namespace {

template <typename T>
using Wrapping = std::make_unsigned_t<
    std::conditional_t<(sizeof(T) < sizeof(int)), int32_t, T>>;

struct AddOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) +
                          static_cast<Wrapping<T>>(b));
  }
};

bool ResolveAdd(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  return statement.mnemonic.parts().size() == 1 &&
         SetForInteger<AddOp>(ParseScalarType(statement.mnemonic.Last()),
                              semantics, &undefined_rule::Carry) &&
         Matches(statement, *semantics);
}

constexpr ResolverEntry kResolvers[] = {
    {"add", &ResolveAdd},
};

}  // namespace

absl::Span<const ResolverEntry> IntegerResolvers() { return kResolvers; }

}  // namespace ptxmir::ptx
