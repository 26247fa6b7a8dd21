"""A retrieval model as a user writes it."""

MODEL_SOURCE = '''
from dataclasses import dataclass

from doxeval import Model
from doxeval.named import parameter


@dataclass(frozen=True)
class Coordination(Model):
    """How many of the query's items occur."""

    name = "coordination"
    least: float = parameter(1.0, "how often an item must occur")

    def by_item(self, evidence):
        for item, weight in enumerate(evidence.weight):
            yield weight * (evidence.tf[:, item] >= self.least)
'''
