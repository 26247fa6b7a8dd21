from doxeval.evaluation.evaluation import Evaluation as Evaluation
from doxeval.evaluation.evaluation import evaluate as evaluate
from doxeval.evaluation.inputs import NamedSource as NamedSource
from doxeval.evaluation.inputs import RunOptions as RunOptions
from doxeval.evaluation.ranking import ranked as ranked
