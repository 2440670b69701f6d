"""Reads typical.mat as DyMat and OMPython do and compares it with typical.csv and the run it was made from."""

import csv
import math
import sys

import scipy.io


def texts(matrix):
    """The columns of a text matrix; binTrans stores one name after the other."""
    return ["".join(column).rstrip(" \0") for column in zip(*matrix)]


def main(folder):
    mat = scipy.io.loadmat(f"{folder}/typical.mat", chars_as_strings=False)
    head = ["".join(row).rstrip(" \0") for row in mat["Aclass"]]
    assert head == ["Atrajectory", "1.1", "", "binTrans"], head

    names = texts(mat["name"])
    descriptions = dict(zip(names, texts(mat["description"])))
    info = dict(zip(names, mat["dataInfo"].T.astype(int).tolist()))
    assert names[0] == "time"
    assert info["time"] == [0, 1, 0, -1], info["time"]
    assert descriptions["time"] == "Simulation time [s]"
    assert descriptions["mass[1].s"] == "position of mass 1 [m]"
    assert descriptions["n"] == "number of masses"
    assert mat["dataInfo"].shape == (4, len(names))

    data = {0: mat["data_2"], 1: mat["data_1"], 2: mat["data_2"]}

    def values(name):
        which, row, _, _ = info[name]
        return math.copysign(1, row) * data[which][abs(row) - 1]

    # Aliases share a row of data_2, the negated one with a negative number.
    assert info["anchor.s"] == info["mass[1].s"] == [2, 2, 0, -1]
    assert info["anchor.pull"] == [2, -2, 0, -1]
    assert (values("anchor.pull") == -values("mass[1].s")).all()

    # Constants are in data_1 at the start and at the stop, below the time.
    assert mat["data_1"].shape == (5, 2)
    assert values("time")[0] == mat["data_1"][0][0] == 0.0
    assert values("time")[-1] == mat["data_1"][0][1] == 20.0
    assert list(values("mass[1].m")) == [1.5, 1.5]
    assert list(values("spring.minus_c")) == [-1 / 3, -1 / 3]
    assert info["n"][0] == 1 and list(values("n")) == [10, 10]

    # Every trajectory is the CSV's, bit for bit.
    with open(f"{folder}/typical.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "time" and "<script>alert(1)</script>" in header
    assert set(header) == {name for name in names if info[name][0] != 1}
    for column, name in enumerate(header):
        assert [float(row[column]) for row in rows] == list(values(name)), name
    print(f"{len(names)} names, {len(rows)} rows")


if __name__ == "__main__":
    main(sys.argv[1])
