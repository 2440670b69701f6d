// Expressions to LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>
#include <unordered_map>

#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Writes the functions of kernels into a module: void f(double* symbols, double* outputs).
class Emitter {
 public:
  Emitter(llvm::Module& module, const expr::Arena& arena);

  // Cuts the kernel into functions of bounded size and gives their names, in order.
  std::vector<std::string> emit(const structure::Kernel& kernel);

  std::size_t emitted_nodes() const { return total_nodes_; }

 private:
  void begin_function();
  void end_function();
  void cut_if_long();
  llvm::Value* place(llvm::Value* base, std::uint32_t i);
  llvm::Value* number(expr::ExprId id);
  llvm::Value* condition(expr::ExprId id);
  void emit_node(expr::ExprId id);
  llvm::Value* emit_expression(expr::ExprId root);
  llvm::Value* read(std::uint32_t symbol);
  llvm::Value* emit_unary(const expr::Node& node);
  llvm::Value* emit_binary(const expr::Node& node);
  llvm::Value* emit_condition(const expr::Node& node);
  llvm::Value* emit_power(expr::ExprId base, expr::ExprId exponent);
  llvm::Value* call(const char* name, std::initializer_list<llvm::Value*> arguments);

  llvm::Module& module_;
  const expr::Arena& arena_;
  llvm::IRBuilder<> builder_;
  expr::Walker walker_;
  llvm::Function* function_ = nullptr;
  llvm::Value* symbols_ = nullptr;
  llvm::Value* outputs_ = nullptr;
  // Of this function; never iterated over.
  std::unordered_map<expr::ExprId, llvm::Value*> numbers_, conditions_;
  std::unordered_map<std::uint32_t, llvm::Value*> assigned_;  // by symbol
  std::vector<std::string> names_;
  std::size_t nodes_ = 0, total_nodes_ = 0, function_count_ = 0;
};

// The functions that generated code may call, and their addresses; nothing else of the process is
// visible to it.
struct MathFunction {
  const char* name;
  void* address;
};
std::span<const MathFunction> math_functions();

}  // namespace daedalus::codegen
