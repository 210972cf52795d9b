"""Slow and obvious: matching pursuit by refitting, one run after the other, one draw at a time."""

import numpy as np


def drawn(weights, uniform):
    """The first index at which the cumulated weights pass ``uniform`` of their sum."""
    total = 0.0
    for index, weight in enumerate(weights):
        total += weight
        if total > uniform * np.sum(weights):
            return index
    raise AssertionError("the weights are zero")


def pursuit(X, y, n_steps, choose):
    """The columns in the order they came in and their coefficients, refitted after each."""
    order, beta, residual = [], np.zeros(0), y
    norms = np.linalg.norm(X, axis=0)
    for step in range(n_steps):
        score = (X.T @ residual / norms) ** 2
        order.append(choose(step, score, np.isin(np.arange(X.shape[1]), order)))
        beta = np.linalg.lstsq(X[:, order], y)[0]
        residual = y - X[:, order] @ beta
    return order, beta


def greedy(step, score, is_taken):
    return int(np.argmax(np.where(is_taken, -1.0, score)))


def softmax(temperature, draws):
    """The rule that draws a column with probability ∝ exp(score / 2T)."""

    def choose(step, score, is_taken):
        highest = np.max(score[~is_taken])
        weights = np.exp((score - highest) / (2.0 * temperature))
        return drawn(np.where(is_taken, 0.0, weights), draws[step])

    return choose


def looped_pursuits(X, y, temperature, draws):
    """The orders of all runs, (R, K), and the average of their coefficients, (D,)."""
    orders, mean_coef = [], np.zeros(X.shape[1])
    for own in draws:
        order, beta = pursuit(X, y, own.size, softmax(temperature, own))
        orders.append(order)
        mean_coef[order] += beta / len(draws)
    return np.asarray(orders), mean_coef


def looped_support(X, y, temperature, draws):
    """The K largest |mean coefficient|·‖x‖, as a mask."""
    _, mean_coef = looped_pursuits(X, y, temperature, draws)
    size = np.abs(mean_coef) * np.linalg.norm(X, axis=0)
    support = np.zeros(size.size, dtype=bool)
    support[np.argsort(-size, kind="stable")[: draws.shape[1]]] = True
    return support
