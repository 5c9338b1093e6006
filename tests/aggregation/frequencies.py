"""How often each class wins under Gaussian noise, by definition, and whether draws agree."""

import numpy as np
from scipy import integrate, stats

N = 40_000


def mass(sigma):
    """Discrete Gaussian noise: its values and their probabilities, by definition."""
    k = np.arange(-int(12 * sigma) - 12, int(12 * sigma) + 13)
    law = np.exp(-((k / sigma) ** 2) / 2)
    return k, law / law.sum()


def wins(counts, label, sigma, noise):
    """Pr[label wins]: by summing over all noises, ties shared, or by integration over its noisy count."""
    if noise == "discrete":
        k, law = mass(sigma)
        values = np.arange(k[0], k[-1] + counts.max() + 1)
        at = np.array([np.interp(values - n, k, law, left=0, right=0) for n in counts])
        below = np.cumsum(at, axis=1) - at
        ties = np.zeros((len(counts), len(values)))
        ties[0] = at[label]
        for other in np.delete(np.arange(len(counts)), label):
            ties = ties * below[other] + np.roll(ties, 1, axis=0) * at[other]
        return float((ties / np.arange(1, len(counts) + 1)[:, None]).sum())

    def density(x):
        others = np.delete(counts, label)
        return stats.norm.pdf(x, counts[label], sigma) * stats.norm.cdf(x, others, sigma).prod()

    return integrate.quad(density, counts[label] - 12 * sigma, counts[label] + 12 * sigma)[0]


def as_often(found, chance):
    return stats.binomtest(int(found), N, chance).pvalue > 1e-6
