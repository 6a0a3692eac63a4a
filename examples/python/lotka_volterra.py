"""Predators and prey with pandas: measurements in a DataFrame, a fit, and its table and bands as DataFrames."""

import pathlib

import pandas as pd

import parfait as pf

folder = pathlib.Path(__file__).resolve().parents[1] / "lotka_volterra"
data = pd.read_csv(folder / "populations.csv", float_precision="round_trip")
print(data.head())

# %% The model is a file; the data are a DataFrame, and both initial values are unknown.
problem = pf.Problem()
for name, initial in (("p1", 0.5), ("p2", 0.5), ("p3", -0.5), ("p4", -0.2)):
    problem.estimate(name, initial=initial, true=1)
problem.experiment(pf.Model.from_xml(folder / "predators.xml"), id="populations", data=data,
                   observe={"x1": {"quantity": "x1", "relative": 0.05}, "x2": {"quantity": "x2", "relative": 0.05}},
                   initial="free", grid={"intervals": 20, "nodes": "measured"})
print(problem)

fit = problem.fit()
print(fit.to_pandas()[["value", "sd", "ci95_low", "ci95_high"]])

# The same problem as a file gives the same numbers.
assert fit.values == pf.fit(folder / "problem.xml").values

# %% Residuals and the fitted curve, ready to group, join and plot.
residuals = fit.residuals.to_pandas()
print(residuals.groupby("column")["weighted"].describe())
curve = next(iter(fit.trajectories.values())).to_pandas()
print(curve.describe())
assert fit.converged and len(residuals) == fit.json["measurements"]
