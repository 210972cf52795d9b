/* The mean of determinants over all supports of each size: score/prior.py:log_mean_determinants. */

#include <stdlib.h>

#include "kernel.h"

/* Instead of the logarithm of zero. */
#define NOTHING (-1e300)

/* log(exp(first + more) + exp(second)) for all ridges, in place of `first`. */
SEVERAL_PATHS
static void log_sums(
    double *restrict first, double more, const double *restrict second, const double *restrict c,
    double with, int64_t R) {
    INDEPENDENT
    for (int64_t r = 0; r < R; r++) {
        double a = first[r] + more, b = second[r] + c[r] + with, apart = fabs(a - b);
        first[r] = (a > b ? a : b) + log1p_of(exp_of(-apart));
    }
}

/* `logs` (n_sizes, R) for one problem: its eigenvalues `values` (M,), of `n_columns` columns. */
EXPORTED int64_t projstg_mean_determinants(
    int64_t M, const double *values, int64_t n_columns, double n, int64_t R, const double *kappa,
    int64_t n_sizes, double *logs) {
    double *c = malloc((size_t)R * sizeof(double));
    if (!c) return NO_MEMORY;
    int64_t m = n_columns > M ? n_columns - M : 0;
    for (int64_t s = 0; s < n_sizes; s++)
        for (int64_t r = 0; r < R; r++)
            logs[s * R + r] = s <= m ? (double)s * log_of(kappa[r] / (n + kappa[r])) : NOTHING;
    for (int64_t i = 0; i < M && m < n_columns; i++) {
        m++;
        for (int64_t r = 0; r < R; r++) c[r] = log_of((n * values[i] + kappa[r]) / (n + kappa[r]));
        int64_t top = m < n_sizes - 1 ? m : n_sizes - 1;
        for (int64_t s = top; s >= 0; s--) {
            double more = m > s ? log_of((double)(m - s) / (double)m) : NOTHING;
            if (s > 0)
                log_sums(logs + s * R, more, logs + (s - 1) * R, c, log_of((double)s / (double)m), R);
            else
                for (int64_t r = 0; r < R; r++) logs[r] += more;
        }
    }
    free(c);
    return 0;
}
