"""Values of Modelica expressions, from chapters 3, 10 and 11.5 of the Modelica specification 3.6.

Reals are floats, Integers ints, Booleans bools, arrays nested lists. What would not be decided the same way by every correct tool
(a Real comparison that rounding decides, numbers out of the domain of a function, numbers that become large) raises Undecided.
"""

import math

CLOSE = 1e-7
LARGE = 1e5


class Undecided(Exception):
    """The case says nothing about the program: rounding or a domain decides it."""


def is_array(value):
    return isinstance(value, list)


def is_real(value):
    return isinstance(value, float)


def checked(value):
    if isinstance(value, float) and not abs(value) < LARGE or isinstance(value, int) and abs(value) > 2**31:
        raise Undecided("large")
    return value


def apart(a, b):
    """Refuses Reals that are equal to rounding; equal Integers are equal."""
    if (is_real(a) or is_real(b)) and abs(a - b) < CLOSE * (1 + abs(a)):
        raise Undecided("close")


def mapped(function, *values):
    """A function of scalars on every element; scalars among arrays are repeated."""
    if not any(map(is_array, values)):
        return function(*values)
    length = next(len(value) for value in values if is_array(value))
    return [mapped(function, *(value[k] if is_array(value) else value for value in values)) for k in range(length)]


def flat(value):
    return [x for part in value for x in flat(part)] if is_array(value) else [value]


def size(value):
    result = []
    while is_array(value):
        result.append(len(value))
        value = value[0] if value else None
    return result


# Operators

def add(a, b):
    return checked(a + b)


def subtract(a, b):
    return checked(a - b)


def multiply(a, b):
    return checked(a * b)


def divide(a, b):
    if abs(b) < CLOSE:
        raise Undecided("division")
    return checked(a / b)


def power(a, b):
    """Always a Real; a negative base takes Integer exponents only."""
    if a < 0 and b != int(b) or abs(a) < CLOSE and b <= 0 or abs(b) > 20:
        raise Undecided("power")
    if is_real(a) and abs(a) < CLOSE and is_real(b):
        raise Undecided("power")
    return checked(float(a) ** (int(b) if b == int(b) else b))


def product(a, b):
    """`*` of scalars, vectors and matrices (10.6.4)."""
    if not (is_array(a) and is_array(b)):
        return mapped(multiply, a, b)
    if len(size(a)) == 1 and len(size(b)) == 1:
        return total([multiply(x, y) for x, y in zip(a, b)])
    if len(size(b)) == 1:
        return [product(row, b) for row in a]
    columns = [list(column) for column in zip(*b)]
    if len(size(a)) == 1:
        return [product(a, column) for column in columns]
    return [[product(row, column) for column in columns] for row in a]


def total(values):
    result = 0
    for value in values:
        result = value if result == 0 and not is_array(result) and not is_real(result) else add(result, value)
    return result


def relation(operator, a, b):
    if isinstance(a, bool):
        return {"==": a == b, "<>": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]
    apart(a, b)
    return {"==": a == b, "<>": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]


BINARY = {"+": lambda a, b: mapped(add, a, b), "-": lambda a, b: mapped(subtract, a, b), "*": product,
          "/": lambda a, b: mapped(divide, a, b), "^": power, ".+": lambda a, b: mapped(add, a, b),
          ".-": lambda a, b: mapped(subtract, a, b), ".*": lambda a, b: mapped(multiply, a, b),
          "./": lambda a, b: mapped(divide, a, b), ".^": lambda a, b: mapped(power, a, b)}


# Functions of scalars (3.7)

def floor(x):
    if is_real(x):
        apart(x, float(round(x)))
        return float(math.floor(x))
    return float(x)


def ceil(x):
    return -floor(-x) + 0.0


def truncated(x, y):
    """div(x, y): the quotient without its fraction; Integer for Integers."""
    if abs(y) < CLOSE:
        raise Undecided("division")
    if isinstance(x, int) and isinstance(y, int):
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    quotient = x / y
    apart(quotient, float(round(quotient)))
    return float(math.trunc(quotient))


def modulo(x, y):
    """mod(x, y) = x - floor(x/y)*y."""
    if abs(y) < CLOSE:
        raise Undecided("division")
    return x % y if isinstance(x, int) and isinstance(y, int) else x - floor(x / y) * y


def remainder(x, y):
    return x - truncated(x, y) * y


def sign(x):
    apart(x, 0)
    return (x > 0) - (x < 0)


def absolute(x):
    return abs(x)


def within(low, high, function):
    def guarded(x):
        if not low <= x <= high:
            raise Undecided("domain")
        return checked(function(float(x)))
    return guarded


def arctangent(y, x):
    if abs(y) < CLOSE and x < CLOSE:
        raise Undecided("cut")
    return math.atan2(y, x)


def tangent(x):
    if abs(math.cos(x)) < 0.05:
        raise Undecided("pole")
    return math.tan(x)


def extreme(choose):
    """min and max of two scalars or of an array; of an Integer and a Real it is a Real."""
    def function(*values):
        values = flat(list(values))
        best = choose(values)
        return float(best) if any(map(is_real, values)) else best
    return function


EDGE = 1e-3  # how far from the edge of a domain an argument stays: beyond, rounding is multiplied
SCALAR = {"sin": within(-LARGE, LARGE, math.sin), "cos": within(-LARGE, LARGE, math.cos), "tan": tangent,
          "asin": within(EDGE - 1, 1 - EDGE, math.asin), "acos": within(EDGE - 1, 1 - EDGE, math.acos), "atan": math.atan,
          "atan2": arctangent, "sinh": within(-10, 10, math.sinh), "cosh": within(-10, 10, math.cosh), "tanh": math.tanh,
          "exp": within(-50, 10, math.exp), "log": within(EDGE, LARGE, math.log), "log10": within(EDGE, LARGE, math.log10),
          "sqrt": within(EDGE, LARGE, math.sqrt), "abs": absolute, "sign": sign, "floor": floor, "ceil": ceil,
          "integer": lambda x: int(floor(x)), "div": truncated, "mod": modulo, "rem": remainder}


# Functions of arrays (10.3)

def filled(value, *sizes):
    return value if not sizes else [filled(value, *sizes[1:]) for _ in range(sizes[0])]


def linspace(first, last, count):
    return [first + (last - first) * k / (count - 1) for k in range(count)]


def multiplied(values):
    result = 1
    for value in values:
        result = multiply(result, value)
    return result


ARRAY = {"size": lambda a, *k: size(a)[k[0] - 1] if k else size(a), "ndims": lambda a: len(size(a)),
         "fill": filled, "zeros": lambda *n: filled(0, *n), "ones": lambda *n: filled(1, *n), "linspace": linspace,
         "identity": lambda n: [[int(i == j) for j in range(n)] for i in range(n)],
         "transpose": lambda a: [list(column) for column in zip(*a)], "sum": lambda a: total(flat(a)),
         "product": lambda a: multiplied(flat(a)), "min": extreme(min), "max": extreme(max), "scalar": lambda a: flat(a)[0]}
