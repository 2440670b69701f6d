// What generated machine code looks like to those who call it.
#pragma once

#include <cstdint>

namespace daedalus::codegen {

// What a generated function gets besides the symbols and the outputs: the data of its loop.
struct LoopArguments {
  std::int64_t count = 0;
  const std::int64_t* places = nullptr;
  const std::int32_t* place_tables = nullptr;
  const double* constants = nullptr;
  const double* constant_tables = nullptr;
};

using NativeFunction = void (*)(double* symbols, double* outputs, const LoopArguments* loop);

struct NativeCall {
  NativeFunction function = nullptr;
  LoopArguments arguments = {};
};

}  // namespace daedalus::codegen
