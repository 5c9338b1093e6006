"""Labels nobody drew, and what is said of them."""

import numpy as np

from pate.aggregation.labels import Labels
from pate.aggregation.lnmax import LNMax
from pate.release.statement import of_votes

STATEMENT = of_votes(LNMax(0.1), 20, 50, 1e-5, data="digits")
LABELS = Labels(np.array([3, 1, 2]), np.array([0, 1, 1]), "LNMax", wrong=np.array(0.25))
VOTES = of_votes(LNMax(0.05), 100, 250, 1e-5, data="digits")
