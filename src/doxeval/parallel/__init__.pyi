from doxeval.errors import WorkerLost as WorkerLost
from doxeval.parallel.engine import Engine as Engine
from doxeval.parallel.engine import EngineLike as EngineLike
from doxeval.parallel.engine import Local as Local
from doxeval.parallel.engine import OnExecutor as OnExecutor
from doxeval.parallel.engine import TaskResult as TaskResult
from doxeval.parallel.engine import Tasks as Tasks
from doxeval.parallel.engine import Work as Work
from doxeval.parallel.engine import open_engine as open_engine
from doxeval.parallel.engine import run_task as run_task
from doxeval.parallel.memory import keep_freed_blocks as keep_freed_blocks
from doxeval.parallel.processes import Processes as Processes
from doxeval.parallel.shared import Shared as Shared

PATIENCE: float
