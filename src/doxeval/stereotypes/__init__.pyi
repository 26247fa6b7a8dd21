from doxeval.stereotypes.simulation import simulate as simulate
from doxeval.stereotypes.systems import SYSTEMS as SYSTEMS
from doxeval.stereotypes.systems import System as System
from doxeval.stereotypes.systems import system_named as system_named
