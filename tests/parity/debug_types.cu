// Debug information of types of every kind: see debug_types.ll for how it is compiled.
#define DEVICE __attribute__((device))
#define KERNEL __attribute__((global))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))

namespace shapes {
inline namespace v1 {
enum Colour { kRed, kGreen = -5, kBlue };
enum class Mode : unsigned char { kA = 200, kB = 255 };
}  // namespace v1
struct Base {
  virtual DEVICE int Area() const { return 0; }
  virtual DEVICE void Reset() = 0;
  virtual DEVICE ~Base() {}
  int id;

 protected:
  int hidden;
};
struct Other {
  long count;
};
struct VirtualBase : virtual Base {
  int v;
};
class Derived final : public Base, private Other {
 public:
  DEVICE explicit Derived(int side) : side_(side) {}
  DEVICE int Area() const override { return side_ * side_; }
  DEVICE void Reset() override { side_ = 3; }
  DEVICE Derived& operator=(const Derived&) = default;
  static const int kSides = 4;
  static constexpr float kHalf = 0.5f;
  static int number;
  int (Derived::*method)() const;
  int Derived::*field;

 private:
  int side_;
  friend struct Bits;
  mutable volatile int cache;
};
struct Bits {
  unsigned a : 3, b : 7;
  int : 0;
  int c : 20;
  unsigned long long d : 40;
  bool e : 1;
  signed char f : 2;
};
union Word {
  int i;
  float f;
  struct {
    short low, high;
  };
  char raw[4];
};
template <typename T>
struct Box {
  T value;
  using type = T;
  typedef const T* pointer;
};
template <typename T, int N, template <typename> class C, typename U = T, typename... Ts>
struct Many {
  T data[N][2];
  C<U> c;
};
template <auto* P>
struct Pointee {
  DEVICE int Get() { return *P; }
};
}  // namespace shapes

struct Incomplete;
typedef void (*Callback)(int, const char*, ...);
typedef int Int4 __attribute__((ext_vector_type(4)));
typedef int Int3 __attribute__((ext_vector_type(3)));
struct alignas(32) Aligned {
  char c;
  alignas(16) int d;
};
namespace {
struct Anonymous {
  int x;
};
DEVICE Anonymous anonymous;
}  // namespace

DEVICE int shapes::Derived::number = 7;
DEVICE CONSTANT double table[3][5];
SHARED shapes::Word in_shared;
DEVICE static int counter;
DEVICE static const int kConst = 42;
extern SHARED float dynamic[];
DEVICE int target = 1;
DEVICE Callback callback;
DEVICE _BitInt(37) odd;
DEVICE __int128 big;
DEVICE _Complex float complex_number;
DEVICE char16_t utf16;
DEVICE decltype(nullptr) nothing;
DEVICE int* __restrict__ restricted;

DEVICE __attribute__((noinline)) int Variadic(const char* format, ...) { return format[0]; }
[[noreturn]] DEVICE __attribute__((noinline)) void Stop(int x) {
  if (x) __builtin_trap();
  while (true) {
  }
}
template <typename T>
DEVICE T Twice(T x) {
  T y = x + x;
  return y;
}

KERNEL void Use(shapes::Word* out, Incomplete* incomplete, const shapes::Bits* bits, const volatile int& lvalue) {
  using namespace shapes;
  using shapes::Bits;
  namespace alias = shapes;
  struct Local {
    int a;
    DEVICE int Get() { return a + 1; }
  };
  Local local{3};
  static SHARED int static_shared[8];
  static int static_global = 5;
  typedef int LocalInt;
  Derived derived(4);
  derived.method = &Derived::Area;
  VirtualBase* virtual_base = nullptr;
  Mode mode = Mode::kB;
  Colour colour = kGreen;
  Many<int, 3, Box> many;
  many.data[1][0] = 2;
  Pointee<&target> pointee;
  LocalInt number = pointee.Get();
  auto lambda = [&, k = number * 2](auto z) mutable {
    k += z;
    return k + local.Get();
  };
  constexpr int folded = 17;
  const float half = 2.5f;
  __int128 wide = big + number;
  LocalInt list[] = {1, 2, 3};
  int(*to_list)[3] = &list;
  if (int q = lambda(5); q > 3) {
    Bits inner = *bits;
    inner.a = q;
    out[1].i = inner.a + bits->c;
  again:
    if (--q > 0) goto again;
  }
  for (int i = 0; i < 3; ++i) {
    out[i].f = static_cast<float>(Twice(1.5) + Twice(i));
  }
  out[0].i = derived.Area() + static_cast<int>(mode) + colour + folded + static_cast<int>(half) +
             static_cast<int>(wide) + (*to_list)[1] + static_global + Variadic("x", 1) + (virtual_base != nullptr) +
             lvalue + kConst + counter + anonymous.x + static_cast<int>(table[1][2]) + static_cast<int>(dynamic[0]) +
             static_shared[1] + static_cast<int>(odd) + utf16 + *restricted;
  if (callback) callback(1, "s", 2);
  in_shared.i = out[2].i;
  if (out[3].i == 7) Stop(3);
}
