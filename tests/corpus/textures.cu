// Texture and surface objects: 1D to 3D, layered, cube and mipmapped fetches,
// gathers, and surface reads and writes under each boundary mode.
#include <cuda_runtime.h>

__global__ void Bilinear(cudaTextureObject_t image, float4* out, int width,
                         int height, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const float u = x / static_cast<float>(width) - 0.5f;
  const float v = y / static_cast<float>(height) - 0.5f;
  const float s = __sinf(angle);
  const float c = __cosf(angle);
  out[y * width + x] =
      tex2D<float4>(image, u * c - v * s + 0.5f, u * s + v * c + 0.5f);
}

__global__ void RayMarch(cudaTextureObject_t volume, cudaTextureObject_t colors,
                         float4* out, int width, float step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float4 sum = make_float4(0, 0, 0, 0);
  for (float t = 0.0f; t < 1.0f && sum.w < 0.95f; t += step) {
    const float density = tex3D<float>(volume, x * step, y * step, t);
    const float4 color = tex1D<float4>(colors, density);
    const float weight = (1.0f - sum.w) * color.w;
    sum.x += weight * color.x;
    sum.y += weight * color.y;
    sum.z += weight * color.z;
    sum.w += weight;
  }
  out[y * width + x] = sum;
}

__global__ void Mipmaps(cudaTextureObject_t image, cudaTextureObject_t layers,
                        cudaTextureObject_t cube, float4* out) {
  const int i = threadIdx.x;
  const float u = i / 64.0f;
  float4 a = tex2DLod<float4>(image, u, 0.25f, 2.5f);
  const float2 dx = make_float2(0.01f, 0.0f);
  const float2 dy = make_float2(0.0f, 0.02f);
  const float4 b = tex2DGrad<float4>(image, u, 0.75f, dx, dy);
  const float4 c = tex2DLayered<float4>(layers, u, u, i & 3);
  const float4 d = texCubemap<float4>(cube, u, 1.0f, -u);
  const float4 e = tex2Dgather<float4>(image, u, u, 2);
  a.x += b.x + c.x + d.x + e.x;
  a.y += b.y + c.y + d.y + e.y;
  a.z += b.z + c.z + d.z + e.z;
  a.w += b.w + c.w + d.w + e.w;
  out[i] = a;
}

__global__ void Fetches(cudaTextureObject_t line, cudaTextureObject_t ints,
                        int4* out, uint2* out2, short* out3) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<int4>(line, i * 3);
  out2[i] = tex2D<uint2>(ints, i, i + 1);
  out3[i] = tex1Dfetch<short>(line, i);
}

__global__ void SurfaceBlur(cudaSurfaceObject_t from, cudaSurfaceObject_t to,
                            int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const float4 v = surf2Dread<float4>(from, (x + dx) * sizeof(float4),
                                          y + dy, cudaBoundaryModeClamp);
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
  }
  const float ninth = 1.0f / 9.0f;
  sum = make_float4(sum.x * ninth, sum.y * ninth, sum.z * ninth, sum.w * ninth);
  surf2Dwrite(sum, to, x * sizeof(float4), y, cudaBoundaryModeZero);
}

__global__ void SurfaceKinds(cudaSurfaceObject_t line, cudaSurfaceObject_t cube,
                             cudaSurfaceObject_t layers) {
  const int x = threadIdx.x;
  const uchar4 pixel = surf1Dread<uchar4>(line, x * 4, cudaBoundaryModeTrap);
  const ushort2 pair = make_ushort2(pixel.x * 257, pixel.y * 257);
  surf3Dwrite(pair, cube, x * 4, 1, 2, cudaBoundaryModeTrap);
  const int got = surf3Dread<int>(cube, x * 4, 2, 1, cudaBoundaryModeZero);
  surf2DLayeredwrite(got + x, layers, x * 4, 3, 1, cudaBoundaryModeClamp);
  surf1Dwrite(static_cast<unsigned char>(got), line, x * 4 + 3,
              cudaBoundaryModeTrap);
}
