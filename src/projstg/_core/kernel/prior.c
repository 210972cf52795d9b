/* The mean of determinants over all supports of each size: score/prior.py:log_mean_determinants. */

#include <stdlib.h>

#include "kernel.h"

/* The means of determinants over all supports of each size, of B problems. */
typedef struct {
    int64_t B, M, n_columns;
    const double **values; /* each (M,): eigenvalues */
    const double *n;       /* (B,) */
    int64_t R, n_sizes;
    const double *kappa; /* (R,) */
    double *logs;        /* (B, n_sizes, R) */
} Means;

RECORD(Means)

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

/* Numbers stay so many powers of e away from the largest and the smallest double. */
#define FAR 600.0

/* The same without a logarithm for each eigenvalue, where no number can leave the range of doubles:
   the mean of size s is multiplied by g^s, g^2 = (n + kappa)/kappa. `work` has 2 R numbers. */
SEVERAL_PATHS
static void plain_means(const Means *of, int64_t i_problem, double *work) {
    int64_t M = of->M, n_columns = of->n_columns, R = of->R, n_sizes = of->n_sizes;
    const double *values = of->values[i_problem], *kappa = of->kappa;
    double n = of->n[i_problem], *means = of->logs + i_problem * n_sizes * R;
    double *restrict g = work, *restrict c = work + R;
    int64_t m = n_columns > M ? n_columns - M : 0;
    for (int64_t r = 0; r < R; r++) g[r] = sqrt((n + kappa[r]) / kappa[r]);
    for (int64_t r = 0; r < R; r++) means[r] = 1.0;
    for (int64_t s = 1; s < n_sizes; s++)
        for (int64_t r = 0; r < R; r++)
            means[s * R + r] = s <= m ? means[(s - 1) * R + r] / g[r] : 0.0;
    for (int64_t i = 0; i < M && m < n_columns; i++) {
        m++;
        for (int64_t r = 0; r < R; r++) c[r] = (n * values[i] + kappa[r]) / (n + kappa[r]) * g[r];
        for (int64_t s = m < n_sizes - 1 ? m : n_sizes - 1; s > 0; s--) {
            double without = (double)(m - s) / (double)m, with = (double)s / (double)m;
            double *restrict own = means + s * R;
            const double *restrict less = means + (s - 1) * R;
            for (int64_t r = 0; r < R; r++) own[r] = own[r] * without + less[r] * (c[r] * with);
        }
    }
    for (int64_t s = 0; s < n_sizes; s++)
        for (int64_t r = 0; r < R; r++) {
            double own = means[s * R + r];
            means[s * R + r] = own > 0.0 ? log_of(own) - (double)s * log_of(g[r]) : NOTHING;
        }
}

/* The same of one problem, whatever the numbers; `c` has 2 R of them. */
SEVERAL_PATHS
static void any_means(const Means *of, int64_t i_problem, double *c) {
    int64_t M = of->M, n_columns = of->n_columns, R = of->R, n_sizes = of->n_sizes;
    const double *values = of->values[i_problem], *kappa = of->kappa;
    double n = of->n[i_problem], *logs = of->logs + i_problem * n_sizes * R;
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
}

/* Whether no number of problem i can leave the range of doubles. */
static int is_near(const Means *of, int64_t i) {
    double n = of->n[i], most = 0.0, largest = 1.0; /* of the eigenvalues, and so of c */
    for (int64_t r = 0; r < of->R; r++) {
        double away = 0.5 * log_of((n + of->kappa[r]) / of->kappa[r]);
        most = away > most ? away : most;
    }
    for (int64_t k = 0; k < of->M; k++)
        largest = of->values[i][k] > largest ? of->values[i][k] : largest;
    return (most + log_of(largest)) * (double)of->n_sizes < FAR;
}

/* Zero, or NO_MEMORY. */
EXPORTED int64_t projstg_mean_determinants(const Means *of) {
    double *work = malloc((size_t)(2 * of->R) * sizeof(double));
    if (!work) return NO_MEMORY;
    for (int64_t i = 0; i < of->B; i++) (is_near(of, i) ? plain_means : any_means)(of, i, work);
    free(work);
    return 0;
}
