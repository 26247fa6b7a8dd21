"""ESR: hits, misses and near-misses under a model of how users navigate.

A hit is a relevant unit in the list. A near-miss is one that is not in the list but that readers
may reach from it, and a miss is one that they do not see. Gains are expected gains: a unit that
was probably seen before, on the way from earlier results, counts less. All measures of the family
are built from these three sums (Hits, NearMisses, Misses) and their total, the RecallBase; see
`hits`.

    ESRP = H / k                      ESRR = (H + N) / RB
    SRiP = H / Σ size                 SRiR = H / Trel           (SRiP2, SRiR2: H + N)
    NSRCG = H / (k·l·RB / m)          (NSRCG2: H + N)
    SRPRUM[r] = (H + N) / C at the first rank C where ESRR reaches r
    SR = Σ rel(t_i)·(1 − p(t_i; R before it)), rel inferred from a unit's elements; SRP = SR / k
    MASRP@k = (SRP@1 + … + SRP@k) / k
    ESRP[x], SRiP[x], SRiP2[x]: the best at any rank where recall (ESRR, SRiR2, SRiR2) reaches x
    MAESRP, MASRiP, MASRiP2: their means over x = 0.00 … 1.00

(Ali, Consens and Lalmas 2012)
"""

from doxeval.measures.base import Measure
from doxeval.measures.families.esr import measures
from doxeval.named import defined_in

# In the order in which pages list them.
MEMBERS = defined_in(measures, Measure)
