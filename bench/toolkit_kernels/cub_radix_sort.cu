// Radix sorts of a device, of narrow and wide keys and values.

#include <cub/cub.cuh>

void SortFloatsWithDoubles(void* scratch, size_t& bytes, float* keys, float* sorted, double* values, double* moved,
                           int n) {
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, moved, n);
}

void SortWordsDown(void* scratch, size_t& bytes, unsigned long long* keys, unsigned long long* sorted, int n) {
  cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, keys, sorted, n);
}

void SortBytesWithVectors(void* scratch, size_t& bytes, unsigned char* keys, unsigned char* sorted, double2* values,
                          double2* moved, int n) {
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, moved, n);
}

void SortSegments(void* scratch, size_t& bytes, double* keys, double* sorted, int* values, int* moved, int n,
                  int segments, int* offsets) {
  cub::DeviceSegmentedRadixSort::SortPairs(scratch, bytes, keys, sorted, values, moved, n, segments, offsets,
                                           offsets + 1);
}
