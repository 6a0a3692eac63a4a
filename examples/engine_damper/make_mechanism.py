#!/usr/bin/env python3
"""Writes mechanism.xml: the engine of engine.xml as a mechanism of cranks, conrods, pistons and shafts."""
import math
import sys

THROWS, FIRES = [0, math.pi, math.pi, 0], ["0", "3*pi", "pi", "2*pi"]
R, L, S = 0.045, 0.15, 0.045  # crank, conrod, its centre from the crank pin
SPEED = 2500 * math.pi / 30
RUN_SPEED = "((2500 + 1000*min(max(t - 0.3, 0), 3))*pi/30)"
RUN_ANGLE = "((2500*t + 500*min(max(t - 0.3, 0), 3)^2 + 3000*max(t - 3.3, 0))*pi/30)"
PEAK = f"0.0057*6e6*(0.8 + 0.4*{RUN_SPEED}/(5500*pi/30))"
out = ["""<model id="engine">
  <remark> A four-cylinder engine that runs up, with a torsional vibration damper, as a mechanism (after Oberpeilsteiner 2018, section 4.4.2; numbers of our own). Cranks turn about z, pistons
    move along y. Angles that formulas need beyond a turn are states whose derivatives are angular velocities. Written by make_mechanism.py. </remark>
  <simulation until="3.6" step="0.0001" rtol="1e-8" atol="1e-10" output="twist"/>
  <parameter id="c1" initial="15000" lower="0" unit="N m"/>   <!-- springs of the two Maxwell elements -->
  <parameter id="c2" initial="6000" lower="0" unit="N m"/>
  <parameter id="d1" initial="12" lower="0" unit="N m s"/>    <!-- and their dampers -->
  <parameter id="d2" initial="1.2" lower="0" unit="N m s"/>
"""]
add = out.append


def shaft(name, inertia, carrier="Inertial"):
    """A body that turns about z with the shaft."""
    add(f'''  <body id="{name}" mass="1" moment_of_inertia="{inertia} {inertia} {inertia}"> <position o="0 0 0"/> <velocity v="0 0 0" omega="0 0 {SPEED!r}"/> </body>
  <joint key="Revolute" id="{name}Bearing"> <begin id="{carrier}"/> <end id="{name}"/> </joint>''')


def couple(name, begin, end, stiffness, damping):
    add(f'''  <force key="Rotational_Spring_Damper" id="{name}" rest_angle="0" stiffness="{stiffness}" damping="{damping}"> <begin id="{begin}"/> <end id="{end}"/> </force>''')


INERTIAS = [0.1, 0.008, 0.008, 0.008, 0.008, 0.01]
names = ["Flywheel", "Crank1", "Crank2", "Crank3", "Crank4", "Hub"]
for name, inertia in zip(names, INERTIAS):
    shaft(name, inertia)
for i in range(5):
    couple(f"Shaft{i + 1}", names[i], names[i + 1], "7e5", "1.5")
# The twist of the shaft and the angles of the cranks, continued beyond a turn.
add('  <state id="turned" initial="0" derivative="FlywheelBearing.rate"/>')
add('  <state id="twist" initial="0" derivative="HubBearing.rate - FlywheelBearing.rate"/>')
add(f'''  <force key="General_Rotational" id="Drive" law="-(500*({RUN_ANGLE} - turned) + 4000*({RUN_ANGLE} - turned)^3 + 3*({RUN_SPEED} - rate))"> <begin id="Inertial"/> <end id="Flywheel"/> </force>''')
for k in range(4):
    top = math.cos(THROWS[k])  # +1 or -1: the pin is above or below the axis
    pin = top * R
    add(f'''  <body id="Conrod{k + 1}" mass="0.6" center_of_mass="{S} 0 0" moment_of_inertia="0.003 0.003 0.003">
    <position o="0 {pin!r} 0" x="0 1 0" y="-1 0 0" z="0 0 1"/> <velocity v="{-pin * SPEED!r} 0 0" omega="0 0 {-pin * SPEED / L!r}"/>
  </body>
  <body id="Piston{k + 1}" mass="0.5" moment_of_inertia="0.001 0.001 0.001"> <position o="0 {pin + L!r} 0"/> <velocity v="0 0 0" omega="0 0 0"/> </body>
  <joint key="Revolute" id="BigEnd{k + 1}"> <begin id="Crank{k + 1}" o="0 {pin!r} 0" x="0 1 0" z="0 0 1"/> <end id="Conrod{k + 1}" x="1 0 0" z="0 0 1"/> </joint>
  <joint key="Prismatic" id="Bore{k + 1}"> <begin id="Inertial" x="1 0 0" z="0 1 0"/> <end id="Piston{k + 1}" x="1 0 0" z="0 1 0"/> </joint>
  <constraint key="B0_x" id="SmallEnd{k + 1}x"> <begin id="Conrod{k + 1}" o="{L} 0 0"/> <end id="Piston{k + 1}"/> </constraint>
  <constraint key="B0_y" id="SmallEnd{k + 1}y"> <begin id="Conrod{k + 1}" o="{L} 0 0"/> <end id="Piston{k + 1}"/> </constraint>
  <state id="angle{k + 1}" initial="0" derivative="Crank{k + 1}Bearing.rate"/>
  <force key="General_Direction" id="Gas{k + 1}" law="-{PEAK}*exp(20*(cos((angle{k + 1} - {FIRES[k]} - 0.26)/2) - 1))"> <begin id="Inertial" x="1 0 0" z="0 1 0"/> <end id="Piston{k + 1}"/> </force>''')
# The damper: a ring on the hub, a spring and two Maxwell elements, whose nodes are measured from the hub.
shaft("Ring", 0.008, "Hub")
add('''  <force key="Rotational_Spring" id="Rubber" rest_angle="0" stiffness="2.5e4"> <begin id="Hub"/> <end id="Ring"/> </force>''')
for i in (1, 2):
    add(f'''  <state id="node{i}" initial="0" derivative="-c{i}*(node{i} - RingBearing.angle)/d{i}"/>
  <force key="General_Rotational" id="Maxwell{i}" law="c{i}*(angle - node{i})"> <begin id="Hub"/> <end id="Ring"/> </force>''')
shaft("Pulley", 0.004, "Hub")
couple("Belt", "Hub", "Pulley", "2e4", "2")
add("</model>")
text = "\n".join(out) + "\n"
if len(sys.argv) > 1:
    open(sys.argv[1], "w").write(text)
else:
    print(text, end="")
