#!/usr/bin/env python3
"""Writes the four hexapods of this folder: python3 make_hexapod.py [FOLDER]

Thirteen bodies (a load, six legs of two halves) or seven (legs of one body with free length), each
with slender legs and with legs whose mass sits at their ends. README.md says what they are for.
"""
import math
import pathlib
import sys

# Metres and kilograms. Feet on the ground, heads on the load relative to its origin: the corners of
# an ordinary hexapod, moved by some centimetres so that no symmetry hides a spring.
FEET = [(1.33, 0.40, 0.0), (1.61, 0.76, 0.0), (-0.21, 1.17, 0.0),
        (-0.32, 0.99, 0.0), (-0.02, -0.31, 0.0), (0.08, -0.54, 0.0)]
HEADS = [(0.31, -0.51, 0.0), (0.43, 0.38, 0.0), (0.21, 0.49, 0.0),
         (-0.44, 0.17, 0.0), (-0.53, -0.13, 0.0), (-0.01, -0.49, 0.0)]
STIFFNESS = [400, 500, 600, 700, 800, 900]  # N/m, Kraus 2006, section 13.3
REST_LENGTH = 1.26
LOAD = dict(o=(0.42, 0.32, 1.0), mass=11.0, center=(-0.01, -0.12, -0.07), inertia=(1.88, 2.17, 3.36))

LOWER = dict(mass=2.0, length=0.70, radius=0.03)  # from the foot up
UPPER = dict(mass=1.0, length=0.70, radius=0.02)  # from the head down
# A half whose mass sits at its end is a disc there, a thousandth of a millimetre thick.
THICKNESS = 1e-6


def add(a, b, s=1.0):
    return tuple(x + s * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    n = math.sqrt(sum(x * x for x in a))
    return tuple(x / n for x in a)


def text(values):
    return " ".join("0" if x == 0 else repr(x) for x in values)


class Half:
    """Half a leg: mass, centre along the leg from its end, second moments along and across."""

    def __init__(self, data, concentrated):
        self.mass, r = data["mass"], data["radius"]
        length = THICKNESS if concentrated else data["length"]
        self.center = 0.0 if concentrated else length / 2
        self.along = self.mass * length**2 / 12
        self.across = self.mass * r**2 / 4
        self.shape = data


def tensor(along, across):
    """Moments of inertia about the leg and across it."""
    return (2 * across, along + across, along + across)


class Leg:
    """Axes: x from foot to head, y horizontal, z the rest. The cardan joint turns about y, which the
    ground holds, and about z, which the leg holds."""

    def __init__(self, number):
        self.foot, self.head_on_load = FEET[number - 1], HEADS[number - 1]
        self.head = add(LOAD["o"], self.head_on_load)
        span = add(self.head, self.foot, -1.0)
        self.length = math.sqrt(sum(x * x for x in span))
        self.span, self.x = span, unit(span)
        self.y = unit(cross((0.0, 0.0, 1.0), self.x))
        self.z = cross(self.x, self.y)
        self.number = number


def body(name, mass, center, inertia, position, inside="", attributes=""):
    return f"""  <body id="{name}" mass="{mass!r}"{attributes}>
    <center_of_mass> {text(center)} </center_of_mass>
    <moment_of_inertia> {text(inertia)} </moment_of_inertia>
    <position>
      <o> {text(position[0])} </o>
      <x> {text(position[1])} </x>
      <y> {text(position[2])} </y>
      <z> {text(position[3])} </z>
    </position>
{inside}  </body>
"""


def cylinder(x0, x1, radius):
    return f'    <shape kind="cylinder" from="{x0!r} 0 0" to="{x1!r} 0 0" radius="{radius!r}"/>\n'


def load():
    markers = "".join(f'    <marker id="head{i + 1}" o="{text(h)}"/>\n' for i, h in enumerate(HEADS))
    position = (LOAD["o"], (1, 0, 0), (0, 1, 0), (0, 0, 1))
    return body("Load", LOAD["mass"], LOAD["center"], LOAD["inertia"], position, markers)


def cardan(leg, name):
    up = (0.0, 0.0, 1.0)
    return f"""  <joint key="Universal" id="Foot{leg.number}">
    <begin id="Inertial" o="{text(leg.foot)}" x="{text(leg.y)}" y="{text(cross(up, leg.y))}" z="0 0 1"/>
    <end id="{name}" y="0 0 1" z="1 0 0"/>
  </joint>
"""


def ball(leg, name, o):
    return f"""  <joint key="Spherical" id="Head{leg.number}">
    <begin id="{name}" o="{o}"/>
    <end id="Load" marker="head{leg.number}"/>
  </joint>
"""


def spring(leg, begin, end):
    return f"""  <force key="Spring" id="Spring{leg.number}" rest_length="{REST_LENGTH!r}" stiffness="{STIFFNESS[leg.number - 1]}">
    <begin {begin}/>
    <end {end}/>
  </force>
"""


def two_halves(leg, lower, upper):
    n = leg.number
    axes = (leg.x, leg.y, leg.z)
    out = body(f"Lower{n}", lower.mass, (lower.center, 0, 0), tensor(lower.along, lower.across),
               (leg.foot, *axes), cylinder(0.0, lower.shape["length"], lower.shape["radius"]))
    out += body(f"Upper{n}", upper.mass, (-upper.center, 0, 0), tensor(upper.along, upper.across),
                (leg.head, *axes), cylinder(-upper.shape["length"], 0.0, upper.shape["radius"]))
    out += cardan(leg, f"Lower{n}")
    out += f"""  <joint key="Prismatic" id="Slide{n}">
    <begin id="Lower{n}" x="0 1 0" y="0 0 1" z="1 0 0"/>
    <end id="Upper{n}" x="0 1 0" y="0 0 1" z="1 0 0"/>
  </joint>
"""
    return out + ball(leg, f"Upper{n}", "0 0 0") + spring(leg, f'id="Lower{n}"', f'id="Upper{n}"')


def one_body(leg, lower, upper):
    """The two halves at their initial distance, frozen into one body whose length is then free."""
    n = leg.number
    mass = lower.mass + upper.mass
    at = (lower.center, leg.length - upper.center)
    center = (lower.mass * at[0] + upper.mass * at[1]) / mass
    along = (lower.along + upper.along + lower.mass * (at[0] - center) ** 2
             + upper.mass * (at[1] - center) ** 2)
    out = body(f"Leg{n}", mass, (center / leg.length, 0, 0),
               tensor(along, lower.across + upper.across), (leg.foot, leg.span, leg.y, leg.z),
               cylinder(0.0, 1.0, lower.shape["radius"]),
               ' coordinates="two_points" release="xx"')
    out += cardan(leg, f"Leg{n}") + ball(leg, f"Leg{n}", "1 0 0")
    return out + spring(leg, f'id="Inertial" o="{text(leg.foot)}"', f'id="Load" marker="head{n}"')


def model(name, remark, make_leg, concentrated):
    halves = Half(LOWER, concentrated), Half(UPPER, concentrated)
    out = f"""<!-- Written by make_hexapod.py. -->
<model id="{name}">
  <remark> {remark} </remark>
  <simulation until="1" step="0.01">
    <output> Load.com.x Load.com.y Load.com.z </output>
    <output> energy.kinetic energy.potential energy.total </output>
  </simulation>

"""
    out += "".join(f'  <parameter id="c{i}" drives="Spring{i}.stiffness" lower="0" upper="1e4" '
                   f'scale="500" unit="N/m"/>\n' for i in range(1, 7))
    out += "\n" + load()
    for i in range(1, 7):
        out += "\n" + make_leg(Leg(i), *halves)
    out += '\n  <force key="Gravitation" id="Gravity" g="-9.81"/>\n</model>\n'
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    (folder / f"{name}.xml").write_text(out)


if __name__ == "__main__":
    model("hexapod", "A load on six legs of two halves with a spring each: 13 bodies, 6 degrees of freedom.",
          two_halves, False)
    model("hexapod_extensible", "The same with legs of one body whose length is free: 7 bodies.",
          one_body, False)
    model("hexapod_end_masses", "13 bodies; the mass of each half of a leg sits at its joint.",
          two_halves, True)
    model("hexapod_extensible_end_masses", "7 bodies; the mass of the legs sits at their joints.",
          one_body, True)
