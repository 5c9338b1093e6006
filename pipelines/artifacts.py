"""Everything that flows between stages, with its side of the privacy barrier."""

from pate.accounting.costs import Costs, Plan
from pate.accounting.smooth_sensitivity import Sanitised
from pate.aggregation.labels import Labels
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Predictions, Votes
from pate.data.examine import Examined
from pate.data.split import Private as PrivateRecords
from pate.data.split import Public as PublicInputs
from pate.data.split import Test as TestInputs
from pate.data.split import Truth
from pate.dpsgd.accountant import Spent
from pate.evaluation.evidence import Evidence
from pate.evaluation.quality import Quality
from pate.evaluation.scores import Scores
from pate.features.encoder import Encoded, Encoder
from pate.models.predictor import Predictor
from pate.report.run.panel import Panel
from pate.workspace.stage import Private, Release

EXAMINED = Private("examined", Examined)
PRIVATE = Private("private", PrivateRecords)
TEST = Private("test", TestInputs)
TRUTH = Private("truth", Truth)
PUBLIC = Release("public", PublicInputs)
ENCODER = Release("encoder", Encoder)
PUBLIC_FEATURES = Release("public_features", Encoded)
PRIVATE_FEATURES = Private("private_features", Encoded)
TEST_FEATURES = Private("test_features", Encoded)
QUERIES = Release("queries", Queries)
PREDICTIONS = Private("predictions", Predictions)
VOTES = Private("votes", Votes)
QUALITY = Private("quality", Quality)
LABELS = Release("labels", Labels)
COSTS = Private("costs", Costs)
PLAN = Private("plan", Plan)
SANITISED = Release("sanitised", Sanitised)
STUDENT = Release("student", Predictor)
DPSGD = Release("dpsgd", Predictor)
SPENT = Release("spent", Spent)
OWNERS_DPSGD = Private("dpsgd", Predictor)  # trained at PATE's data-dependent epsilon: the owner's
OWNERS_SPENT = Private("spent", Spent)
DPSGD_PUBLISHABLE = Private(
    "dpsgd_publishable", Predictor
)  # at PATE's publishable epsilon, to compare with: not released
SPENT_PUBLISHABLE = Private("spent_publishable", Spent)
NONPRIVATE = Private("nonprivate", Predictor)
SCORES = Private("scores", Scores)
PANEL = Private("panel", Panel)
EVIDENCE = Private("evidence", Evidence)
