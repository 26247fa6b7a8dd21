from doxeval.evaluation.evaluation import Evaluation as Evaluation
from doxeval.evaluation.evaluation import evaluate as evaluate
from doxeval.evaluation.inputs import RunInput as RunInput
from doxeval.evaluation.inputs import RunOptions as RunOptions
from doxeval.evaluation.ranking import build_ranking as build_ranking
