from doxeval.evaluation.evaluation import Evaluation as Evaluation
from doxeval.evaluation.evaluation import evaluate as evaluate
from doxeval.evaluation.options import RunOptions as RunOptions
from doxeval.evaluation.ranked import ranked as ranked
from doxeval.evaluation.sources import NamedSource as NamedSource
