"""A reader of Modelica text for the interpreter, written from the grammar in appendix A of the Modelica specification 3.6.

Expressions are tuples: ("number", v), ("boolean", b), ("string", s), ("name", n, subscripts), ("call", n, arguments, iterators),
("binary", op, a, b), ("unary", op, a), ("if", [(condition, value), ...], otherwise), ("list", [e, ...]),
("comprehension", e, iterators), ("matrix", [[e, ...], ...]), ("range", a, step, b), ("all",), ("end",).
"""

import re

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|(?P<real>\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|(?P<integer>\d+)
                       |(?P<string>"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_][A-Za-z_0-9]*)
                       |(?P<symbol><=|>=|==|<>|:=|\.\^|\.\*|\./|\.\+|\.-|[-+*/^<>=(){}\[\],;:.])""", re.X | re.S)
RELATIONS = ("<", "<=", ">", ">=", "==", "<>")
PREFIXES = ("final", "constant", "parameter", "discrete", "input", "output")
SECTIONS = ("equation", "algorithm", "initial", "public", "protected", "end")


def tokens_of(text):
    place, result = 0, []
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            raise SyntaxError(f"at {text[place:place + 20]!r}")
        if match.lastgroup:
            result.append((match.lastgroup, match.group()))
        place = match.end()
    return result + [("end of text", "")]


class Reader:
    """One model of one file."""

    def __init__(self, text):
        self.tokens, self.place = tokens_of(text), 0

    def peek(self, ahead=0):
        return self.tokens[min(self.place + ahead, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.place][0]

    def take(self):
        self.place += 1
        return self.tokens[self.place - 1][1]

    def accept(self, *words):
        return self.take() if self.peek() in words and self.kind() != "string" else None

    def expect(self, word):
        if not self.accept(word):
            raise SyntaxError(f"`{word}` expected, not `{self.peek()}`")

    # Classes and their sections

    def model(self):
        self.expect("model")
        model = {"name": self.take(), "declarations": [], "equations": [], "initial equations": [], "algorithms": [],
                 "initial algorithms": []}
        if self.kind() == "string":
            self.take()
        while not (self.peek() == "end" and self.peek(1) == model["name"]):
            initial = "initial " if self.peek() == "initial" and self.peek(1) in ("equation", "algorithm") else ""
            if initial:
                self.take()
            if self.accept("equation"):
                model[initial + "equations"] += self.statements(self.equation)
            elif self.accept("algorithm"):
                model[initial + "algorithms"].append(self.statements(self.statement))
            elif not self.accept("public", "protected"):
                model["declarations"] += self.declaration()
        return model

    def declaration(self):
        prefixes = []
        while self.peek() in PREFIXES:
            prefixes.append(self.take())
        kind, sizes = self.take(), self.subscripts() if self.peek() == "[" else []
        result = []
        while True:
            name = self.take()
            own = self.subscripts() if self.peek() == "[" else []
            attributes = self.modification() if self.peek() == "(" else {}
            value = self.expression() if self.accept("=") else None
            if self.kind() == "string":
                self.take()
            result.append({"name": name, "type": kind, "prefixes": prefixes, "sizes": own + sizes, "attributes": attributes,
                           "value": value})
            if not self.accept(","):
                break
        self.expect(";")
        return result

    def modification(self):
        self.expect("(")
        result = {}
        while not self.accept(")"):
            self.accept("each")
            name = self.take()
            self.expect("=")
            result[name] = self.expression()
            self.accept(",")
        return result

    def statements(self, one):
        result = []
        while self.peek() not in SECTIONS + ("else", "elseif", "elsewhen"):
            result.append(one())
            self.expect(";")
        return result

    # Equations and statements: ("equal", a, b), ("assign", target, e), ("for", iterators, body),
    # ("if" or "when", [(condition, body), ...], otherwise), ("call", ...)

    def equation(self):
        return self.structured(self.equation) or self.plain("=", "equal")

    def statement(self):
        return self.structured(self.statement) or self.plain(":=", "assign")

    def plain(self, symbol, kind):
        left = self.simple() if symbol == "=" else self.primary()
        return (kind, left, self.expression()) if self.accept(symbol) else left

    def structured(self, one):
        word = self.accept("for", "if", "when")
        if not word:
            return None
        if word == "for":
            iterators = self.iterators()
            self.expect("loop")
            result = ("for", iterators, self.statements(one))
        else:
            branches, otherwise = [], []
            while True:
                condition = self.expression()
                self.expect("then")
                branches.append((condition, self.statements(one)))
                if not self.accept("elseif", "elsewhen"):
                    break
            if self.accept("else"):
                otherwise = self.statements(one)
            result = (word, branches, otherwise)
        self.expect("end")
        self.expect(word)
        return result

    def iterators(self):
        result = []
        while True:
            name = self.take()
            self.expect("in")
            result.append((name, self.expression()))
            if not self.accept(","):
                return result

    # Expressions

    def expression(self):
        if not self.accept("if"):
            return self.simple()
        branches = [self.branch()]
        while self.accept("elseif"):
            branches.append(self.branch())
        self.expect("else")
        return ("if", branches, self.expression())

    def branch(self):
        condition = self.expression()
        self.expect("then")
        return condition, self.expression()

    def simple(self):
        first = self.disjunction()
        if not self.accept(":"):
            return first
        second = self.disjunction()
        return ("range", first, second, self.disjunction()) if self.accept(":") else ("range", first, None, second)

    def disjunction(self):
        result = self.conjunction()
        while self.accept("or"):
            result = ("binary", "or", result, self.conjunction())
        return result

    def conjunction(self):
        result = self.negation()
        while self.accept("and"):
            result = ("binary", "and", result, self.negation())
        return result

    def negation(self):
        return ("unary", "not", self.relation()) if self.accept("not") else self.relation()

    def relation(self):
        left = self.arithmetic()
        operator = self.accept(*RELATIONS)
        return ("binary", operator, left, self.arithmetic()) if operator else left

    def arithmetic(self):
        sign = self.accept("-", "+")
        result = self.term()
        if sign == "-":
            result = ("unary", "-", result)
        while operator := self.accept("+", "-", ".+", ".-"):
            result = ("binary", operator, result, self.term())
        return result

    def term(self):
        result = self.factor()
        while operator := self.accept("*", "/", ".*", "./"):
            result = ("binary", operator, result, self.factor())
        return result

    def factor(self):
        result = self.primary()
        operator = self.accept("^", ".^")
        return ("binary", operator, result, self.primary()) if operator else result

    def primary(self):
        kind = self.kind()
        if kind in ("real", "integer"):
            return ("number", float(self.take()) if kind == "real" else int(self.take()))
        if kind == "string":
            return ("string", self.take())
        if word := self.accept("true", "false"):
            return ("boolean", word == "true")
        if self.accept("("):
            inside = self.expression()
            self.expect(")")
            return inside
        if self.accept("{"):
            return self.braces()
        if self.accept("["):
            return self.brackets()
        if self.accept("end"):
            return ("end",)
        name = self.take()
        if name == "initial" and self.peek() != "(":
            raise SyntaxError("`initial` alone")
        if self.accept("("):
            return self.call(name)
        return ("name", name, self.subscripts() if self.peek() == "[" else [])

    def call(self, name):
        arguments, iterators = [], None
        while not self.accept(")"):
            arguments.append(self.expression())
            if self.accept("for"):
                iterators = self.iterators()
            self.accept(",")
        return ("call", name, arguments, iterators)

    def braces(self):
        first = self.expression()
        if self.accept("for"):
            result = ("comprehension", first, self.iterators())
            self.expect("}")
            return result
        elements = [first]
        while self.accept(","):
            elements.append(self.expression())
        self.expect("}")
        return ("list", elements)

    def brackets(self):
        rows = [[self.expression()]]
        while not self.accept("]"):
            if self.accept(";"):
                rows.append([self.expression()])
            else:
                self.expect(",")
                rows[-1].append(self.expression())
        return ("matrix", rows)

    def subscripts(self):
        self.expect("[")
        result = []
        while not self.accept("]"):
            is_all = self.peek() == ":" and self.peek(1) in (",", "]")
            result.append((self.take(), ("all",))[1] if is_all else self.expression())
            self.accept(",")
        return result
