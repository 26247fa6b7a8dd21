from doxeval.engines.allocator import keep_freed_blocks as keep_freed_blocks
from doxeval.engines.engine import Engine as Engine
from doxeval.engines.engine import EngineGiven as EngineGiven
from doxeval.engines.engine import Work as Work
from doxeval.engines.executors import OnExecutor as OnExecutor
from doxeval.engines.opened import open_engine as open_engine
from doxeval.engines.outcomes import Outcome as Outcome
from doxeval.engines.outcomes import outcome_of as outcome_of
from doxeval.engines.shared import Shared as Shared

PATIENCE: float
