// Procedures to LLVM IR.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "codegen/operations.hpp"
#include "daedalus/structure/procedure.hpp"

namespace daedalus::codegen {

// Whether all values of a procedure may stay in registers as long as they are needed, and optimised
// code is worth its time. Measured on steps of 180 to 3,000 assignments: optimising takes 0.1 to
// 0.7 ms for each, plain code generation 0.03 to 0.06; optimised code runs 1.3 to 1.9 times faster.
bool is_short(const structure::Procedure& procedure);

// Values live in registers as far as they can: a symbol has memory where it is kept, and where a
// body hands it on: to another body, to its own next repetition, or to what follows it. Expressions
// that a loop does not change are computed in front of it.
class ProcedureEmitter {
 public:
  ProcedureEmitter(llvm::Module& module, const expr::Arena& arena, const std::vector<bool>& kept);

  void emit(const structure::Procedure& procedure, const std::string& name);

 private:
  using Symbols = std::unordered_set<std::uint32_t>;  // never iterated over
  // A body, within those around it.
  struct Scope {
    std::unordered_map<expr::ExprId, Operand> values;
    std::unordered_map<std::uint32_t, llvm::Value*> assigned;  // by symbol
    Symbols changed;                                           // symbols that the body assigns
    std::unordered_set<expr::ExprId> changing;                 // expressions with such symbols
  };

  void find_what_needs_memory(const structure::Procedure& procedure, std::vector<Symbols>& known);
  void collect_assigned(const structure::Procedure& procedure, Symbols& found) const;
  void collect_changing(const structure::Procedure& procedure, Scope& scope);
  void emit_statements(const structure::Procedure& procedure);
  void emit_assignments(const std::vector<structure::Assignment>& assignments);
  void begin_stretch();
  void emit_if(const structure::Statement& statement);
  void emit_repeat(const structure::Statement& statement);
  void emit_ahead(const structure::Procedure& body, Scope& scope);
  void emit_body(const structure::Statement& statement, Scope scope);
  void assign(const structure::Assignment& assignment);
  void forget(const Symbols& changed);
  bool depends_on(expr::ExprId id, const Symbols& symbols,
                  const std::unordered_set<expr::ExprId>& nodes) const;
  llvm::Value* emit_expression(expr::ExprId root);
  Operand emit_node(expr::ExprId id);
  Operand* find(expr::ExprId id);
  llvm::Value* read(std::uint32_t symbol);
  llvm::Value* place(std::uint32_t symbol);
  llvm::Value* holds(expr::SymbolId condition);

  llvm::Module& module_;
  const expr::Arena& arena_;
  const std::vector<bool>& kept_;
  llvm::IRBuilder<> builder_;
  Operations operations_;
  expr::Walker walker_;
  Symbols in_memory_;        // and assigned somewhere in the procedure
  Symbols assigned_at_all_;  // what is not never changes while the procedure runs
  bool is_cut_ = false;      // into stretches
  std::vector<Scope> scopes_;
  llvm::Value* symbols_ = nullptr;
};

}  // namespace daedalus::codegen
