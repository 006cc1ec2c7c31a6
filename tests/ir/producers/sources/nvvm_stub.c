// SPDX-License-Identifier: Apache-2.0

// Stands in for CUDA's libNVVM and runtime library: it writes the modules that it is given to files, NVVM_STUB_OUT with
// a number, and compiles nothing.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int number;
int nvvmVersion(int* a, int* b) {
  *a = 1;
  *b = 7;
  return 0;
}
int nvvmIRVersion(int* a, int* b, int* c, int* d) {
  *a = 1;
  *b = 6;
  *c = 3;
  *d = 0;
  return 0;
}
int nvvmCreateProgram(void** p) {
  *p = malloc(1);
  return 0;
}
int nvvmDestroyProgram(void** p) { return 0; }
int nvvmAddModuleToProgram(void* p, const char* text, size_t size, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d.ll", getenv("NVVM_STUB_OUT"), number++);
  FILE* f = fopen(path, "wb");
  fwrite(text, 1, size, f);
  fclose(f);
  return 0;
}
int nvvmLazyAddModuleToProgram(void* p, const char* text, size_t size, const char* name) {
  return nvvmAddModuleToProgram(p, text, size, name);
}
int nvvmCompileProgram(void* p, int n, const char** o) { return 0; }
int nvvmVerifyProgram(void* p, int n, const char** o) { return 0; }
int nvvmGetCompiledResultSize(void* p, size_t* n) {
  *n = 2;
  return 0;
}
int nvvmGetCompiledResult(void* p, char* b) {
  strcpy(b, "x");
  return 0;
}
int nvvmGetProgramLogSize(void* p, size_t* n) {
  *n = 1;
  return 0;
}
int nvvmGetProgramLog(void* p, char* b) {
  b[0] = 0;
  return 0;
}
const char* nvvmGetErrorString(int e) { return "stub"; }
int cudaRuntimeGetVersion(int* v) {
  *v = 11020;
  return 0;
}
