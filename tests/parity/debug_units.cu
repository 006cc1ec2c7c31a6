// Two units with common types, by -DFIRST and without: see debug_units.ll for how they are compiled.
#define DEVICE __attribute__((device))
namespace common {
struct Pair {
  int a;
  float b;
  DEVICE int Sum() const { return a + static_cast<int>(b); }
  static DEVICE int Make(int x) {
    Pair p{x, 1.0f};
    return p.Sum();
  }
};
template <class T>
DEVICE T Scale(T x) {
  T r = x * 3;
  return r;
}
}  // namespace common

#ifdef FIRST
extern DEVICE int shared_counter;
extern DEVICE int Helper(const common::Pair* p);
__attribute__((global)) void First(int* out, int n) {
  common::Pair p{n, 2.0f};
  for (int i = 0; i < n; ++i) {
    int t = common::Scale(i);
    if (t > 7) {
      int u = t * 2;
      out[i] = u;
    }
    out[i] += t + p.Sum() + shared_counter + Helper(&p);
  }
}
#else
DEVICE int shared_counter = 4;
DEVICE int Helper(const common::Pair* p) {
  int v = common::Scale(p->a);
  return v + common::Pair::Make(v);
}
__attribute__((global)) void Second(float* out, int i) {
  common::Pair q{1, 2};
  out[i] = common::Scale(2.5f) + q.Sum() + Helper(&q);
}
#endif
