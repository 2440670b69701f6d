// Translates straight-line code and loops to LLVM IR.
#pragma once

#include <string>
#include <unordered_map>

#include "codegen/operations.hpp"
#include "codegen/rolling.hpp"
#include "daedalus/structure/kernel_function.hpp"

namespace daedalus::codegen {

using structure::LoopArguments;
using structure::NativeCall;
using structure::NativeFunction;

// Writes the functions of straight-line code into a module.
class StraightEmitter {
 public:
  StraightEmitter(llvm::Module& module, const expr::Arena& arena);

  // Cuts the code into functions of bounded size and returns their names, in order.
  std::vector<std::string> emit(const Segment& segment);

  std::size_t emitted_nodes() const { return total_nodes_; }

 private:
  void begin_function();
  void end_function();
  void cut_if_long();
  llvm::Value* place(llvm::Value* base, std::uint32_t i);
  llvm::Value* emit_expression(expr::ExprId root);
  Operand emit_node(expr::ExprId id);
  llvm::Value* read(std::uint32_t symbol);

  llvm::Module& module_;
  const expr::Arena& arena_;
  llvm::IRBuilder<> builder_;
  Operations operations_;
  expr::Walker walker_;
  llvm::Value* symbols_ = nullptr;
  llvm::Value* outputs_ = nullptr;
  // Of this function; never iterated over.
  std::unordered_map<expr::ExprId, Operand> values_;
  std::unordered_map<std::uint32_t, llvm::Value*> assigned_;  // by symbol
  std::vector<std::string> names_;
  std::size_t nodes_ = 0, total_nodes_ = 0, function_count_ = 0;
};

// Writes the function of a loop into a module, under the given name.
void emit_loop(llvm::Module& module, const Shape& shape, const LoopCode& code,
               const std::string& name);

}  // namespace daedalus::codegen
