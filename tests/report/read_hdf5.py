"""Reads typical.h5 with h5py and compares it with typical.csv and the run it was made from."""

import csv
import sys

import h5py


def main(folder):
    with open(f"{folder}/typical.csv", newline="") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, zip(*[[float(cell) for cell in row] for row in rows])))
    with h5py.File(f"{folder}/typical.h5", "r") as file:
        # Every name can be read directly and gives the CSV's numbers, bit for bit; a slash makes a
        # group.
        for name, values in columns.items():
            assert tuple(file[name][:]) == values, name
        assert "script>alert(1)<" not in file and isinstance(file["<script>alert(1)<"], h5py.Group)

        # Aliases are one dataset; a negated one has its own.
        assert file["anchor.s"] == file["mass[1].s"] != file["anchor.pull"]
        assert (file["anchor.pull"][:] == -file["mass[1].s"][:]).all()
        assert file["mass[1].s"].attrs["unit"] == "m"
        assert file["mass[1].s"].attrs["description"] == "position of mass 1"
        assert file["mass[1].s"].attrs["description of anchor.s"] == "same as mass[1].s"

        # Constants are single numbers.
        assert file["mass[1].m"][()] == 1.5 and file["n"][()] == 10
        assert file["spring.minus_c"][()] == -file["spring.c"][()] == -1 / 3
        assert file["spring.c"].attrs["description"] == "stiffness <b>not bold</b>"
    print(f"{len(columns)} names, {len(rows)} rows")


if __name__ == "__main__":
    main(sys.argv[1])
