"""Everything that flows between stages, with its side of the privacy barrier."""

from pate.accounting.costs import Costs, Plan
from pate.accounting.smooth_sensitivity import Sanitised
from pate.aggregation.labels import Labels
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Predictions, Votes
from pate.consensus.basis import Basis
from pate.consensus.forecast import Forecast
from pate.consensus.noisy_sum import NoisySum
from pate.consensus.quality import ConsensusQuality
from pate.consensus.shift import Shift
from pate.data.examine import Examined
from pate.data.split import Private, Public, Test, Truth
from pate.data.written import AsWritten
from pate.dpsgd.accountant import Spent
from pate.evaluation.evidence import Evidence
from pate.evaluation.quality import Quality
from pate.evaluation.scores import Scores
from pate.features.encoder import Encoded, Encoder
from pate.models.predictor import Predictor
from pate.report.run.panel import Panel
from pate.workspace.stage import owned, releasable

EXAMINED = owned("examined", Examined)
PRIVATE = owned("private", Private)
TEST = owned("test", Test)
AS_WRITTEN = owned("as_written", AsWritten)  # test rows, for reading
TRUTH = owned("truth", Truth)
PUBLIC = releasable("public", Public)
ENCODER = releasable("encoder", Encoder)
PUBLIC_FEATURES = releasable("public_features", Encoded)
PRIVATE_FEATURES = owned("private_features", Encoded)
TEST_FEATURES = owned("test_features", Encoded)
QUERIES = releasable("queries", Queries)
PREDICTIONS = owned("predictions", Predictions)
VOTES = owned("votes", Votes)
QUALITY = owned("quality", Quality)
LABELS = releasable("labels", Labels)
OWNERS_LABELS = owned("labels", Labels)  # drawn to be compared, and not released: the owner's
COSTS = owned("costs", Costs)
PLAN = owned("plan", Plan)
SANITISED = releasable("sanitised", Sanitised)
STUDENT = releasable("student", Predictor)
OWNERS_STUDENT = owned("student", Predictor)
DPSGD = releasable("dpsgd", Predictor)
SPENT = releasable("spent", Spent)
OWNERS_DPSGD = owned("dpsgd", Predictor)  # trained at PATE's data-dependent epsilon: the owner's
OWNERS_SPENT = owned("spent", Spent)
DPSGD_PUBLISHABLE = owned("dpsgd_publishable", Predictor)  # at PATE's publishable epsilon, to compare: not released
DPSGD_DECIDED = releasable("dpsgd_decision", Predictor)
OWNERS_DPSGD_DECIDED = owned("dpsgd_decision", Predictor)
DPSGD_PUBLISHABLE_DECIDED = owned("dpsgd_publishable_decision", Predictor)
SPENT_PUBLISHABLE = owned("spent_publishable", Spent)
BASIS = releasable("basis", Basis)
FORECAST = owned("forecast", Forecast)  # of nothing private; but nobody else has asked for it
CONSENSUS = releasable("consensus", NoisySum)
CONSENSUS_STUDENT = releasable("consensus_student", Predictor)
OWNERS_CONSENSUS = owned("consensus", NoisySum)  # drawn to be compared, and not named to be released: the owner's
OWNERS_CONSENSUS_STUDENT = owned("consensus_student", Predictor)
CONSENSUS_QUALITY = owned("consensus_quality", ConsensusQuality)
SHIFT = owned("shift", Shift)
NONPRIVATE = owned("nonprivate", Predictor)
SCORES = owned("scores", Scores)
PANEL = owned("panel", Panel)
EVIDENCE = owned("evidence", Evidence)
