// Dense switches that become jump tables, in a kernel, in a called function and
// in a byte-code interpreter loop.
#include <cuda_runtime.h>

enum Op : unsigned char {
  kPush,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShr,
  kDup,
  kSwap,
  kDrop,
  kJump,
  kJumpIfZero,
  kLoad,
  kStore,
  kHalt,
};

extern "C" __global__ void Interpret(const unsigned char* code, int* memory,
                                     int* results, int limit) {
  int stack[16];
  int top = 0;
  int pc = 0;
  stack[0] = blockIdx.x * blockDim.x + threadIdx.x;
  for (int steps = 0; steps < limit; ++steps) {
    const unsigned char op = code[pc++];
    switch (op) {
      case kPush:
        stack[++top & 15] = static_cast<signed char>(code[pc++]);
        break;
      case kAdd:
        stack[(top - 1) & 15] += stack[top & 15];
        --top;
        break;
      case kSub:
        stack[(top - 1) & 15] -= stack[top & 15];
        --top;
        break;
      case kMul:
        stack[(top - 1) & 15] *= stack[top & 15];
        --top;
        break;
      case kDiv:
        stack[(top - 1) & 15] /= stack[top & 15] | 1;
        --top;
        break;
      case kMod:
        stack[(top - 1) & 15] %= stack[top & 15] | 1;
        --top;
        break;
      case kAnd:
        stack[(top - 1) & 15] &= stack[top & 15];
        --top;
        break;
      case kOr:
        stack[(top - 1) & 15] |= stack[top & 15];
        --top;
        break;
      case kXor:
        stack[(top - 1) & 15] ^= stack[top & 15];
        --top;
        break;
      case kNot:
        stack[top & 15] = ~stack[top & 15];
        break;
      case kShl:
        stack[(top - 1) & 15] <<= stack[top & 15] & 31;
        --top;
        break;
      case kShr:
        stack[(top - 1) & 15] >>= stack[top & 15] & 31;
        --top;
        break;
      case kDup:
        stack[(top + 1) & 15] = stack[top & 15];
        ++top;
        break;
      case kSwap: {
        const int t = stack[top & 15];
        stack[top & 15] = stack[(top - 1) & 15];
        stack[(top - 1) & 15] = t;
        break;
      }
      case kDrop:
        --top;
        break;
      case kJump:
        pc = code[pc];
        break;
      case kJumpIfZero:
        pc = stack[top-- & 15] == 0 ? code[pc] : pc + 1;
        break;
      case kLoad:
        stack[top & 15] = memory[stack[top & 15] & 1023];
        break;
      case kStore:
        memory[stack[top & 15] & 1023] = stack[(top - 1) & 15];
        top -= 2;
        break;
      default:
        steps = limit;
        break;
    }
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = stack[top & 15];
}

__device__ __noinline__ float Activate(int kind, float x) {
  switch (kind) {
    case 0:
      return x;
    case 1:
      return fmaxf(x, 0.0f);
    case 2:
      return 1.0f / (1.0f + __expf(-x));
    case 3:
      return tanhf(x);
    case 4:
      return x > 0.0f ? x : 0.01f * x;
    case 5:
      return x > 0.0f ? x : expm1f(x);
    case 6:
      return x * 0.5f * (1.0f + erff(x * 0.70710678f));
    case 7:
      return x / (1.0f + fabsf(x));
    case 8:
      return log1pf(__expf(x));
    case 9:
      return x * x;
    case 10:
      return sinf(x);
    case 11:
      return rsqrtf(x * x + 1.0f);
    default:
      return 0.0f;
  }
}

extern "C" __global__ void Activations(const float* in, const int* kinds,
                                       float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = Activate(kinds[blockIdx.y], in[i]);
  }
}

// Two nested state machines: a decimal number parser over 64-bit states.
extern "C" __global__ void ParseNumbers(const char* text, const int* starts,
                                        double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long state = 0;
  double value = 0.0;
  double scale = 1.0;
  int exponent = 0;
  int sign = 1;
  int exponent_sign = 1;
  for (int p = starts[i]; p < starts[i + 1]; ++p) {
    const char c = text[p];
    switch (state) {
      case 0:
        sign = c == '-' ? -1 : 1;
        if (c >= '0' && c <= '9') value = c - '0';
        state = 1;
        break;
      case 1:
        if (c == '.')
          state = 2;
        else if (c == 'e')
          state = 3;
        else
          value = value * 10.0 + (c - '0');
        break;
      case 2:
        if (c == 'e') {
          state = 3;
          break;
        }
        scale *= 0.1;
        value += scale * (c - '0');
        break;
      case 3:
        exponent_sign = c == '-' ? -1 : 1;
        if (c >= '0' && c <= '9') exponent = c - '0';
        state = 4;
        break;
      case 4:
        if (c == ' ')
          state = 5;
        else
          exponent = exponent * 10 + (c - '0');
        break;
      case 5:
        if (c != ' ') state = 6;
        break;
      case 6:
        value = __longlong_as_double(0x7ff8000000000000ll);
        state = 7;
        break;
    }
  }
  out[i] = sign * value * exp10(static_cast<double>(exponent_sign * exponent));
}
