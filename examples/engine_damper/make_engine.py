#!/usr/bin/env python3
"""Writes engine.xml: a four-cylinder engine with a torsional vibration damper as ordinary differential equations."""
import sys

THROWS, FIRES = ["0", "pi", "pi", "0"], ["0", "3*pi", "pi", "2*pi"]
out = ["""<ode id="engine">
  <remark> A four-cylinder engine that runs up, with a torsional vibration damper (after Oberpeilsteiner 2018, section 4.4.2; numbers of our own). Written by make_engine.py. </remark>
  <simulation until="3.6" step="0.0001" rtol="1e-8" atol="1e-10" output="twist"/>
  <parameter id="c1" initial="15000" lower="0" unit="N m"/>   <!-- springs of the two Maxwell elements -->
  <parameter id="c2" initial="6000" lower="0" unit="N m"/>
  <parameter id="d1" initial="12" lower="0" unit="N m s"/>    <!-- and their dampers -->
  <parameter id="d2" initial="1.2" lower="0" unit="N m s"/>
"""]
add = out.append
start = "2500*pi/30"
for i in range(1, 7):
    add(f'  <state id="q{i}" initial="0"/> <state id="w{i}" initial="{start}"/>')
add(f'  <state id="ring" initial="0"/> <state id="wring" initial="{start}"/>')
add('  <state id="node1" initial="0"/> <state id="node2" initial="0"/>')
add(f'  <state id="pulley" initial="0"/> <state id="wpulley" initial="{start}"/>')
add('''  <define id="tau"> min(max(t - 0.3, 0), 3) </define>
  <define id="run_speed"> (2500 + 1000*tau)*pi/30 </define>
  <define id="run_angle"> (2500*t + 500*tau^2 + 3000*max(t - 3.3, 0))*pi/30 </define>
  <define id="delta"> run_angle - q1 </define>
  <define id="drive"> 500*delta + 4000*delta^3 + 3*(run_speed - w1) </define>
  <define id="twist"> q6 - q1 </define>
  <define id="peak"> 0.0057*6e6*(0.8 + 0.4*run_speed/(5500*pi/30)) </define>''')
for i in range(1, 6):
    add(f'  <define id="shaft{i}"> 7e5*(q{i+1} - q{i}) + 1.5*(w{i+1} - w{i}) </define>')
r, l, s, m, J, mp = 0.045, 0.15, 0.045, 0.6, 0.003, 0.5
for k in range(4):
    i = k + 2
    q = f"(q{i} + {THROWS[k]})"
    add(f'''  <define id="sb{i}"> {r/l!r}*sin({q}) </define>
  <define id="cb{i}"> sqrt(1 - sb{i}^2) </define>
  <define id="b{i}"> {r/l!r}*cos({q})/cb{i} </define>
  <define id="bb{i}"> (b{i}^2 - 1)*sb{i}/cb{i} </define>
  <define id="x{i}"> -{r}*cos({q}) + {s}*cb{i}*b{i} </define>
  <define id="xx{i}"> {r}*sin({q}) + {s}*(cb{i}*bb{i} - sb{i}*b{i}^2) </define>
  <define id="y{i}"> -{r}*sin({q}) - {s}*sb{i}*b{i} </define>
  <define id="yy{i}"> -{r}*cos({q}) - {s}*(cb{i}*b{i}^2 + sb{i}*bb{i}) </define>
  <define id="p{i}"> -{r}*sin({q}) - {l}*sb{i}*b{i} </define>
  <define id="pp{i}"> -{r}*cos({q}) - {l}*(cb{i}*b{i}^2 + sb{i}*bb{i}) </define>
  <define id="inertia{i}"> 0.008 + {m}*(x{i}^2 + y{i}^2) + {J}*b{i}^2 + {mp}*p{i}^2 </define>
  <define id="half{i}"> {m}*(x{i}*xx{i} + y{i}*yy{i}) + {J}*b{i}*bb{i} + {mp}*p{i}*pp{i} </define>
  <define id="gas{i}"> peak*exp(20*(cos((q{i} - {FIRES[k]} - 0.26)/2) - 1)) </define>''')
add('''  <define id="spring1"> c1*(node1 - ring) </define>
  <define id="spring2"> c2*(node2 - ring) </define>
  <define id="parallel"> 2.5e4*(q6 - ring) </define>
  <define id="belt"> 2e4*(pulley - q6) + 2*(wpulley - w6) </define>''')
for i in range(1, 7):
    add(f'  <derivative of="q{i}"> w{i} </derivative>')
add('  <derivative of="w1"> (drive + shaft1)/0.1 </derivative>')
for i in range(2, 6):
    add(f'  <derivative of="w{i}"> (shaft{i} - shaft{i-1} - half{i}*w{i}^2 - gas{i}*p{i})/inertia{i} </derivative>')
add('''  <derivative of="w6"> (-shaft5 - parallel - spring1 - spring2 + belt)/0.01 </derivative>
  <derivative of="ring"> wring </derivative>
  <derivative of="wring"> (parallel + spring1 + spring2)/0.008 </derivative>
  <derivative of="node1"> w6 - spring1/d1 </derivative>
  <derivative of="node2"> w6 - spring2/d2 </derivative>
  <derivative of="pulley"> wpulley </derivative>
  <derivative of="wpulley"> -belt/0.004 </derivative>
</ode>''')
text = "\n".join(out) + "\n"
if len(sys.argv) > 1:
    open(sys.argv[1], "w").write(text)
else:
    print(text, end="")
