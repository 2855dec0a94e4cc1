"""Glicko-2 again, line by line as in Glickman's paper: the oracle of the tests.

Written independently of the program, in the paper's symbols. The volatility is found by
bisection instead of the paper's iteration, so that the two share no code and no method.
Only whole rating periods, as in the paper.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt

TAU = 0.5
SCALE = 173.7178

Triple = tuple[float, float, float]


def period(player: Triple, results: list[tuple[float, float, float]]) -> Triple:
    """Return (r, RD, sigma) after a period with results (r_j, RD_j, s_j), if any."""
    r, rd, sigma = player
    mu, phi = (r - 1500) / SCALE, rd / SCALE
    if not results:
        return r, SCALE * sqrt(phi * phi + sigma * sigma), sigma
    games = [((rj - 1500) / SCALE, rdj / SCALE, s) for rj, rdj, s in results]
    g = [1 / sqrt(1 + 3 * phij * phij / (pi * pi)) for _, phij, _ in games]
    e = [1 / (1 + exp(-gj * (mu - muj))) for gj, (muj, _, _) in zip(g, games, strict=True)]
    v = 1 / sum(gj * gj * ej * (1 - ej) for gj, ej in zip(g, e, strict=True))
    total = sum(gj * (s - ej) for gj, ej, (_, _, s) in zip(g, e, games, strict=True))
    new_sigma = _volatility(sigma, phi, v, v * total)
    phi_star = sqrt(phi * phi + new_sigma * new_sigma)
    new_phi = 1 / sqrt(1 / phi_star**2 + 1 / v)
    return SCALE * (mu + new_phi**2 * total) + 1500, SCALE * new_phi, new_sigma


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    a = log(sigma * sigma)

    def f(x: float) -> float:
        top = exp(x) * (delta * delta - phi * phi - v - exp(x))
        return top / (2 * (phi * phi + v + exp(x)) ** 2) - (x - a) / TAU**2

    # After a huge surprise f has several roots; the paper means the one next to the old value.
    step = 0.01 if f(a) > 0 else -0.01
    low, high = a, a + step
    while (f(high) > 0) == (f(a) > 0):
        low, high = high, high + step
    for _ in range(60):
        middle = (low + high) / 2
        if (f(middle) > 0) == (f(a) > 0):
            low = middle
        else:
            high = middle
    return exp((low + high) / 4)
