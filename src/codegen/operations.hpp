// The operations of expressions as LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <initializer_list>
#include <span>

#include "daedalus/expr/arena.hpp"

namespace daedalus::codegen {

// A number, or a truth; where the other form is asked for it is made once.
struct Operand {
  llvm::Value* number = nullptr;
  llvm::Value* truth = nullptr;
};

// Writes operations at the builder's place. The semantics are those of expr::apply.
class Operations {
 public:
  Operations(llvm::Module& module, llvm::IRBuilder<>& builder)
      : module_(module), builder_(builder) {}

  // Of anything but symbols; as many arguments as the operation has.
  Operand apply(expr::Op op, Operand* a, Operand* b, Operand* c);

  llvm::Value* constant(double value);
  llvm::Value* number(Operand& operand);
  llvm::Value* truth(Operand& operand);

 private:
  llvm::Value* relation_or_logic(expr::Op op, Operand* a, Operand* b);
  llvm::Value* unary(expr::Op op, llvm::Value* a);
  llvm::Value* binary(expr::Op op, llvm::Value* a, llvm::Value* b);
  llvm::Value* power(llvm::Value* base, llvm::Value* exponent);
  llvm::Value* call(const char* name, std::initializer_list<llvm::Value*> arguments);

  llvm::Module& module_;
  llvm::IRBuilder<>& builder_;
};

// The functions that generated code may call, and their addresses; nothing else of the process is
// visible to it.
struct MathFunction {
  const char* name;
  void* address;
};
std::span<const MathFunction> math_functions();

}  // namespace daedalus::codegen
