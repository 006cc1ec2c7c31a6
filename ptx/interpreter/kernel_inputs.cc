// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/kernel_inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ptx/interpreter/exec/texture_table.h"
#include "ptx/interpreter/memory/memory.h"
#include "ptx/interpreter/memory/tensor_map.h"

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kBufferBytes = 1 << 18;
constexpr uint64_t kMaxSteps = 100'000;
constexpr uint64_t kMaxStepsOfLong = 1'000'000;
constexpr uint32_t kDynamicShared = 16384;
constexpr uint32_t kMuchDynamicShared = 98304;

enum class BufferContents : uint8_t {
  kBySeed,         // small integers, floats around 0, or any bits
  kSmallIntegers,  // values that may be indices
  kZeros,          // locks are open, queues empty, pointers null
};

enum class Shape : uint8_t {
  kRow,     // a row of threads whose length depends on the seed
  kSquare,  // 16 by 16
  kTile,    // 8 by 8
  kRows,    // 32 by 8
  kWarp,    // 32 by 1
  kThread,  // one
};

// The form of the grid of a kernel that states no clusters.
enum class GridForm : uint8_t {
  kPlain,
  kPair,         // one cluster of two CTAs
  kCluster,      // one cluster of eight CTAs, the most that all GPUs allow
  kCooperative,  // launched with memory for grid-wide barriers
};

struct Alternative {
  BufferContents contents;
  uint32_t integer;  // the value of all integer arguments; 0: chosen by the seed
  Shape shape;       // used if the kernel states none
  GridForm grid = GridForm::kPlain;
};

// 64 is a multiple of most numbers that kernels assume. With 8, products of several integers stay small.
constexpr Alternative kAlternatives[] = {
    {BufferContents::kBySeed, 0, Shape::kRow},
    {BufferContents::kSmallIntegers, 0, Shape::kRow},
    {BufferContents::kSmallIntegers, 64, Shape::kRow},
    {BufferContents::kSmallIntegers, 64, Shape::kSquare},
    {BufferContents::kSmallIntegers, 64, Shape::kTile},
    {BufferContents::kSmallIntegers, 64, Shape::kRows},
    {BufferContents::kSmallIntegers, 8, Shape::kRow},
    {BufferContents::kSmallIntegers, 8, Shape::kTile},
    {BufferContents::kZeros, 64, Shape::kRow},
    {BufferContents::kZeros, 8, Shape::kTile},
    {BufferContents::kSmallIntegers, 64, Shape::kWarp},
    {BufferContents::kSmallIntegers, 16, Shape::kWarp},
    {BufferContents::kSmallIntegers, 1, Shape::kWarp},
    {BufferContents::kZeros, 1, Shape::kThread},
    {BufferContents::kSmallIntegers, 64, Shape::kWarp, GridForm::kPair},
    {BufferContents::kSmallIntegers, 64, Shape::kRow, GridForm::kCluster},
    {BufferContents::kSmallIntegers, 8, Shape::kRow, GridForm::kCooperative},
};

// The alternatives before this one have kDynamicShared. The later ones are for kernels that need something unusual:
// more shared memory, one warp, clusters.
constexpr size_t kNumUsual = 10;

// The alternatives of launches that multiply tensors, where integers are 64, and of those that copy boxes of tensors,
// where they are 8: most count boxes.
constexpr uint8_t kOfProducts = 2;
constexpr uint8_t kOfTensorMaps = 6;
// The number of 32-bit integer arguments that may describe a product.
constexpr uint8_t kMaxProductArguments = 6;

// A matrix of 16-bit elements in rows of 128 bytes, swizzled, at offset 0 of its memory. PTX ISA, "Shared memory
// descriptor": the offsets are 16 and 1,024 bytes, in units of 16; bit 46 is fixed; bit 62 says how it is swizzled.
constexpr uint64_t kMatrixDescriptor = uint64_t{1} << 16 | uint64_t{64} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
// A product of 128 by 16 elements of f32. PTX ISA, "Instruction descriptor".
constexpr uint32_t kProductDescriptor = 1 << 4 | (16 / 8) << 17 | (128 / 16) << 24;

// The tensor maps of a style, from 1. The tensors are those that fit a buffer.
struct TensorMapForm {
  uint8_t rank;
  uint8_t element_bytes;
  uint8_t swizzle_bytes;
  std::array<uint32_t, TensorMap::kMaxRank> sizes;
  std::array<uint16_t, TensorMap::kMaxRank> box;
};
constexpr TensorMapForm kTensorMaps[] = {
    {2, 2, 128, {512, 128, 1, 1, 1}, {64, 64, 1, 1, 1}}, {2, 2, 0, {512, 128, 1, 1, 1}, {64, 64, 1, 1, 1}},
    {2, 4, 0, {256, 128, 1, 1, 1}, {32, 32, 1, 1, 1}},   {1, 4, 0, {32768, 1, 1, 1, 1}, {256, 1, 1, 1, 1}},
    {3, 4, 0, {64, 32, 16, 1, 1}, {16, 8, 4, 1, 1}},     {4, 4, 0, {32, 16, 8, 8, 1}, {8, 8, 4, 2, 1}},
    {5, 4, 0, {16, 16, 8, 4, 4}, {8, 4, 4, 2, 2}},
};

TensorMap::Bytes TensorMapAt(uint64_t address, const TensorMapForm& form) {
  TensorMap map = {.address = address,
                   .rank = form.rank,
                   .element_bytes = form.element_bytes,
                   .swizzle_bytes = form.swizzle_bytes,
                   .sizes = form.sizes,
                   .box = form.box};
  uint64_t stride = form.element_bytes;
  for (size_t i = 0; i < map.strides.size(); ++i) map.strides[i] = stride *= form.sizes[i];
  return map.Encode();
}

// A texture or surface of a launch, whose properties depend on the seed. It has one texel for each thread of the
// launch, in a row.
struct TextureInput {
  TextureInput(std::string name, uint64_t seed, uint64_t which) {
    using Desc = Device::TextureDesc;
    constexpr Desc::Format kFormats[] = {Desc::Format::kUnsigned, Desc::Format::kFloat, Desc::Format::kSigned};
    constexpr Desc::Address kAddresses[] = {Desc::Address::kClamp, Desc::Address::kWrap, Desc::Address::kBorder,
                                            Desc::Address::kMirror};
    desc.width = 256;
    desc.height = 4;
    desc.depth = 4;
    desc.format = kFormats[seed % std::size(kFormats)];
    desc.address = kAddresses[seed % std::size(kAddresses)];
    desc.linear = seed % 2 != 0;
    desc.name = std::move(name);
    SplitMix64 random(seed * SplitMix64::kStep + which);
    texels.resize(size_t{desc.width} * desc.height * desc.depth * desc.components);
    for (uint32_t& word : texels) {
      const auto number = static_cast<uint32_t>(random.Next() % 256);
      word = desc.format == Desc::Format::kFloat ? std::bit_cast<uint32_t>(static_cast<float>(number) / 16) : number;
    }
  }
  absl::Span<const uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t*>(texels.data()), texels.size() * sizeof(uint32_t)};
  }

  Device::TextureDesc desc;
  std::vector<uint32_t> texels;
};

// Creates the texture of a variable and writes its handle into the variable, as a driver does.
void BindTexture(Device& device, const GlobalVariable& variable, uint64_t seed) {
  const TextureInput input(StrCat("@", variable.name), seed, variable.id());
  const uint64_t handle = device.CreateTexture(input.desc, input.bytes());
  device.Write(device.VariableAddress(variable.name), {reinterpret_cast<const uint8_t*>(&handle), sizeof handle});
}

double SmallFloat(uint64_t bits) { return static_cast<double>(static_cast<int64_t>(bits % 4001) - 2000) / 1000; }

enum class WordKind : uint8_t { kSmallInteger, kFloat, kAnyBits };

uint32_t WordOf(uint64_t bits, WordKind kind) {
  switch (kind) {
    case WordKind::kSmallInteger:
      return static_cast<uint32_t>(bits % 16);
    case WordKind::kFloat:
      return std::bit_cast<uint32_t>(static_cast<float>(SmallFloat(bits)));
    case WordKind::kAnyBits:
      break;
  }
  return static_cast<uint32_t>(bits);
}

// Returns the contents of a buffer, and advances `random` past them. The last ones are kept: the first pointers of all
// kernels point to the same contents, and making them can take longer than running a small kernel.
absl::Span<const uint8_t> WordsFrom(SplitMix64& random, WordKind kind) {
  struct Kept {
    uint64_t first = 0;  // the random bits of the first word
    WordKind kind = WordKind::kSmallInteger;
    SplitMix64 after{0};
    std::vector<uint32_t> words;
  };
  constexpr size_t kMostKept = 8;
  thread_local std::array<Kept, kMostKept> kept;
  thread_local size_t next = 0;
  const uint64_t first = SplitMix64(random).Next();
  const auto bytes = [](const Kept& contents) -> absl::Span<const uint8_t> {
    return {reinterpret_cast<const uint8_t*>(contents.words.data()), kBufferBytes};
  };
  for (const Kept& contents : kept) {
    if (contents.words.empty() || contents.first != first || contents.kind != kind) continue;
    random = contents.after;
    return bytes(contents);
  }
  Kept& made = kept[next++ % kMostKept];
  made.first = first;
  made.kind = kind;
  made.words.resize(kBufferBytes / sizeof(uint32_t));
  for (uint32_t& word : made.words) word = WordOf(random.Next(), kind);
  made.after = random;
  return bytes(made);
}

class Generator {
 public:
  Generator(Device& device, const Module& module, uint64_t seed, const LaunchStyle& style)
      : device_(device),
        module_(module),
        seed_(seed),
        style_(style),
        alternative_(kAlternatives[style.alternative]),
        random_(seed * SplitMix64::kStep + 1) {}

  // Returns the bytes of a value of the type.
  std::vector<uint8_t> Value(const IrType* type, unsigned depth = 0) {
    const DataLayout& layout = module_.data_layout();
    std::vector<uint8_t> bytes(std::min<uint64_t>(layout.AllocSize(type), kBufferBytes));
    if (style_.tensor_map != 0 && bytes.size() == sizeof(TensorMap::Bytes)) {
      const TensorMap::Bytes map = TensorMapAt(Buffer(), kTensorMaps[style_.tensor_map - 1]);
      std::copy(map.begin(), map.end(), bytes.begin());
    } else if (type->is_struct() && !type->is_opaque()) {
      const StructLayout members = layout.LayoutOf(type);
      for (size_t i = 0; i < type->members().size(); ++i) Place(type->members()[i], members.offsets[i], depth, bytes);
    } else if (type->is_array() || type->is_vector()) {
      const uint64_t stride = std::max<uint64_t>(layout.AllocSize(type->element()), 1);
      for (uint64_t i = 0; i < type->num_elements() && i * stride < bytes.size(); ++i) {
        Place(type->element(), i * stride, depth, bytes);
      }
    } else {
      const uint64_t bits = Scalar(type);
      std::memcpy(bytes.data(), &bits, std::min<size_t>(bytes.size(), sizeof bits));
    }
    return bytes;
  }

  uint64_t Next() { return random_.Next(); }

 private:
  void Place(const IrType* type, uint64_t offset, unsigned depth, std::vector<uint8_t>& bytes) {
    constexpr unsigned kMaxDepth = 8;
    if (depth == kMaxDepth) return;
    const std::vector<uint8_t> member = Value(type, depth + 1);
    for (size_t i = 0; i < member.size() && offset + i < bytes.size(); ++i) bytes[offset + i] = member[i];
  }

  double Float() { return SmallFloat(Next()); }

  uint64_t Scalar(const IrType* type) {
    switch (type->kind()) {
      case IrType::Kind::kPointer:
        return Buffer();
      case IrType::Kind::kFloat:
        return std::bit_cast<uint32_t>(static_cast<float>(Float()));
      case IrType::Kind::kDouble:
        return std::bit_cast<uint64_t>(Float());
      // 1.0 and its neighbors, in both formats.
      case IrType::Kind::kHalf:
        return 0x3c00 + Next() % 64;
      case IrType::Kind::kBFloat:
        return 0x3f80 + Next() % 16;
      default:
        if (type->is_integer(64) && style_.wide_integers_are_handles) return Handle();
        if (style_.product_argument != 0 && type->is_integer(64)) return kMatrixDescriptor;
        if (style_.product_argument != 0 && type->is_integer(32) && ++num_words_ == style_.product_argument) {
          return kProductDescriptor;
        }
        return type->is_integer(1) ? Next() & 1 : Integer();
    }
  }

  // Sizes are often powers of two.
  uint64_t Integer() {
    constexpr uint64_t kChoices[] = {32, 64, 16, 1, 7, 33, 128, 4};
    if (alternative_.integer != 0) return alternative_.integer;
    return seed_ % 3 == 0 ? 64 : kChoices[Next() % std::size(kChoices)];
  }

  uint64_t Handle() {
    constexpr uint64_t kMaxHandles = 64;
    uint64_t handle = Integer();
    if (num_handles_ == kMaxHandles) return handle;
    const TextureInput input(StrCat("texture ", num_handles_), seed_, num_handles_);
    while (!device_.CreateTextureAt(handle, input.desc, input.bytes())) ++handle;
    ++num_handles_;
    return handle;
  }

  uint64_t Buffer() {
    const uint64_t address = device_.Allocate(StrCat("buffer ", num_buffers_++), kBufferBytes);
    if (alternative_.contents != BufferContents::kZeros) {
      const auto kind = alternative_.contents == BufferContents::kSmallIntegers ? WordKind::kSmallInteger
                                                                                : static_cast<WordKind>(seed_ % 3);
      device_.Write(address, WordsFrom(random_, kind));
    }
    if (style_.tensor_map != 0) device_.Write(address, TensorMapAt(address, kTensorMaps[style_.tensor_map - 1]));
    return address;
  }

  Device& device_;
  const Module& module_;
  const uint64_t seed_;
  const LaunchStyle style_;
  const Alternative& alternative_;
  SplitMix64 random_;
  unsigned num_buffers_ = 0;
  unsigned num_handles_ = 0;
  unsigned num_words_ = 0;  // 32-bit integers so far
};

Dim3 ShapeOf(Shape shape, uint32_t max_threads, uint64_t seed) {
  constexpr uint32_t kRowLengths[] = {64, 32, 128, 48};
  Dim3 block = {kRowLengths[seed % std::size(kRowLengths)], 1, 1};
  if (shape == Shape::kSquare) block = {16, 16, 1};
  if (shape == Shape::kTile) block = {8, 8, 1};
  if (shape == Shape::kRows) block = {32, 8, 1};
  if (shape == Shape::kWarp) block = {32, 1, 1};
  if (shape == Shape::kThread) block = {1, 1, 1};
  while (block.y > 1 && block.x * block.y > max_threads) block.y /= 2;
  return block;
}

Dim3 BlockShape(const NvvmFunctionInfo& info, Shape shape, uint64_t seed) {
  constexpr uint32_t kMaxThreads = 1024;
  const std::vector<uint32_t>& stated = info.req_ntid.empty() ? info.max_ntid : info.req_ntid;
  if (stated.empty()) return ShapeOf(shape, kMaxThreads, seed);
  Dim3 block = {stated[0], 1, 1};
  if (stated.size() > 1) block.y = stated[1];
  if (stated.size() > 2) block.z = stated[2];
  // A maximum CTA size limits the number of threads, but does not determine their shape.
  if (!info.req_ntid.empty() || shape == Shape::kRow) return block;
  return ShapeOf(shape, block.x * block.y * block.z, seed);
}

bool AreNear(uint64_t a, uint64_t b, unsigned bytes) {
  const double x = bytes == 4 ? std::bit_cast<float>(static_cast<uint32_t>(a)) : std::bit_cast<double>(a);
  const double y = bytes == 4 ? std::bit_cast<float>(static_cast<uint32_t>(b)) : std::bit_cast<double>(b);
  if (std::isnan(x) && std::isnan(y)) return true;
  const double relative = bytes == 4 ? 1e-4 : 1e-11;
  return std::abs(x - y) <= relative * std::max({std::abs(x), std::abs(y), 1e-30});
}

// Returns true if the word that holds a differing byte is close enough in either format.
bool IsRounding(absl::Span<const uint8_t> before, absl::Span<const uint8_t> after, size_t at) {
  for (const unsigned bytes : {4u, 8u}) {
    const size_t begin = at / bytes * bytes;
    if (begin + bytes > before.size()) continue;
    uint64_t a = 0, b = 0;
    std::memcpy(&a, before.data() + begin, bytes);
    std::memcpy(&b, after.data() + begin, bytes);
    if (AreNear(a, b, bytes)) return true;
  }
  return false;
}

// The contents of a buffer or a surface.
struct Contents {
  absl::Span<const uint8_t> data;
  absl::Span<const uint8_t> undefined;  // empty if all are defined

  uint8_t UndefinedAt(size_t i) const { return undefined.empty() ? 0 : undefined[i]; }
};

struct ByteDifference {
  size_t at;
  std::string what;  // "is 0x43, and was 0x3d"
};

// Finds the first byte of `after` that differs from a defined byte of `before`, which has the same size.
std::optional<ByteDifference> FindDifference(const Contents& before, const Contents& after, FloatTolerance tolerance) {
  if (before.undefined.empty() && after.undefined.empty() && before.data == after.data) return std::nullopt;
  for (size_t i = 0; i < before.data.size(); ++i) {
    const uint8_t defined = static_cast<uint8_t>(~before.UndefinedAt(i));
    const bool is_lost = (after.UndefinedAt(i) & defined) != 0;
    if (!is_lost && ((before.data[i] ^ after.data[i]) & defined) == 0) continue;
    if (!is_lost && tolerance == FloatTolerance::kRounding && IsRounding(before.data, after.data, i)) continue;
    const std::string now = is_lost ? std::string("undefined") : std::string(absl::StrFormat("0x%02x", after.data[i]));
    return ByteDifference{i, StrCat("is ", now, ", and was ", std::string(absl::StrFormat("0x%02x", before.data[i])))};
  }
  return std::nullopt;
}

std::string CompareBlocks(const MemoryBlock& before, const MemoryBlock& after, FloatTolerance tolerance) {
  if (before.data.size() != after.data.size()) return StrCat("the size of ", before.name);
  const std::optional<ByteDifference> difference =
      FindDifference({before.data, before.undefined}, {after.data, after.undefined}, tolerance);
  if (!difference.has_value()) return {};
  return StrCat("byte ", difference->at, " of ", before.name, " ", difference->what);
}

// Returns the number of blocks that are variables, which come first.
size_t NumVariables(absl::Span<const MemoryBlock> blocks) {
  size_t count = 0;
  while (count < blocks.size() && blocks[count].name.starts_with('@')) ++count;
  return count;
}

// For modules with different variables. Those that only one of them has do not count.
std::string CompareVariablesByName(absl::Span<const MemoryBlock> before, absl::Span<const MemoryBlock> after,
                                   FloatTolerance tolerance) {
  absl::flat_hash_map<std::string_view, const MemoryBlock*> by_name;
  for (const MemoryBlock& block : after) by_name.emplace(block.name, &block);
  for (const MemoryBlock& block : before) {
    const auto found = by_name.find(block.name);
    if (found == by_name.end()) continue;
    std::string difference = CompareBlocks(block, *found->second, tolerance);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string CompareSurfaces(const Texture& before, const Texture& after, FloatTolerance tolerance) {
  const Texture::Desc& desc = before.desc();
  if (before.texels().size() != after.texels().size()) return StrCat("the size of surface ", desc.name);
  const std::optional<ByteDifference> difference =
      FindDifference({before.texels(), before.undefined()}, {after.texels(), after.undefined()}, tolerance);
  if (!difference.has_value()) return {};
  const size_t texel = difference->at / before.TexelBytes();
  const size_t row = texel / desc.width;
  return StrCat("byte ", difference->at % before.TexelBytes(), " of the texel at x ", texel % desc.width, ", y ",
                row % desc.height, ", z ", row / desc.height, " of surface ", desc.name, " ", difference->what);
}

}  // namespace

std::optional<LaunchStyle> NextStyle(const LaunchStyle& style, FaultKind fault) {
  LaunchStyle next = style;
  const bool may_help = fault != FaultKind::kNone && fault != FaultKind::kUnsupported;
  // The wrong tensor map makes a kernel wait for bytes that do not come.
  if (may_help && (style.tensor_map != 0 || fault == FaultKind::kNoTensorMap)) {
    next.alternative = kOfTensorMaps;
    if (++next.tensor_map > std::size(kTensorMaps)) return std::nullopt;
    return next;
  }
  if (may_help && (style.product_argument != 0 || fault == FaultKind::kBadDescriptor)) {
    next.alternative = kOfProducts;
    if (++next.product_argument > kMaxProductArguments) return std::nullopt;
    return next;
  }
  switch (fault) {
    case FaultKind::kNone:
    case FaultKind::kUnsupported:
    case FaultKind::kInvalidProgram:
      return std::nullopt;
    case FaultKind::kNoTexture:
      next.wide_integers_are_handles = true;
      if (style.wide_integers_are_handles) ++next.alternative;
      break;
    // The usual causes of a step limit are an argument that threads count to, and a value in memory that they wait for
    // or count. So skip to small numbers and to buffers of zeros.
    case FaultKind::kStepLimit:
      do ++next.alternative;
      while (next.alternative < std::size(kAlternatives) &&
             kAlternatives[next.alternative].contents != BufferContents::kZeros &&
             kAlternatives[next.alternative].integer != 8 && kAlternatives[next.alternative].integer != 1);
      break;
    default:
      ++next.alternative;
      break;
  }
  if (next.alternative >= std::size(kAlternatives)) return std::nullopt;
  return next;
}

GeneratedLaunch GenerateLaunch(Device& device, const Module& module, const IrFunction& kernel, uint64_t seed,
                               const LaunchStyle& style) {
  Generator generator(device, module, seed, style);
  const NvvmFunctionInfo info = GetNvvmFunctionInfo(module, kernel);
  GeneratedLaunch launch;
  launch.config.kernel = std::string(kernel.name);
  launch.config.block = BlockShape(info, kAlternatives[style.alternative].shape, seed);
  launch.config.grid = {2, 1, 1};
  const uint32_t* const cluster = info.cluster_dim.data();
  if (!info.cluster_dim.empty()) {
    launch.config.cluster.x = cluster[0];
    if (info.cluster_dim.size() > 1) launch.config.cluster.y = cluster[1];
    if (info.cluster_dim.size() > 2) launch.config.cluster.z = cluster[2];
    launch.config.grid = launch.config.cluster;
  }
  const GridForm grid = kAlternatives[style.alternative].grid;
  if (info.cluster_dim.empty() && (grid == GridForm::kPair || grid == GridForm::kCluster)) {
    launch.config.cluster = launch.config.grid = {grid == GridForm::kPair ? 2u : 8u, 1, 1};
  }
  launch.config.cooperative = grid == GridForm::kCooperative;
  launch.config.dynamic_shared_bytes =
      style.alternative < kNumUsual && style.tensor_map == 0 ? kDynamicShared : kMuchDynamicShared;
  launch.config.max_steps = style.is_long ? kMaxStepsOfLong : kMaxSteps;
  for (const GlobalVariable& variable : module.variables()) {
    if (IsTexture(module, variable.id()) || IsSurface(module, variable.id())) BindTexture(device, variable, seed);
  }
  for (const IrParameter& parameter : kernel.parameters) {
    const IrType* type = parameter.ByValType() != nullptr ? parameter.ByValType() : parameter.type;
    launch.arguments.push_back({generator.Value(type)});
  }
  return launch;
}

std::string FirstDifference(const Device& before, const Device& after, FloatTolerance tolerance) {
  const absl::Span<const MemoryBlock> first = before.blocks();
  const absl::Span<const MemoryBlock> second = after.blocks();
  const size_t num_first = NumVariables(first), num_second = NumVariables(second);
  if (num_first == num_second) {
    for (size_t i = 0; i < num_first; ++i) {
      std::string difference = CompareBlocks(first[i], second[i], tolerance);
      if (!difference.empty()) return difference;
    }
  } else {
    std::string difference = CompareVariablesByName(first.first(num_first), second.first(num_second), tolerance);
    if (!difference.empty()) return difference;
  }
  for (size_t i = 0; i < std::min(first.size() - num_first, second.size() - num_second); ++i) {
    std::string difference = CompareBlocks(first[num_first + i], second[num_second + i], tolerance);
    if (!difference.empty()) return difference;
  }
  if (first.size() - num_first != second.size() - num_second) return "the number of allocations";
  const auto surfaces = before.texture_table().textures();
  const auto others = after.texture_table().textures();
  for (size_t i = 0; i < std::min(surfaces.size(), others.size()); ++i) {
    std::string difference = CompareSurfaces(*surfaces[i], *others[i], tolerance);
    if (!difference.empty()) return difference;
  }
  return surfaces.size() == others.size() ? std::string() : std::string("the number of surfaces");
}

}  // namespace ptxmir::ptx
