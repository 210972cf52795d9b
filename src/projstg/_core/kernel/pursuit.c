/* A greedy pursuit: greedy/matching_pursuit.py says what is taken, and why the factor is enough. */

#include "kernel.h"

/* The largest (x'r)^2 over the squared norm that is left of x, or over the norm of x itself; -1 where
   no column can be taken. */
static int64_t next_column(
    int64_t D, int64_t by_gain, const double *correlation, const double *left, const double *norm,
    const double *smallest) {
    int64_t best = -1;
    double most = -1.0;
    for (int64_t j = 0; j < D; j++) {
        if (!(left[j] > smallest[j])) continue;
        double score = correlation[j] * correlation[j] / (by_gain ? left[j] : norm[j]);
        if (score > most) {
            most = score;
            best = j;
        }
    }
    /* Where no column lowers the residual, the first one counts, if it can be taken. */
    if (by_gain && !(most > 0.0)) return left[0] > smallest[0] ? 0 : -1;
    return best;
}

/* Row j of G, from G (D, D), or from X (N, D) where G is NULL. */
SEVERAL_PATHS
static void row_of_gram(
    int64_t D, int64_t j, const double *G, int64_t N, const double *X, double *restrict row) {
    if (G) {
        memcpy(row, G + j * D, (size_t)D * sizeof(double));
        return;
    }
    memset(row, 0, (size_t)D * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *restrict own = X + i * D;
        double factor = own[j];
        for (int64_t q = 0; q < D; q++) row[q] += factor * own[q];
    }
}

/* `order`, `counts` and `projection` (n_steps,) and `found` (n_steps, D) are filled. `correlation` and
   `left` (D,) are X'y and the squared norms, and change; `smallest` (D,) is what a column must have
   left. */
SEVERAL_PATHS EXPORTED int64_t projstg_pursue(
    int64_t D, const double *G, int64_t N, const double *X, int64_t n_steps, int64_t by_gain,
    double *correlation, double *left, const double *norm, const double *smallest, int64_t *order,
    uint8_t *counts, double *projection, double *found) {
    for (int64_t step = 0; step < n_steps; step++) {
        int64_t j = next_column(D, by_gain, correlation, left, norm, smallest);
        double *restrict row = found + step * D;
        counts[step] = j >= 0;
        order[step] = j >= 0 ? j : 0;
        projection[step] = 0.0;
        if (j < 0) {
            memset(row, 0, (size_t)D * sizeof(double));
            continue;
        }
        row_of_gram(D, j, G, N, X, row);
        for (int64_t s = 0; s < step; s++) {
            const double *restrict other = found + s * D;
            double factor = other[j];
            for (int64_t q = 0; q < D; q++) row[q] -= factor * other[q];
        }
        double root = sqrt(left[j]), along = correlation[j] / root;
        projection[step] = along;
        for (int64_t q = 0; q < D; q++) {
            row[q] /= root;
            correlation[q] -= row[q] * along;
            left[q] -= row[q] * row[q];
        }
    }
    return 0;
}
