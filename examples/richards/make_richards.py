#!/usr/bin/env python3
"""Writes model.xml: Richards' equation between 7 and 20 cm of depth by the method of lines.

    theta_t = -q_z,   q = K(theta) - D(theta) theta_z,      z downwards, cm; t in days

The fluxes q are taken between the points, at the mean of their two water contents; the first and the last point are the
boundary, where the water content is given.  Usage: make_richards.py [cells] > model.xml
"""
import sys

TOP, BOTTOM = 7.0, 20.0


def model(cells):
    dz = (BOTTOM - TOP) / cells
    name = ["top"] + [f"theta{i}" for i in range(1, cells)] + ["bottom"]
    lines = [
        f"<!-- Water in soil (Richards), van Genuchten-Mualem, {cells} cells of {dz:g} cm. Written by make_richards.py. -->",
        '<ode id="richards">',
        '  <simulation until="15" integrator="bdf"/>',
        '  <parameter id="n" initial="1.262" lower="1.05" upper="3"/>',
        '  <parameter id="alpha" initial="0.0324" lower="0" unit="1/cm"/>',
        '  <parameter id="Ks" initial="20.92" lower="0" unit="cm/d"/>',
        '  <parameter id="theta_r" initial="0.05"/>',
        '  <parameter id="theta_s" initial="0.45"/>',
        "",
        "  <!-- Two rains arrive at 7 cm and drain away; what is at 20 cm follows slowly. -->",
        "  <define id=\"top\"> 0.28 + 0.09*(smoothstep(t, 1, 1.5) - smoothstep(t, 2, 5))"
        " + 0.06*(smoothstep(t, 7, 7.3) - smoothstep(t, 8, 12)) </define>",
        '  <define id="bottom"> 0.31 + 0.015*(smoothstep(t, 2, 4) - smoothstep(t, 6, 14)) </define>',
        '  <define id="m"> 1 - 1/n </define>',
        "",
    ]
    for i in range(1, cells):
        start = 0.28 + 0.03 * i / cells  # a straight line from top to bottom
        lines.append(f'  <state id="{name[i]}" initial="{start:.6g}"/>')
    lines.append("")
    for i in range(cells):
        a, b = name[i], name[i + 1]
        # S = effective saturation, w = S^(1/m), K = conductivity, D = K |dpsi/dtheta|, q = flux.
        lines += [
            f'  <define id="S{i}"> (({a} + {b})/2 - theta_r)/(theta_s - theta_r) </define>',
            f'  <define id="w{i}"> S{i}^(1/m) </define>',
            f'  <define id="K{i}"> Ks*sqrt(S{i})*(1 - (1 - w{i})^m)^2 </define>',
            f'  <define id="D{i}"> K{i}*(1/w{i} - 1)^(-m)/(alpha*n*m*w{i}*S{i}*(theta_s - theta_r)) </define>',
            f'  <define id="q{i}"> K{i} - D{i}*({b} - {a})/{dz:g} </define>',
        ]
    lines.append("")
    for i in range(1, cells):
        lines.append(f'  <derivative of="{name[i]}"> (q{i - 1} - q{i})/{dz:g} </derivative>')
    lines.append("</ode>")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(model(int(sys.argv[1]) if len(sys.argv) > 1 else 26))
