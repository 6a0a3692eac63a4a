"""A small estimation problem for the tests of the tool: two reactions, several runs with different feeds."""

MODEL = """<ode>
  <parameter id="k" initial="1" lower="0"/> <parameter id="c" initial="1"/> <parameter id="u" initial="1"/>
  <state id="x" initial="1" derivative="u - k*x"/>
  <state id="y" initial="0" derivative="k*x - c*y"/>
</ode>
"""

RUN = """  <experiment id="{id}" model="model.xml" data="{id}.csv">
    <samples from="0" to="5" count="21"/>
    <set parameter="u" value="{u}"/>
    <observe column="x" quantity="x" sigma="0.01"/>
    <observe column="y" quantity="y" sigma="0.02"/>
    <initial state="x" fixed="false"/>
    <grid intervals="4" nodes="measured"/>
  </experiment>
"""

TRUTH = {"k": 1.2, "c": 0.4}


def problem(feeds, more=""):
    """The text of a problem with a run for each feed."""
    runs = "".join(RUN.format(id=f"run{i + 1}", u=u) for i, u in enumerate(feeds))
    return f"""<problem>
  <estimate parameter="k" initial="0.5" lower="0" upper="10" true="{TRUTH["k"]}"/>
  <estimate parameter="c" initial="1" lower="0" true="{TRUTH["c"]}"/>
{runs}{more}</problem>
"""
