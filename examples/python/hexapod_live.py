"""Six springs of a hexapod, watched while they are estimated; the pictures are those of the report."""

import pathlib

import parfait as pf

folder = pathlib.Path(__file__).resolve().parents[1] / "hexapod"
path = []


def watch(point):
    """In a notebook, display() the picture here; it is drawn again for each point."""
    path.append(point["values"])
    print(f"iteration {point['number']}: objective {point['objective']:.4f}")


fit = pf.fit(folder / "problem.xml", on_iteration=watch)
print(fit.summary())
plot = fit.plot("parameters")
print(plot)
assert fit.converged and len(path) == fit.iterations + 1 and plot.svg
