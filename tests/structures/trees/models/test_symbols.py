from calibrant.structures.trees.models.binarise import Child, Memory, State, Step
from calibrant.structures.trees.models.symbols import Writer, write_grammar


def test_names_say_what_is_remembered():
    writer = Writer(Memory(2, 1))
    assert writer.state(State(("NP", "S"), None)) == "NP^S"
    assert writer.state(State(("NP", "S"), ("D", "J"))) == "@NP^S|D_J"
    assert writer.child(Child("N", True), ("NP", "S")) == "N~NP"
    assert writer.child(Child("NP", False), ("NP", "S")) == "NP^NP"
    assert writer.shown == {"NP^S": "NP", "@NP^S|D_J": None, "N~NP": "N", "NP^NP": "NP"}


def test_labels_with_signs_of_names_stay_apart():
    writer = Writer(Memory(2, 1))
    one = writer.state(State(("A^B", "C"), None))
    other = writer.state(State(("A", "B^C"), None))
    assert one != other
    assert (writer.shown[one], writer.shown[other]) == ("A^B", "A")
    assert writer.state(State(("A^B", "C"), None)) == one


def test_a_grammar_of_steps():
    state = State(("S",), None)
    steps = {
        state: {
            Step(Child("N", True)): 0.25,
            Step(Child("N", True), last=Child("V", True)): 0.75,
        }
    }
    words = {("N", ""): {"dogs": 1.0}, ("V", ""): {"run": 1.0}}
    grammar = write_grammar(steps, words, Memory(1, 0), "S")
    assert grammar.unary == {("S", "N~"): 0.25}
    assert grammar.binary == {("S", "N~", "V~"): 0.75}
    assert grammar.words == {("N~", "dogs"): 1.0, ("V~", "run"): 1.0}
