/* A greedy pursuit: greedy/matching_pursuit.py says what is taken, and why the factor is enough. */

#include "kernel.h"

RECORD(Pursuit)

/* The largest (x'r)^2 over the squared norm that is left of x, or over the norm of x itself; -1 where
   no column can be taken. */
static int64_t next_column(const Pursuit *of) {
    const double *correlation = of->correlation, *left = of->left, *smallest = of->smallest;
    const double *by = of->by_gain ? left : of->norm;
    int64_t best = -1;
    double most = -1.0;
    for (int64_t j = 0; j < of->D; j++) {
        if (!(left[j] > smallest[j])) continue;
        double score = correlation[j] * correlation[j] / by[j];
        if (score > most) {
            most = score;
            best = j;
        }
    }
    /* Where no column lowers the residual, the first one counts, if it can be taken. */
    if (of->by_gain && !(most > 0.0)) return left[0] > smallest[0] ? 0 : -1;
    return best;
}

/* Row j of G, from G (D, D), or from X (N, D) where G is NULL. */
SEVERAL_PATHS
static void row_of_gram(const Pursuit *of, int64_t j, double *restrict row) {
    int64_t D = of->D, N = of->N;
    if (of->G) {
        memcpy(row, of->G + j * D, (size_t)D * sizeof(double));
        return;
    }
    memset(row, 0, (size_t)D * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *restrict own = of->X + i * D;
        double factor = own[j];
        for (int64_t q = 0; q < D; q++) row[q] += factor * own[q];
    }
}

/* All steps of one problem. */
SEVERAL_PATHS
static void pursue(const Pursuit *of) {
    int64_t D = of->D, n_steps = of->n_steps;
    double *correlation = of->correlation, *left = of->left, *found = of->found;
    for (int64_t step = 0; step < n_steps; step++) {
        int64_t j = next_column(of);
        double *restrict row = found + step * D;
        of->counts[step] = j >= 0;
        of->order[step] = j >= 0 ? j : 0;
        of->projection[step] = 0.0;
        if (j < 0) {
            memset(row, 0, (size_t)D * sizeof(double));
            continue;
        }
        row_of_gram(of, j, row);
        for (int64_t s = 0; s < step; s++) {
            const double *restrict other = found + s * D;
            double factor = other[j];
            for (int64_t q = 0; q < D; q++) row[q] -= factor * other[q];
        }
        double root = sqrt(left[j]), along = correlation[j] / root;
        of->projection[step] = along;
        for (int64_t q = 0; q < D; q++) {
            row[q] /= root;
            correlation[q] -= row[q] * along;
            left[q] -= row[q] * row[q];
        }
    }
}

EXPORTED int64_t projstg_pursue(const Pursuit *of) {
    int64_t D = of->D, N = of->N, n_steps = of->n_steps;
    for (int64_t i = 0; i < of->B; i++)
        pursue(&(Pursuit){
            .D = D, .N = N, .G = of->G ? of->G + i * D * D : NULL,
            .X = of->X ? of->X + i * N * D : NULL, .n_steps = n_steps, .by_gain = of->by_gain,
            .correlation = of->correlation + i * D, .left = of->left + i * D,
            .norm = of->norm + i * D, .smallest = of->smallest + i * D,
            .order = of->order + i * n_steps, .counts = of->counts + i * n_steps,
            .projection = of->projection + i * n_steps, .found = of->found + i * n_steps * D});
    return 0;
}
