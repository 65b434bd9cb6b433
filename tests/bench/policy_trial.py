"""A second, simple reading of the conditions of rules (milter/POLICY.md), to try rules on counts that a script has.

The daemon is what counts. This is for experiments with thousands of variants, and a check of the daemon's evaluation.
Usual values and counters of different things (`unique_...`) are unknown here.
"""

import operator
import re

TOKEN = re.compile(r"\s*(>=|<=|!=|>|<|=|\(|\)|[A-Za-z0-9_.%]+)")
OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "=": operator.eq,
             "!=": operator.ne}


class Parser:
    """A condition as a tree of tuples."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        if "".join(self.tokens) != "".join(text.split()):
            raise ValueError(f"cannot be read: {text}")
        self.tokens.append("")
        self.at = 0

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def next_is(self, token):
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def condition(self):
        terms = [self.term()]
        while self.next_is("or"):
            terms.append(self.term())
        return ("or", terms)

    def term(self):
        factors = [self.factor()]
        while self.next_is("and"):
            factors.append(self.factor())
        return ("and", factors)

    def factor(self):
        if self.next_is("not"):
            return ("not", self.factor())
        if self.next_is("("):
            inside = self.condition()
            if not self.next_is(")"):
                raise ValueError("a bracket is not closed")
            return inside
        name = self.take()
        if self.tokens[self.at] not in OPERATORS:
            return ("symbol", name)
        compare = OPERATORS[self.take()]
        value = self.take()
        if "." not in name:
            return ("feature", name, compare, value)
        of = self.take() if self.next_is("of") else None
        usual = value.endswith("x") and self.next_is("usual")
        if self.next_is("in"):
            self.take()
        counter, measure = name.split(".")
        return ("counter", counter, measure, compare, float(value.rstrip("%x")), of and float(of), usual)


class Rules:
    """`rules`: name -> {if, score, enabled}. `shadow` is not looked at: this is a trial."""

    def __init__(self, rules):
        self.rules = {}
        for name, rule in rules.items():
            if rule.get("enabled", True):
                self.rules[name] = (Parser(rule["if"]).condition(), float(rule.get("score", 0)))

    def fired(self, pieces, counts, symbols=frozenset(), features=None):
        """The scores of the rules that are true, by name.

        `pieces`: type -> pieces of the message; `counts(type, piece)`: measure -> amount; `symbols`: what other sources
        found; `features`: values that are known.
        """
        message = _Message(self.rules, pieces, counts, symbols, features or {})
        return {name: score for name, (_, score) in self.rules.items() if message.rule(name) is True}


class _Message:
    """True, False or None (unknown) for each rule."""

    def __init__(self, rules, pieces, counts, symbols, features):
        self.rules, self.pieces, self.counts = rules, pieces, counts
        self.symbols, self.features = symbols, features
        self.known = {}

    def rule(self, name):
        if name not in self.known:
            self.known[name] = self.truth(self.rules[name][0])
        return self.known[name]

    def truth(self, node):
        kind, *rest = node
        if kind in ("or", "and"):
            values = [self.truth(each) for each in rest[0]]
            decides = kind == "or"
            return decides if decides in values else None if None in values else not decides
        if kind == "not":
            value = self.truth(rest[0])
            return None if value is None else not value
        if kind == "symbol":
            if rest[0] in self.rules:
                return self.rule(rest[0])
            return self.features.get(rest[0], None) if rest[0].islower() else rest[0] in self.symbols
        if kind == "feature":
            name, compare, value = rest
            known = self.features.get(name)
            if known is None:
                return None
            return compare(known, value if isinstance(known, str) else float(value))
        return self.counter(*rest)

    def counter(self, counter, measure, compare, value, of, usual):
        pieces = self.pieces.get(counter)
        if not pieces or usual or measure.startswith("unique_"):
            return None
        return any(self.holds(self.counts(counter, piece), measure, compare, value, of) for piece in pieces)

    @staticmethod
    def holds(amounts, measure, compare, value, of):
        amount = amounts.get(measure, 0)
        if of is None:
            return compare(amount, value)
        whole = amounts.get("spam" if measure == "rescue" else "mass", 0)
        return 0 < whole >= of and compare(100 * amount / whole, value)


def read_rules(path):
    """The rules of a file such as packaging/policy.yaml."""
    import yaml  # only simulations and this need it: Debian python3-yaml

    with open(path) as text:
        tree = yaml.safe_load(text)
    return tree.get("policy", tree)["rules"]


def pieces_by_type(answer):
    """An object of `counters pieces --json`: type -> pieces; a pair is a tuple."""
    out = {}
    for piece in answer["pieces"]:
        text = piece["piece"]
        out.setdefault(piece["type"], []).append(tuple(text) if isinstance(text, list) else text)
    return out
