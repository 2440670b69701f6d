"""Finds places in C++ text for small deliberate mistakes, and writes many of them into one text, each behind a switch.

The text is read as tokens. clang-format lays our sources out: a binary operator has space on both sides and nothing else has, so
brackets and precedence give the extent of its operands. What is misread this way does not compile and is dropped.
"""

import bisect
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?m:^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*))
  | (?P<text>R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[eEpP][+-]|['\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><=>|<<=|>>=|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)

PRECEDENCE = {sign: level for level, signs in enumerate(
    [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<=>"], ["<<", ">>"], ["+", "-"],
     ["*", "/", "%"]]) for sign in signs}
OTHERS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
          "+": ["-"], "-": ["+"], "&&": ["||"], "||": ["&&"]}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="}
ENDS = {";", ",", "?", ":", "->"} | ASSIGNMENTS  # of an operand, on either side
STARTS = {"return", "case", "throw", "else", "do"}
FUNCTION = re.compile(r"(?:  )?(?!return|throw|else|case|  )[A-Za-z_][\w:<>,*& ]* [*&]?(?:\w+::)*(\w+)\(")
OPENING = {"(": ")", "[": "]", "{": "}"}
CHECKS = {"DAEDALUS_CHECK", "assert", "static_assert"}  # of conditions that are always true: no test can see them weakened


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int  # offset
    is_spaced: bool  # space on both sides


@dataclasses.dataclass(frozen=True)
class Mistake:
    line: int  # from 1
    function: str  # the one that contains it
    before: str  # the original text, on one line
    after: str  # the changed text; empty: the statement is left out
    extent: tuple  # offsets of the whole expression or statement
    change: tuple  # offsets of the replaced part
    new: str | None  # its replacement; None: the statement is left out


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        if match.lastgroup == "skip":
            continue
        kind = "text" if match.group("text") else match.lastgroup
        end = match.end()
        is_spaced = text[match.start() - 1:match.start()].isspace() and text[end:end + 1].isspace()
        tokens.append(Token(kind, match.group(), match.start(), is_spaced))
    return tokens


def partners_of(tokens):
    """For each bracket the place of the other one."""
    partners, stack = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENING and token.kind == "sign":
            stack.append(i)
        elif token.text in OPENING.values() and token.kind == "sign" and stack:
            partners[i] = stack.pop()
            partners[partners[i]] = i
    return partners


def functions_of(text):
    """For each line the name of the function that begins there or before: by the layout, too."""
    names, name = [], ""
    for line in text.split("\n"):
        found = FUNCTION.match(line)
        name = found.group(1) if found and not line.endswith(";") else name
        names.append(name)
    return names


class Reader:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partners = partners_of(self.tokens)
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.function_of = functions_of(text)

    def mistakes(self):
        found = []
        end_of_check = -1
        for i, token in enumerate(self.tokens):
            if token.text in CHECKS:
                end_of_check = self.partners.get(i + 1, i)
            if i > end_of_check:
                found += self.operators(i, token) + self.words(i, token) + self.numbers(token) + self.statement(i)
        return found

    def operators(self, i, token):
        if token.text == "!" and token.kind == "sign":
            end = self.operand_end(i, len(PRECEDENCE))
            return [self.mistake((token.at, end), token, "")]
        if token.text not in OTHERS or not token.is_spaced:
            return []
        level = PRECEDENCE[token.text]
        extent = (self.operand_start(i, level), self.operand_end(i, level))
        return [self.mistake(extent, token, new) for new in OTHERS[token.text]]

    def words(self, i, token):
        if token.text in ("true", "false"):
            return [self.mistake((token.at, token.at + len(token.text)), token, "false" if token.text == "true" else "true")]
        is_standard = i >= 2 and self.tokens[i - 1].text == "::" and self.tokens[i - 2].text == "std"
        if token.text not in ("max", "min") or not is_standard:
            return []
        bracket = next((k for k in range(i, len(self.tokens)) if self.tokens[k].text == "("), None)
        if bracket not in self.partners:
            return []
        extent = (self.tokens[i - 2].at, self.tokens[self.partners[bracket]].at + 1)
        return [self.mistake(extent, token, "min" if token.text == "max" else "max")]

    def numbers(self, token):
        if token.kind != "number" or not token.text.isdigit():
            return []
        return [self.mistake((token.at, token.at + len(token.text)), token, str(int(token.text) + 1))]

    def statement(self, i):
        """A call, an assignment or a step of a counter: no space before its bracket or within what is assigned to."""
        if i == 0 or not self.may_start_statement(i):
            return []
        end = self.statement_end(i)
        if end is None:
            return []
        extent = (self.tokens[i].at, self.tokens[end].at + 1)
        line = self.line(extent[0])
        return [Mistake(line, self.function_of[line - 1], self.one_line(*extent), "", extent, extent, None)]

    def may_start_statement(self, i):
        before = self.tokens[i - 1]
        is_controlled = before.text == ")" and self.tokens[self.partners.get(i - 1, 0) - 1].text in ("if", "for", "while")
        return before.text in (";", "{", "}", "else", "do", ":") or is_controlled

    def statement_end(self, i):
        """The place of the semicolon; none where it is no statement that can be left out."""
        k, acts, is_assigned = i, self.tokens[i].text in ("++", "--"), False
        while k < len(self.tokens):
            token = self.tokens[k]
            has_gap = self.text[token.at - 1].isspace()
            if token.text == ";":
                return k if acts else None
            if token.text in ASSIGNMENTS and token.kind == "sign":
                acts = is_assigned = True
            elif not is_assigned and ((has_gap and k > i and not acts) or token.text in CHECKS | {"reserve"}):
                return None
            elif not is_assigned and token.text == "{":
                return None
            acts = acts or token.text == "(" or token.text in ("++", "--")
            if token.text in OPENING and token.kind == "sign":
                k = self.partners.get(k, len(self.tokens))
            elif token.text in OPENING.values() and token.kind == "sign":
                return None
            k += 1
        return None

    def is_border(self, k):
        token = self.tokens[k]
        return (token.kind == "sign" and token.text in ENDS) or token.text in STARTS

    def level(self, k):
        token = self.tokens[k]
        return PRECEDENCE.get(token.text) if token.is_spaced and token.kind == "sign" else None

    def operand_start(self, i, level):
        k = i
        while k > 0:
            previous = k - 1
            if self.is_border(previous) or self.tokens[previous].text in OPENING:
                break
            other = self.level(previous)
            if other is not None and other < level:
                break
            k = self.partners.get(previous, previous)
        return self.tokens[k].at

    def operand_end(self, i, level):
        k = i + 1
        while k < len(self.tokens):
            token = self.tokens[k]
            other = self.level(k)
            if self.is_border(k) or (other is not None and other <= level) or token.text in OPENING.values():
                break
            k = self.partners.get(k, k) + 1
        last = self.tokens[k - 1]
        return last.at + len(last.text)

    def mistake(self, extent, token, new):
        change = (token.at, token.at + len(token.text))
        line = self.line(token.at)
        start = self.line_starts[line - 1]
        end = self.text.find("\n", change[1])
        end = len(self.text) if end < 0 else end
        after = self.text[start:change[0]] + new + self.text[change[1]:end]
        function = self.function_of[line - 1]
        return Mistake(line, function, self.one_line(start, end), " ".join(after.split()), extent, change, new)

    def one_line(self, start, end):
        return " ".join(self.text[start:end].split())

    def line(self, at):
        return bisect.bisect_right(self.line_starts, at)


def mistakes_of(text):
    return Reader(text).mistakes()


def with_switches(text, numbered):
    """The text with all mistakes in it, given as {number: mistake}, and for each number the lines where it stands."""
    pieces, lines, at, line = [], {}, 0, 1
    for number, mistake in sorted(numbered.items(), key=lambda item: item[1].extent):
        begin, end = mistake.extent
        written = text[begin:end]
        if mistake.new is None:
            switch = f"{{ if (!::daedalus_mutant({number})) {{ {written} }} }}"
        else:
            changed = text[begin:mistake.change[0]] + mistake.new + text[mistake.change[1]:end]
            is_truth = mistake.new == ""  # without its negation a value may be of another type
            changed = f"static_cast<bool>({changed})" if is_truth else f"({changed})"
            switch = f"(::daedalus_mutant({number}) ? {changed} : ({written}))"
        line += text.count("\n", at, begin)
        lines[number] = range(line, line + switch.count("\n") + 1)
        line += switch.count("\n")
        pieces += [text[at:begin], switch]
        at = end
    return "".join(pieces) + text[at:], lines
