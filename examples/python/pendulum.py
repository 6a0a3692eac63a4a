"""A pendulum from scratch to its intervals: build a model, make measurements, estimate gravity and friction."""

import numpy as np

import parfait as pf

# %% A bar on a hinge, with a damper in the hinge. A string is a formula of parameters.
m = pf.ModelBuilder("pendulum")
bar = m.body("Bar", mass=2, center_of_mass=(0.5, 0, 0), inertia=(0.02, 0.17, 0.17))
bar.marker("tip", (1, 0, 0))
m.joint("Revolute", "Hinge", m.ground.at(z=(0, 1, 0)), bar.at(z=(0, 1, 0)))
m.force("Rotational_Damper", "Friction", m.ground.at(z=(0, 1, 0)), bar.at(z=(0, 1, 0)), damping="d")
m.force("Gravitation", "Gravity", g="-g")
m.parameter("g", 9.81, lower=0, unit="m/s2")
m.parameter("d", 0.3, lower=0, unit="N m s")
model = m.build()
print(model)

# %% Its motion, and how it depends on the parameters.
run = model.simulate(until=3, step=0.01, observe=["Bar.tip.x", "Bar.tip.z"], sensitivity=["g", "d"])
print(run.summary())
print(f"the tip is {np.max(np.abs(run.d['Bar.tip.x', 'g'])):.3f} m per m/s2 away when gravity changes")

# %% Thirty measurements of the tip to 5 mm, made with a fixed seed.
problem = pf.Problem("pendulum")
problem.estimate("g", initial=5, true=9.81)
problem.estimate("d", initial=1, true=0.3)
problem.experiment(model, samples=np.linspace(0.1, 3, 30),
                   observe={"x": ("Bar.tip.x", 0.005), "z": ("Bar.tip.z", 0.005)})
measured = problem.synthesize(seed=1)

# %% The fit.
fit = measured.fit(progress=True)
print(fit.summary())
for name, parameter in fit.items():
    low, high = parameter.ci95
    assert low < parameter.value < high
    assert abs(parameter.value - parameter.true) < 4 * parameter.sd, name
assert fit.converged
