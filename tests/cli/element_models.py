"""Small models made from what `parfait elements --json` lists, to try whether the list is true."""

# Which attributes an element needs besides its constants, and how its tag is called.
TAGS = {"joints": "joint", "constraints": "constraint", "forces": "force", "events": "event"}
BODY = """<body id="{body}" mass="1" moment_of_inertia="1 1 1"> <velocity v="0 0 1"/>
  <marker id="tip" o="1 0 0" x="1 0 0" y="0 1 0" z="0 0 1"/> </body>
"""


def element_text(kind, element, constants, id="E", body="A", side=None):
    """The element with these constants, between the ground and a body if it takes two."""
    words = [f'key="{element["key"]}" id="{id}"']
    words += [f'{constant["name"]}="{allowed_value(constant)}"' for constant in constants]
    if side:
        words.append(f'side="{side}"')
    if element.get("law"):
        words.append('law="1"')
    if "begin_axis" in element.get("axes", ()):
        words.append('begin_axis="x"')
    if kind == "events" and not element["between_bodies"]:
        words.append(f'when="{body}.com.z - 5" terminal="true"')
    ends = ""
    if element.get("between_bodies", True):
        axes = 'x="1 0 0" y="0 1 0" z="0 0 1"'
        least, most = element.get("ends", (2, 2))
        via = '<via id="Inertial" o="0 3 0"/> ' * (least - 2)
        ends = f'<begin id="Inertial" o="0 0 1" {axes}/> {via}<end id="{body}" {axes}/>'
    motion = f'<coordinate id="q{id}"/> <axis turn="0 0 1" coordinate="q{id}"/>' if element["key"] == "Axes" else ""
    return f"<{TAGS[kind]} {' '.join(words)}> {ends} {motion} </{TAGS[kind]}>\n"


def allowed_value(constant):
    return 1 if constant["upper"] is None else constant["upper"]


def model_text(*elements, bodies=("A",)):
    return "<model>\n" + "".join(BODY.format(body=body) for body in bodies) + "".join(elements) + "</model>\n"
