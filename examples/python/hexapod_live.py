"""Six springs of a hexapod, watched while they are estimated: a picture that is drawn again at every iteration."""

import pathlib

import parfait as pf

folder = pathlib.Path(__file__).resolve().parents[1] / "hexapod"
path, pictures = [], []
try:
    from IPython.display import display
    place = display(display_id=True)  # None outside a notebook
except ImportError:
    place = None


def watch(point):
    """The stiffnesses so far, as lines over iterations."""
    path.append(point["values"])
    numbers = range(len(path))
    picture = pf.lines({name: (numbers, [values[name] for values in path]) for name in path[0]},
                       title="Six springs", x="iteration", y="stiffness [N/m]")
    pictures.append(picture)
    if place is not None:
        place.update(picture)
    print(f"iteration {point['number']}: objective {point['objective']:.4f}")


fit = pf.fit(folder / "problem.xml", on_iteration=watch)
print(fit.summary())
plot = fit.plot("parameters")
print(pictures[-1], plot)
assert fit.converged and len(pictures) == fit.iterations + 1
assert len(set(picture.svg[0] for picture in pictures)) > 2 and plot.svg  # the lines grew
