/* What dilution adds around a support: score/dilution.py has the formulas. None of the columns is
   redundant. */

#include "kernel.h"

/* A pivot below this is rounding. */
#define ROUNDING 1e-13
/* Below this trace of the inverse no eigenvalue is near the rule for rank. */
#define CLEAR 1e9

int64_t inverse_size(int64_t D, int64_t K) {
    return 2 * K * K + K * D + 2 * D;
}

static double *inverse_place(Inverse *one, double *memory, int64_t D, int64_t K) {
    one->P = memory;
    one->U = memory + 2 * K * K;
    one->h = one->U + K * D;
    one->squares = one->h + D;
    return memory + inverse_size(D, K);
}

/* P = (R_SS + soft I)^-1, U = P R_S. and h; returns log |R_SS + soft I|. */
SEVERAL_PATHS
static double inverse_fill(
    Inverse *one, const Field *field, const int64_t *members, int64_t K, double soft) {
    int64_t D = field->D;
    double scale = 1.0 / field->n, *P = one->P;
    double *restrict h = one->h, *restrict squares = one->squares;
    for (int64_t i = 0; i < K; i++) {
        const double *row = field->G + members[i] * D;
        for (int64_t k = 0; k < K; k++) P[i * K + k] = row[members[k]] / field->n;
        if (P[i * K + i] == 0.0) P[i * K + i] = 1.0;
        P[i * K + i] += soft;
    }
    double log_det = inverse_of(P, P + K * K, K);
    for (int64_t j = 0; j < D; j++) {
        h[j] = field->G[j * D + j] / field->n + soft;
        squares[j] = 0.0;
    }
    one->trace = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double *restrict U = one->U + i * D;
        const double *restrict own = field->G + members[i] * D;
        memset(U, 0, (size_t)D * sizeof(double));
        for (int64_t k = 0; k < K; k++) {
            const double *restrict row = field->G + members[k] * D;
            double factor = P[i * K + k] * scale;
            for (int64_t j = 0; j < D; j++) U[j] += factor * row[j];
        }
        for (int64_t j = 0; j < D; j++) h[j] -= own[j] * scale * U[j];
        for (int64_t j = 0; j < D; j++) squares[j] += U[j] * U[j];
        one->trace += P[i * K + i];
    }
    for (int64_t j = 0; j < D; j++) h[j] = h[j] > 0.0 ? h[j] : 0.0;
    return log_det;
}

double *dilution_place(Dilution *of, double *memory, int64_t D, int64_t K) {
    return inverse_place(&of->soft, inverse_place(&of->plain, memory, D, K), D, K);
}

void dilution_fill(
    Dilution *of, const Field *field, const int64_t *members, int64_t K, double repeated) {
    of->alone = log1p_of(repeated);
    double plain = inverse_fill(&of->plain, field, members, K, 0.0);
    double soft = inverse_fill(&of->soft, field, members, K, repeated);
    of->now = soft - (double)K * of->alone - plain;
}

/* The cost of a pivot, infinite where it is rounding; *in_doubt grows where only eigenvalues can
   tell. */
ALWAYS_INLINE double cost_of(
    double pivot, double soft, double trace, double before, double *in_doubt) {
    double least = pivot > ROUNDING ? pivot : ROUNDING;
    int is_rounding = (pivot < ROUNDING) & (before <= CLEAR);
    *in_doubt = (!is_rounding) & (trace > CLEAR) ? 1.0 : *in_doubt;
    double cost = log_of(soft / least);
    return is_rounding ? INFINITY : cost;
}

SEVERAL_PATHS
void dilution_exchanged(
    const Dilution *of, int64_t D, int64_t K, int64_t p, double *restrict cost,
    double *restrict in_doubt) {
    const Inverse *plain = &of->plain, *soft = &of->soft;
    const double *restrict U = plain->U + p * D, *restrict V = soft->U + p * D;
    const double *restrict h = plain->h, *restrict g = soft->h, *restrict squares = plain->squares;
    double own = plain->P[p * K + p], other = soft->P[p * K + p], share = 0.0;
    double before = plain->trace, now = of->now;
    for (int64_t k = 0; k < K; k++) {
        double a = plain->P[k * K + p] / own;
        share += a * a;
    }
    for (int64_t j = 0; j < D; j++) {
        double square = U[j] * U[j], pivot = h[j] * own + square;
        double least = pivot > ROUNDING ? pivot : ROUNDING;
        double more = 1.0 + 2.0 * squares[j] + 2.0 * share * square;
        double trace = before + more * own / least;
        cost[j] = now + cost_of(pivot, g[j] * other + V[j] * V[j], trace, before, in_doubt + j);
    }
}

SEVERAL_PATHS
void dilution_entered(
    const Dilution *of, int64_t D, double *restrict cost, double *restrict in_doubt) {
    const double *restrict h = of->plain.h, *restrict g = of->soft.h;
    const double *restrict squares = of->plain.squares;
    double before = of->plain.trace, more = of->now - of->alone;
    for (int64_t j = 0; j < D; j++) {
        double least = h[j] > ROUNDING ? h[j] : ROUNDING;
        double trace = before + (1.0 + squares[j]) / least;
        cost[j] = more + cost_of(h[j], g[j], trace, before, in_doubt + j);
    }
}

double dilution_left_out(const Dilution *of, int64_t K, int64_t p) {
    double ratio = of->soft.P[p * K + p] / of->plain.P[p * K + p];
    return of->now + log_of(ratio) + of->alone;
}

/* h = diag(R) + soft - z'z for all columns, with L L' = R_SS + soft I and z = L^-1 R_S. (K, D), whose
   squares are summed up in `taken` (D,). L is `factor` (K, K), overwritten by its inverse; returns the
   sum of squares of that: the trace of the inverse of L L'. */
SEVERAL_PATHS
static double pivots(
    const Field *field, const int64_t *members, int64_t K, double soft, double *factor,
    double *restrict z, double *restrict taken, double *restrict h) {
    int64_t D = field->D;
    double scale = 1.0 / field->n, trace = 0.0;
    for (int64_t i = 0; i < K; i++) {
        const double *row = field->G + members[i] * D;
        for (int64_t k = 0; k <= i; k++) factor[i * K + k] = row[members[k]] / field->n;
        if (factor[i * K + i] == 0.0) factor[i * K + i] = 1.0;
        factor[i * K + i] += soft;
    }
    for (int64_t j = 0; j < D; j++) taken[j] = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double *own = factor + i * K, *restrict into = z + i * D;
        const double *restrict row = field->G + members[i] * D;
        for (int64_t j = 0; j < D; j++) into[j] = row[j] * scale;
        double left = own[i];
        for (int64_t k = 0; k < i; k++) {
            const double *other = factor + k * K, *restrict before = z + k * D;
            double sum = own[k];
            for (int64_t m = 0; m < k; m++) sum -= own[m] * other[m];
            own[k] = sum / other[k];
            left -= own[k] * own[k];
            double share = own[k];
            for (int64_t j = 0; j < D; j++) into[j] -= share * before[j];
        }
        own[i] = sqrt(left > 0.0 ? left : 1e-300);
        double root = 1.0 / own[i];
        for (int64_t j = 0; j < D; j++) {
            into[j] *= root;
            taken[j] += into[j] * into[j];
        }
    }
    for (int64_t j = 0; j < D; j++) {
        h[j] = field->G[j * D + j] * scale + soft - taken[j];
        h[j] = h[j] > 0.0 ? h[j] : 0.0;
    }
    for (int64_t i = 0; i < K; i++) {
        double *own = factor + i * K, root = 1.0 / own[i];
        for (int64_t k = 0; k < i; k++) {
            double sum = 0.0;
            for (int64_t m = k; m < i; m++) sum += own[m] * factor[m * K + k];
            own[k] = -sum * root;
            trace += own[k] * own[k];
        }
        own[i] = root;
        trace += root * root;
    }
    return trace;
}

int64_t entering_size(int64_t D, int64_t K) {
    return K * K + K * D + 3 * D;
}

SEVERAL_PATHS
void dilution_entering(
    const Field *field, const int64_t *members, int64_t K, double repeated, double *memory,
    double *restrict cost, double *restrict in_doubt) {
    int64_t D = field->D;
    double *factor = memory, *z = factor + K * K, *taken = z + K * D;
    double *restrict h = taken + D, *restrict g = h + D, alone = log1p_of(repeated);
    pivots(field, members, K, repeated, factor, z, taken, g);
    double before = pivots(field, members, K, 0.0, factor, z, taken, h);
    for (int64_t j = 0; j < D; j++) {
        double least = h[j] > ROUNDING ? h[j] : ROUNDING;
        /* The squares of U are at most the trace times those of z. */
        double trace = before + (1.0 + before * taken[j]) / least;
        in_doubt[j] = 0.0;
        cost[j] = cost_of(h[j], g[j], trace, before, in_doubt + j) - alone;
    }
}
