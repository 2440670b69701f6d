#!/usr/bin/env python3
"""References that no paper gives: DETEST A3 in closed form, Brusselator 2D by two different methods.

    /usr/bin/python3 tests/references/compute.py

Prints the values that stand in src/problems/; needs NumPy and SciPy, takes about a minute.
"""
from decimal import Decimal, getcontext

import numpy as np
from scipy.integrate import solve_ivp

getcontext().prec = 60


def detest_a3(t=20):
    """Upper triangular with distinct eigenvalues: back substitution in powers of exponentials."""
    rows = [["-10000", "100", "-10", "1"], ["0", "-1000", "10", "-10"], ["0", "0", "-1", "10"],
            ["0", "0", "0", "-0.1"]]
    A = [[Decimal(entry) for entry in row] for row in rows]
    n = len(A)
    terms = [None] * n  # y_i = sum_k terms[i][k] exp(A[k][k] t)
    for i in reversed(range(n)):
        own = {}
        for j in range(i + 1, n):
            for k, factor in terms[j].items():
                own[k] = own.get(k, Decimal(0)) + A[i][j] * factor / (A[k][k] - A[i][i])
        own[i] = Decimal(1) - sum(own.values())
        terms[i] = own
    return [sum(c * (A[k][k] * t).exp() for k, c in own.items()) for own in terms]


class Brusselator2D:
    def __init__(self, points, number):
        self.number = number
        self.c = number(1) / number(10) * number(points) ** 2
        x = np.arange(points, dtype=number) / number(points)
        column, row = np.meshgrid(x, x)  # row index is y
        one = number(1)
        self.u0 = 22 * row * (one - row) ** (number(3) / 2)
        self.v0 = 27 * column * (one - column) ** (number(3) / 2)
        i, j = np.meshgrid(np.arange(points), np.arange(points))
        # (x - 0.3)^2 + (y - 0.6)^2 <= 0.01 in integers, so that no rounding decides
        self.spot = (10 * i - 3 * points) ** 2 + (10 * j - 6 * points) ** 2 <= points ** 2
        self.shape = self.u0.shape

    def start(self):
        return np.stack([self.u0, self.v0])

    def f(self, y, forcing):
        u, v = y
        around = [np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1) - 4 * w for w in y]
        number = self.number
        uuv = u * u * v
        du = 1 + uuv - number(44) / 10 * u + self.c * around[0] + forcing * self.spot
        dv = number(34) / 10 * u - uuv + self.c * around[1]
        return np.stack([du, dv])


LEGS = [(0.0, 1.1, 0), (1.1, 11.5, 5)]


def dormand_prince(points):
    problem = Brusselator2D(points, np.float64)
    y = problem.start()
    for begin, end, forcing in LEGS:
        run = solve_ivp(lambda t, z: problem.f(z.reshape(y.shape), forcing).ravel(), (begin, end), y.ravel(),
                        method="DOP853", rtol=1e-13, atol=1e-14)
        y = run.y[:, -1].reshape(y.shape)
    return y


def extrapolation(points, step):
    """Gragg's modified midpoint rule without smoothing, extrapolated in h^2, in long double."""
    problem = Brusselator2D(points, np.longdouble)
    counts = [2, 4, 6, 8, 10, 12, 14]
    y = problem.start()
    for begin, end, forcing in LEGS:
        steps = int(np.ceil((end - begin) / step))
        H = (np.longdouble(str(end)) - np.longdouble(str(begin))) / steps
        for _ in range(steps):
            f0 = problem.f(y, forcing)
            table = []
            for k, n in enumerate(counts):
                h = H / n
                old, new = y, y + h * f0
                for _ in range(n - 1):
                    old, new = new, old + 2 * h * problem.f(new, forcing)
                row = [new]
                for j in range(k):
                    ratio = (np.longdouble(n) / counts[k - 1 - j]) ** 2
                    row.append(row[j] + (row[j] - table[-1][j]) / (ratio - 1))
                table.append(row)
            y = table[-1][-1]
    return y


if __name__ == "__main__":
    print("detest-a3", *(f"{value:.25g}" for value in detest_a3()))
    points = 24
    a = dormand_prince(points)
    b = extrapolation(points, 0.004)
    difference = np.max(np.abs(a - b) / (1e-3 + np.abs(b)))
    print("bruss2d: the two agree to", difference)
    flat = np.stack([b[0].ravel(), b[1].ravel()], axis=1).ravel()  # u and v of a point are adjacent
    print("least and greatest u, v:", b[0].min(), b[0].max(), b[1].min(), b[1].max())
    for index in range(0, flat.size, 29):
        print(index, repr(float(flat[index])))
