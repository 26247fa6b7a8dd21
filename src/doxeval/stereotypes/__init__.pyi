from doxeval.stereotypes.lookup import as_system as as_system
from doxeval.stereotypes.lookup import system_named as system_named
from doxeval.stereotypes.simulation import simulate as simulate
from doxeval.stereotypes.systems import SYSTEMS as SYSTEMS
from doxeval.stereotypes.systems import RankedElements as RankedElements
from doxeval.stereotypes.systems import Situation as Situation
from doxeval.stereotypes.systems import System as System
