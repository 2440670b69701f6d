#!/usr/bin/env python3
"""The reference of cameron-5-distillation by two methods, with 25 digits in each operation.

    /usr/bin/python3 tests/references/distillation.py

Prints the values that stand in src/problems/distillation.cpp, and how far the two methods agree; takes two minutes. The
model is written here a second time, from its description.
"""
import re
from decimal import Decimal as D, getcontext
from pathlib import Path

getcontext().prec = 25

SOURCE = Path(__file__).parents[2] / "src" / "problems" / "distillation.cpp"
PRESSURE = D(8.27) * D(750.0616827)  # mmHg; constants are the doubles of the source
FEED, FEED_PLATE, REFLUX_RATIO = [50 * D(z) for z in (0.30, 0.40, 0.30)], 3, D(2)
ANTOINE = [[D(c) for c in row] for row in ((15.5381, 2032.73, -33.15), (15.6782, 2154.90, -34.42), (15.6338, 2348.67, -40.05))]
LATENT_HEATS = [D(16.6), D(17.6), D(19.0)]
END = D(1.5)


def start():
    """As it stands in the source, each value as the double that it is."""
    values = re.search(r"\.y0 = \{([^}]*)\}", SOURCE.read_text()).group(1)
    return [D(float(value)) for value in values.split(",")]


class Column:
    def __init__(self, duty):
        self.duty = D(duty)
        self.temperatures = [D(345)] * 7

    def vapour(self, plate, x):
        while True:
            T = self.temperatures[plate]
            pressures = [(A - B / (T + C)).exp() * xi for (A, B, C), xi in zip(ANTOINE, x)]
            slope = sum(p * B / (T + C) ** 2 for (A, B, C), p in zip(ANTOINE, pressures))
            change = (sum(pressures) - PRESSURE) / slope
            self.temperatures[plate] = T - change
            if abs(change) < D("1e-11"):
                return [p / sum(pressures) for p in pressures]

    def f(self, y):
        x, liquid, vapour = [], [], []
        for j in range(7):
            amounts = y[3 * j:3 * j + 3]
            holdup = sum(amounts)
            x.append([amount / holdup for amount in amounts])
            vapour.append(self.vapour(j, x[j]))
            above = (holdup - (D(3.0) if j == 0 else D(0.45))) / D(0.15)
            liquid.append(100 * above * above.sqrt())
        V = self.duty * D(3.6) / sum(h * yi for h, yi in zip(LATENT_HEATS, vapour[0]))
        slopes = []
        for j in range(7):
            for i in range(3):
                change = -liquid[j] * x[j][i] - V * vapour[j][i]
                change += V * vapour[j - 1][i] if j > 0 else 0
                change += liquid[j + 1] * x[j + 1][i] if j < 6 else V * vapour[6][i] * REFLUX_RATIO / (1 + REFLUX_RATIO)
                slopes.append(change + (FEED[i] if j == FEED_PLATE else 0))
        return slopes


def plus(y, h, slopes):
    return [a + h * b for a, b in zip(y, slopes)]


def extrapolation(column, y, steps, columns):
    """Gragg's modified midpoint rule, smoothed, extrapolated in h^2."""
    H = END / steps
    for _ in range(steps):
        first, table = column.f(y), []
        for k in range(1, columns + 1):
            h = H / (2 * k)
            a, b = y, plus(y, h, first)
            for _ in range(2 * k - 1):
                a, b = b, plus(a, 2 * h, column.f(b))
            row = [[(p + q) / 2 for p, q in zip(a, plus(b, h, column.f(b)))]]
            for j in range(1, k):
                ratio = (D(k) / D(k - j)) ** 2 - 1
                row.append([p + (p - q) / ratio for p, q in zip(row[j - 1], table[j - 1])])
            table = row
        y = table[-1]
    return y


def gauss(column, y, steps):
    """Gauss's method of order 6, its stages by iteration."""
    h, q = END / steps, D(15).sqrt()
    A = [[D(5) / 36, D(2) / 9 - q / 15, D(5) / 36 - q / 30], [D(5) / 36 + q / 24, D(2) / 9, D(5) / 36 - q / 24],
         [D(5) / 36 + q / 30, D(2) / 9 + q / 15, D(5) / 36]]
    b = [D(5) / 18, D(4) / 9, D(5) / 18]
    stages = [column.f(y)] * 3
    for _ in range(steps):
        change = D(1)
        while change > D("1e-17"):
            change = D(0)
            for s in range(3):
                z = y
                for a, k in zip(A[s], stages):
                    z = plus(z, h * a, k)
                k = column.f(z)
                change = max(change, max(abs(p - r) for p, r in zip(k, stages[s])))
                stages[s] = k
        for weight, k in zip(b, stages):
            y = plus(y, h * weight, k)
    return y


if __name__ == "__main__":
    y0 = start()
    print("largest change at the start with 410 kW:", float(max(map(abs, Column(410).f(y0)))))
    a = extrapolation(Column(322), y0, 1000, 10)
    b = gauss(Column(322), y0, 6000)
    print(*(f"{value:.20g}" for value in a), sep="\n")
    print("the two agree to", float(max(abs(p - q) for p, q in zip(a, b))))
