// SPDX-License-Identifier: Apache-2.0

// How often tests/corpus uses each family of opcodes. Made by
//
//     bazel-bin/tools/fuzz/ptxmir-fuzz --count-families tests/corpus/*.mir

#include <algorithm>
#include <iterator>

#include "tools/fuzz/opcode_catalog.h"

namespace ptxmir::fuzz {
namespace {

struct FamilyCount {
  std::string_view family;
  uint64_t count;
};

constexpr FamilyCount kCounts[] = {
    {"activemask", 13},
    {"and", 3435},
    {"atom", 206},
    {"barrier", 288},
    {"bfe", 188},
    {"branch", 5574},
    {"branch.brx", 103},
    {"brev", 13},
    {"call", 156},
    {"call.pseudo", 958},
    {"clz", 8},
    {"copysign", 37},
    {"cp.async", 10},
    {"cvt", 3866},
    {"cvta", 1102},
    {"exit", 492},
    {"fence", 50},
    {"fp.abs", 195},
    {"fp.add", 2021},
    {"fp.cos", 11},
    {"fp.div", 149},
    {"fp.ex2", 228},
    {"fp.fma", 7364},
    {"fp.lg2", 5},
    {"fp.max", 217},
    {"fp.min", 54},
    {"fp.mul", 2512},
    {"fp.neg", 885},
    {"fp.rcp", 68},
    {"fp.rsqrt", 63},
    {"fp.sin", 11},
    {"fp.sqrt", 63},
    {"fp.sub", 1026},
    {"frame", 111},
    {"generic", 11212},
    {"getctarank", 2},
    {"int.abs", 1},
    {"int.add", 7105},
    {"int.carry", 6},
    {"int.div", 17},
    {"int.mad", 487},
    {"int.max", 229},
    {"int.min", 239},
    {"int.mul", 2437},
    {"int.neg", 43},
    {"int.rem", 36},
    {"int.sad", 2},
    {"int.sub", 325},
    {"isspacep", 3},
    {"ld", 6305},
    {"ld.nc", 758},
    {"mapa", 2},
    {"match", 9},
    {"mbarrier", 7},
    {"mov", 1816},
    {"mov.pack", 5305},
    {"not", 1945},
    {"or", 1464},
    {"popc", 27},
    {"prmt", 122},
    {"redux", 19},
    {"selp", 1548},
    {"setp", 3896},
    {"shf", 4225},
    {"shfl", 2149},
    {"shl", 1914},
    {"shr", 1026},
    {"sreg", 1040},
    {"st", 3249},
    {"suld", 5},
    {"suq", 1},
    {"sust.b", 4},
    {"sust.p", 1},
    {"tcgen05.alloc", 1},
    {"tcgen05.commit", 1},
    {"tcgen05.cp", 1},
    {"tcgen05.dealloc", 1},
    {"tcgen05.fence::after_thread_sync", 2},
    {"tcgen05.fence::before_thread_sync", 2},
    {"tcgen05.ld", 3},
    {"tcgen05.mma", 1},
    {"tcgen05.relinquish_alloc_permit", 1},
    {"tcgen05.shift", 1},
    {"tcgen05.st", 1},
    {"tcgen05.wait::ld", 2},
    {"tcgen05.wait::st", 1},
    {"tex", 7},
    {"tld4", 1},
    {"txq", 2},
    {"vote", 20},
    {"wmma.load", 21},
    {"wmma.mma", 10},
    {"wmma.store", 10},
    {"xor", 6802},
};

}  // namespace

uint64_t CorpusCount(std::string_view family) {
  const auto found = std::find_if(std::begin(kCounts), std::end(kCounts),
                                  [&](const FamilyCount& count) { return count.family == family; });
  return found == std::end(kCounts) ? 0 : found->count;
}

}  // namespace ptxmir::fuzz
