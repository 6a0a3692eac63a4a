#!/usr/bin/env python3
"""Writes the human of `parfait human` on a car seat (Kraus 2006, chapter 14).

    build_model.py HUMAN OUT [TABLE]

HUMAN is a model file of `parfait human --posture sitting`. TABLE has the frames of all bodies in its last row; without it the
posture is the one that is drawn. settle.py calls this twice. README.md says where every number comes from.
"""
import csv
import math
import sys
import xml.etree.ElementTree as ET


# ---------------------------------------------------------------- small algebra
def add(a, b): return [x + y for x, y in zip(a, b)]
def sub(a, b): return [x - y for x, y in zip(a, b)]
def times(s, a): return [s * x for x in a]
def dot(a, b): return sum(x * y for x, y in zip(a, b))


def tilted(angle):
    """Axes x, y, z of a frame that leans back by `angle`."""
    return [[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]]


def text(a): return " ".join(f"{x:.9g}" for x in a)


class Body:
    """Frame in the world and mass properties in the frame."""

    def __init__(self, name, o, axes, mass, center, inertia):
        self.name, self.o, self.axes = name, o, axes
        self.mass, self.center, self.inertia = mass, center, inertia
        self.markers, self.shapes = [], []

    def local(self, point):
        d = sub(point, self.o)
        return [dot(d, axis) for axis in self.axes]

    def world(self, local):
        out = self.o
        for x, axis in zip(local, self.axes):
            out = add(out, times(x, axis))
        return out

    def direction(self, vector): return [dot(vector, axis) for axis in self.axes]


WORLD = Body("Inertial", [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 0, [0, 0, 0], [0] * 6)
bodies, joints, forces = [], [], []


def named(name): return next(b for b in bodies if b.name == name)


# ---------------------------------------------------------------- the human
def read_human(file):
    for e in ET.parse(file).getroot().findall("body"):
        p = e.find("position")
        def number(source, name, default):
            text = source.get(name) or source.findtext(name)
            return [float(x) for x in text.split()] if text else default
        axes = [number(p, k, default) for k, default in zip("xyz", WORLD.axes)]
        inertia = number(e, "moment_of_inertia", None)
        body = Body(e.get("id"), number(p, "o", [0, 0, 0]), axes, number(e, "mass", None)[0], number(e, "center_of_mass", [0, 0, 0]),
                    inertia + [0] * (6 - len(inertia)))
        body.joint_centers = {m.get("id"): number(m, "o", [0, 0, 0]) for m in e.findall("marker")}
        body.shapes = [{k: v for k, v in s.attrib.items()} for s in e.findall("shape")]
        bodies.append(body)


# Share of the mass that is rigid: Nigg and Herzog, Biomechanics of the Musculo-skeletal System, problem 4.2.12.
RIGID = {"thorax": 0.2, "lumbus": 0.2, "pelvis": 0.2, "thigh_left": 0.5, "thigh_right": 0.5}


def split_tissue():
    """A wobbling mass in the place of the soft part of a segment: same centre, same shape of the tensor."""
    for name, share in RIGID.items():
        bone = named(name)
        tissue = Body("wobble_" + name, bone.world(bone.center), bone.axes, (1 - share) * bone.mass, [0, 0, 0],
                      times(1 - share, bone.inertia))
        radius = 0.105 if name.startswith("thigh") else 0.15
        tissue.shapes = [dict(kind="sphere", radius=f"{radius:g}", color="#d98880", opacity="0.25")]
        bone.mass *= share
        bone.inertia = times(share, bone.inertia)
        bodies.append(tissue)


# ---------------------------------------------------------------- the car
RECLINE = math.radians(12)    # of the trunk and the seatback
SEAT_TILT = math.radians(5)   # of the cushion, front up


def box(name, o, axes, mass, size, color):
    a, b, c = size
    inertia = [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12, 0, 0, 0]
    body = Body(name, o, axes, mass, [0, 0, 0], inertia)
    body.shapes = [dict(kind="box", size=text(size), color=color)]
    bodies.append(body)
    return body


def add_car(hips):
    box("car", [0.3, 0, -0.05], WORLD.axes, 1000, [1.6, 1.2, 0.1], "#9aa5b1")
    seat_axes, back_axes = tilted(SEAT_TILT), tilted(RECLINE)
    top = add(hips, [0.12, 0, -0.095])                # under the thighs, on the surface of the cushion
    named_at = lambda depth: add(top, times(-depth, seat_axes[2]))
    seat = box("seat", named_at(0.05), seat_axes, 5, [0.52, 0.5, 0.1], "#566573")
    box("seat_chassis", named_at(0.16), seat_axes, 15, [0.5, 0.48, 0.06], "#808b96")
    back = add(hips, add(times(-0.135, back_axes[0]), times(0.30, back_axes[2])))
    box("seatback", add(back, times(-0.05, back_axes[0])), back_axes, 4, [0.1, 0.46, 0.6], "#566573")
    box("seatback_chassis", add(back, times(-0.14, back_axes[0])), back_axes, 10, [0.05, 0.44, 0.6], "#808b96")
    rest = add(hips, add(times(-0.115, back_axes[0]), times(0.755, back_axes[2])))
    box("neck_protection", add(rest, times(-0.04, back_axes[0])), back_axes, 1.5, [0.08, 0.26, 0.2], "#566573")
    return seat


# ---------------------------------------------------------------- joints and forces
def end(tag, body, point, x=None, z=None):
    fields = f'body="{body.name}" o="{text(body.local(point))}"'
    if x: fields += f' x="{text(body.direction(x))}"'
    if z: fields += f' z="{text(body.direction(z))}"'
    return f"<{tag} {fields}/>"


def joint(key, name, begin, finish, point, z=None, x=None):
    joints.append(f'  <joint key="{key}" id="{name}">\n    {end("begin", begin, point, x, z)}\n'
                  f'    {end("end", finish, point, x, z)}\n  </joint>\n')


def force(key, name, constants, begin, finish, point, other=None, x=None, z=None):
    """Between two bodies; frames agree where the model is drawn."""
    forces.append(f'  <force key="{key}" id="{name}" {constants}>\n    {end("begin", begin, point, x, z)}\n'
                  f'    {end("end", finish, other or point, x, z)}\n  </force>\n')


def diagonal(stiffness, damping):
    return " ".join(f'c{i}{i}="{c:g}"' for i, c in enumerate(stiffness, 1)) + " " + \
           " ".join(f'd{i}{i}="{d:g}"' for i, d in enumerate(damping, 1))


def add_skeleton():
    at = lambda body, center: named(body).world(named(body).joint_centers[center])
    trunk_x, trunk_z = named("pelvis").axes[0], named("pelvis").axes[2]
    for side in ("left", "right"):
        s = "_" + side
        joint("Spherical", "shoulder" + s, named("thorax"), named("upper_arm" + s), at("thorax", "shoulder" + s))
        joint("Spherical", "hip" + s, named("pelvis"), named("thigh" + s), at("pelvis", "hip" + s))
        joint("Spherical", "ankle" + s, named("shank" + s), named("foot" + s), at("shank" + s, "ankle" + s))
        joint("Revolute", "elbow" + s, named("upper_arm" + s), named("forearm" + s), at("upper_arm" + s, "elbow" + s),
              z=[0, 1, 0], x=[0, 0, 1])
        joint("Revolute", "knee" + s, named("thigh" + s), named("shank" + s), at("thigh" + s, "knee" + s), z=[0, 1, 0], x=[0, 0, 1])
        joint("Fixed", "wrist" + s, named("forearm" + s), named("hand" + s), at("forearm" + s, "wrist" + s), z=[0, 1, 0], x=[0, 0, 1])
    joint("Revolute", "atlas", named("neck"), named("head"), at("neck", "atlas"), z=[0, 1, 0], x=[1, 0, 0])

    # Intervertebral discs (Kraus 2006, 6.2.2), and beside them what his discs alone do not do: hold the trunk up.
    spine = [("lumbar", "pelvis", "lumbus", "bushing_pelvis_lumbus", SPINE[0]),
             ("thoracic", "lumbus", "thorax", "bushing_lumbus_thorax", SPINE[1]),
             ("cervical", "thorax", "neck", None, SPINE[2])]
    for center, below, above, scale, (stiffness, damping) in spine:
        point = at(below, center)
        force("Bushing", f"disc_{center}", f'scale="{scale or 1}"', named(below), named(above), point, x=trunk_x, z=trunk_z)
        force("Spherical", f"ligaments_{center}", diagonal(stiffness, damping), named(below), named(above), point,
              x=trunk_x, z=trunk_z)
    force("Rotational_Spring_Damper", "muscles_atlas", 'stiffness="40" damping="0.5"', named("neck"), named("head"),
          at("neck", "atlas"), x=[1, 0, 0], z=[0, 1, 0])
    for side in ("left", "right"):
        s = "_" + side
        force("Spherical", "muscles_shoulder" + s, diagonal([30] * 3, [2] * 3), named("thorax"), named("upper_arm" + s),
              at("thorax", "shoulder" + s), x=trunk_x, z=trunk_z)
        force("Spherical", "muscles_hip" + s, diagonal([200] * 3, [3] * 3), named("pelvis"), named("thigh" + s),
              at("pelvis", "hip" + s), x=trunk_x, z=trunk_z)
        force("Spherical", "muscles_ankle" + s, diagonal([100] * 3, [0.8] * 3), named("shank" + s), named("foot" + s),
              at("shank" + s, "ankle" + s), x=[1, 0, 0], z=[0, 0, 1])
        force("Rotational_Spring_Damper", "muscles_elbow" + s,
              f'stiffness="elbow{s}_stiffness" damping="elbow{s}_damping"', named("upper_arm" + s), named("forearm" + s),
              at("upper_arm" + s, "elbow" + s), x=[0, 0, 1], z=[0, 1, 0])
        force("Rotational_Spring_Damper", "muscles_knee" + s, 'stiffness="50" damping="4"', named("thigh" + s), named("shank" + s),
              at("thigh" + s, "knee" + s), x=[0, 0, 1], z=[0, 1, 0])
    # Soft tissue (6.2.3): c_t and d_t of Table 14.2, also where the table has none.
    for name in RIGID:
        bone, tissue = named(name), named("wobble_" + name)
        stiffness = f"wobble_{name}_stiffness" if name in ("pelvis", "lumbus", "thorax") else "1e7"
        damping = "wobble_lumbus_damping" if name == "lumbus" else "100"
        force("Wobbling", "tissue_" + name,
              f'stiffness="{stiffness}" damping="{damping}" rotational_stiffness="100" rotational_damping="2"',
              bone, tissue, tissue.o, *tissue_axes(name, bone))


def tissue_axes(name, bone):
    """Axes in which the tissue's springs lie: two of them 45 degrees from the vertical, so that the weight stretches both. Along the
    axes of the bone one would carry it all, and a cubic spring that carries nothing has no stiffness: the posture would tip over."""
    forward, left, up = bone.axes
    if name.startswith("thigh"): forward, up = up, forward          # lies down: its z is level, its x upright
    return None, forward, times(math.sqrt(0.5), add(left, up))


# Stiffness [N m/rad] and damping [N m s/rad] beside the discs: about x (to the side), y (forward), z.
SPINE = [([450, 450, 200], [2, 2, 1]), ([450, 450, 200], [2, 2, 1]), ([100, 100, 40], [0.5, 0.5, 0.3])]
SEAT_STIFFNESS, SEAT_DAMPING = 600e3, 3000      # of the cushion [N/m, N s/m]
CONTACT = dict(stiffness=150e3, radius=0.02)     # of skin and clothes [N/m, m]


def contact(name, surface, body, point, foot, normal, along, face=None, damping=3.0, friction=1.0, stiffness=None):
    """`point` of `body` on the surface through `foot`."""
    key = "Hertz_Face" if face else "Hertz_Plane"
    constants = f'stiffness="{stiffness or CONTACT["stiffness"]:g}" radius="{CONTACT["radius"]:g}" friction="{friction:g}" damping="{damping:g}"'
    if face: constants += f' width="{face[0]:g}" height="{face[1]:g}"'
    forces.append(f'  <force key="{key}" id="{name}" {constants}>\n    {end("begin", surface, foot, along, normal)}\n'
                  f'    {end("end", body, point)}\n  </force>\n')


def add_seat(hips):
    car, chassis, seat = named("car"), named("seat_chassis"), named("seat")
    back_chassis, back, rest = named("seatback_chassis"), named("seatback"), named("neck_protection")
    up, along = seat.axes[2], seat.axes[0]
    out, upwards = back.axes[0], back.axes[2]
    joint("Prismatic", "road", WORLD, car, car.o, z=[0, 0, 1], x=[1, 0, 0])
    joint("Fixed", "rail", car, chassis, chassis.o, z=up, x=along)
    joint("Prismatic", "cushion", chassis, seat, seat.o, z=up, x=along)
    hinge = add(hips, add(times(-0.2, out), times(-0.12, upwards)))
    joint("Revolute", "recliner", chassis, back_chassis, hinge, z=[0, 1, 0], x=upwards)
    joint("Prismatic", "padding", back_chassis, back, back.o, z=out, x=upwards)
    post = add(rest.o, times(-0.1, upwards))
    joint("Revolute", "post", back_chassis, rest, post, z=[0, 1, 0], x=upwards)

    force("Direction_Spring_Damper", "cushion_spring", f'stiffness="{SEAT_STIFFNESS:g}" damping="{SEAT_DAMPING:g}"', chassis, seat, seat.o,
          x=along, z=up)
    force("Direction_Spring_Damper", "padding_spring", 'stiffness="40000" damping="400"', back_chassis, back, back.o, x=upwards, z=out)
    force("Rotational_Spring_Damper", "recliner_spring", 'stiffness="5000" damping="100"', chassis, back_chassis, hinge,
          x=upwards, z=[0, 1, 0])
    force("Rotational_Spring_Damper", "post_spring", 'stiffness="500" damping="10"', back_chassis, rest, post, x=upwards, z=[0, 1, 0])

    # Where the human touches: buttocks, thighs, back, head, feet.
    pelvis, lumbus, thorax, head = named("pelvis"), named("lumbus"), named("thorax"), named("head")
    surface = add(seat.o, times(0.05, up))
    def on_seat(name, body, point, depth):
        height = dot(sub(point, surface), up)
        point = add(point, times(-height - depth, up))
        contact(name, seat, body, point, surface, up, along, face=(0.52, 0.5))
    for side, y in (("left", 1), ("right", -1)):
        on_seat("seat_pelvis_" + side, pelvis, add(hips, [-0.02, 0.065 * y, -0.1]), 0.012)
        on_seat("seat_thigh_" + side, named("thigh_" + side), add(hips, [0.25, 0.0803 * y, -0.1]), 0.006)
    plane = add(back.o, times(0.05, out))
    def on_back(name, body, point, depth):
        height = dot(sub(point, plane), out)
        point = add(point, times(-height - depth, out))
        contact(name, back, body, point, plane, out, upwards, face=(0.6, 0.46))
    on_back("back_pelvis", pelvis, pelvis.world([-0.12, 0, 0.08]), 0.002)
    on_back("back_lumbus", lumbus, lumbus.world([-0.12, 0, 0.1]), 0.002)
    for side, y in (("left", 1), ("right", -1)):
        on_back("back_thorax_" + side, thorax, thorax.world([-0.13, 0.09 * y, 0.13]), 0.003)
    pad = add(rest.o, times(0.04, out))
    point = head.world([-0.09, 0, 0.06])
    point = add(point, times(0.004 - dot(sub(point, pad), out), out))
    contact("rest_head", rest, head, point, pad, out, upwards, face=(0.2, 0.26))
    floor = [0.3, 0, 0]
    for side in ("left", "right"):
        foot = named("foot_" + side)
        for part in ("heel", "toe"):
            point = foot.world(foot.joint_centers[f"{part}_{side}"])
            if part == "toe": point = add(point, [-0.04, 0, 0])
            contact(f"floor_{part}_{side}", car, foot, point, floor, [0, 0, 1], [1, 0, 0])
    # Friction that depends on slip alone holds nobody at rest: the shear of cushion and soles does.
    for name, body, under, point, stiffness in [("seat", pelvis, seat, add(hips, [0, 0, -0.09]), 15000)] + \
            [("sole_" + side, named("foot_" + side), car, named("foot_" + side).o, 10000) for side in ("left", "right")]:
        for direction, axis, other in (("x", [1, 0, 0], [0, 1, 0]), ("y", [0, 1, 0], [0, 0, 1])):
            force("Direction_Spring_Damper", f"shear_{name}_{direction}", f'stiffness="{stiffness}" damping="150"', under, body,
                  point, x=other, z=axis)


# ---------------------------------------------------------------- markers of Table 14.1, its y mirrored
MARKERS = [("breast", "thorax", [0.08, 0, 0]), ("right_shoulder", "thorax", [0, -0.16, 0.14]),
           ("left_shoulder", "thorax", [0.08, 0.16, 0.14]), ("right_hand", "hand_right", [0.025, 0, 0]),
           ("left_hand", "hand_left", [0.025, 0, 0]), ("right_hip", "pelvis", [0, -0.17, 0]),
           ("left_hip", "pelvis", [0, 0.17, 0]), ("right_thigh", "thigh_right", [0, 0, -0.25]),
           ("left_thigh", "thigh_left", [0, 0, -0.25]), ("forehead", "head", [0.08, -0.06, 0.08])]


def add_markers():
    for name, body_name, o in MARKERS:
        body = named(body_name)
        body.markers.append((name, o if body_name.startswith("thigh") else add(body.center, o)))


# Table 14.2: exact values.
PARAMETERS = [("bushing_pelvis_lumbus", 0.33, "1"), ("bushing_lumbus_thorax", 1.0, "1"),
              ("wobble_pelvis_stiffness", 1e7, "N/m^3"), ("wobble_lumbus_stiffness", 1e7, "N/m^3"),
              ("wobble_thorax_stiffness", 1e7, "N/m^3"), ("wobble_lumbus_damping", 100, "N s/m"),
              ("elbow_left_stiffness", 50, "N m/rad"), ("elbow_right_stiffness", 50, "N m/rad"),
              ("elbow_left_damping", 4, "N m s/rad"), ("elbow_right_damping", 4, "N m s/rad")]


def write(file):
    out = ['<model id="sitting_human">\n',
           '  <remark> A human on a car seat that vibrates: Kraus 2006, chapter 14. Made by build_model.py; README.md says where every number '
           'comes from. </remark>\n',
           '  <simulation until="5" step="0.01" rtol="1e-6" atol="1e-8" integrator="dop853"\n'
           '    output="' + " ".join(f"{b}.{n}.z" for n, b, _ in MARKERS) + ' car.origin.z seat.origin.z seat_pelvis_left.force rest_head.force"/>\n']
    for b in bodies:
        out.append(f'  <body id="{b.name}" mass="{b.mass:.9g}" center_of_mass="{text(b.center)}" '
                   f'moment_of_inertia="{text(b.inertia)}">\n'
                   f'    <position o="{text(b.o)}" x="{text(b.axes[0])}" y="{text(b.axes[1])}" z="{text(b.axes[2])}"/>\n')
        out += [f'    <marker id="{name}" o="{text(o)}"/>\n' for name, o in b.markers]
        out += ["    <shape " + " ".join(f'{k}="{v}"' for k, v in s.items()) + "/>\n" for s in b.shapes]
        out.append("  </body>\n")
    out += joints
    out.append('  <constraint key="BBDX" id="excitation" begin_axis="z" offset="-amplitude*(1 - cos(2*pi*frequency*t))">\n'
               f'    <begin body="Inertial" o="{text(named("car").o)}"/>\n    <end body="car"/>\n  </constraint>\n')
    out.append('  <force key="Gravitation" id="gravity" g="-9.81"/>\n')
    out += forces
    out.append('  <parameter id="amplitude" initial="0.01" lower="0" unit="m"/>\n'
               '  <parameter id="frequency" initial="5" lower="0" unit="Hz"/>\n')
    out += [f'  <parameter id="{name}" initial="{value:g}" lower="0" unit="{unit}"/>\n' for name, value, unit in PARAMETERS]
    out.append("</model>\n")
    with open(file, "w") as f:
        f.write("".join(out))


def settle(file):
    """Frames of all bodies from the last row of a table of quantities."""
    with open(file) as f:
        rows = list(csv.reader(f))
    values = {name.replace(".origin.", ".o."): float(x) for name, x in zip(rows[0], rows[-1])}
    for b in bodies:
        axes = [[values[f"{b.name}.e{i}.{k}"] for k in "xyz"] for i in (1, 2, 3)]
        b.o = [values[f"{b.name}.o.{k}"] for k in "xyz"]
        b.axes = axes


def main():
    read_human(sys.argv[1])
    pelvis = named("pelvis")
    hips = pelvis.o
    split_tissue()
    add_car(hips)
    add_skeleton()
    add_seat(hips)
    add_markers()
    if len(sys.argv) > 3: settle(sys.argv[3])
    write(sys.argv[2])


main()
