"""Linearises models, reads the .mat files with SciPy and compares them with the JSON of the same point.

Usage: read_linear_mat.py PROGRAM
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import scipy.io
import scipy.sparse

CIRCUIT = """model Circuit
  input Real u(start = 3), unused(start = 0);
  Real current(start = 2, fixed = true), uL;
  output Real v(start = 1, fixed = true), power = u * current;
equation
  u = current + uL + v;
  uL = 0.5 * der(current);
  0.02 * der(v) = current;
end Circuit;
"""


def ring(states):
    numbers = range(states)
    declarations = "".join(f"  Real x{i}(start = {i});\n" for i in numbers)
    equations = "".join(f"  der(x{i}) = 2 * x{(i + 1) % states} - 3 * x{i};\n" for i in numbers)
    return f"model Ring\n  input Real u = 1;\n{declarations}  output Real y = x0 + u;\nequation\n{equations}end Ring;\n"


def linearized(program, folder, text, *arguments):
    (folder / "model.mo").write_text(text)
    run = subprocess.run([program, "linearize", "model.mo", "--json", "--output", "model.mat", *arguments], cwd=folder,
                         capture_output=True, text=True, check=True)
    return scipy.io.loadmat(folder / "model.mat"), json.loads(run.stdout)


def names(matrix):
    return [name.rstrip() for name in matrix]


def test_every_matrix_has_its_names(program, folder):
    mat, told = linearized(program, folder, CIRCUIT, "--at", "0.25")
    assert names(mat["xNames"]) == told["states"] == ["current", "v"]
    assert names(mat["uNames"]) == told["inputs"] == ["u", "unused"]
    assert names(mat["yNames"]) == told["outputs"] == ["v", "power"]
    for matrix, rows, columns in (("A", "xNames", "xNames"), ("B", "xNames", "uNames"), ("C", "yNames", "xNames"),
                                  ("D", "yNames", "uNames")):
        assert mat[matrix].shape == (len(mat[rows]), len(mat[columns])), matrix
        assert (mat[matrix] == numpy.array(told[matrix])).all(), matrix
    for column, field in (("x0", "x0"), ("u0", "u0"), ("y0", "y0"), ("dx0", "derivatives")):
        assert mat[column][:, 0].tolist() == told[field], column
    assert mat["t0"][0][0] == 0.25

    entries = {(row, column): mat["A"][i][j] for i, row in enumerate(names(mat["xNames"]))
               for j, column in enumerate(names(mat["xNames"]))}
    assert entries == {("current", "current"): -2, ("current", "v"): -2, ("v", "current"): 50, ("v", "v"): 0}


def test_matrices_without_rows_or_columns_can_be_read(program, folder):
    mat, _ = linearized(program, folder, "model M Real x(start = 1); equation der(x) = -x; end M;")
    assert mat["A"].tolist() == [[-1]]
    assert (mat["B"].shape, mat["C"].shape, mat["D"].shape) == ((1, 0), (0, 1), (0, 0))
    assert len(mat["uNames"]) == len(mat["yNames"]) == 0


def test_large_matrices_are_sparse(program, folder):
    states = 2001
    mat, told = linearized(program, folder, ring(states))
    assert scipy.sparse.issparse(mat["A"]) and mat["A"].shape == (states, states) and mat["A"].nnz == 2 * states
    mat = {name: value.tocsr() if scipy.sparse.issparse(value) else value for name, value in mat.items()}
    assert mat["A"][0, 0] == -3 and mat["A"][0, 1] == 2 and mat["A"][states - 1, 0] == 2
    assert mat["B"].shape == (states, 1) and mat["B"].nnz == 0
    assert mat["C"].shape == (1, states) and mat["C"][0, 0] == 1 and mat["D"][0, 0] == 1
    assert (told["A"]["rows"], told["A"]["columns"]) == (states, states)
    assert told["A"]["entries"][:3] == [[0, 0, -3], [0, 1, 2], [1, 1, -3]] and len(told["A"]["entries"]) == 2 * states


def main(program):
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(program, pathlib.Path(folder))
    print(f"{len(tests)} tests")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
