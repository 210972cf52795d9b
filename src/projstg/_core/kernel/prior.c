/* The mean of determinants over all supports of each size: score/prior.py:log_mean_determinants. */

#include <stdlib.h>

#include "kernel.h"

/* The means of determinants over all supports of each size, of B problems. */
typedef struct {
    int64_t B, M;
    const int64_t *n_columns; /* (B,) */
    const double **matrices;  /* each (M, M): X'X or XX' */
    const double *n;          /* (B,) */
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

/* One problem: the eigenvalues of X'X/n, largest first, and two numbers for each ridge to work with. */
typedef struct {
    int64_t M, n_columns, R, n_sizes;
    const double *kappa;
    double *values, *work, n, *logs;
} MeansOfOne;

/* The same without a logarithm for each eigenvalue, where no number can leave the range of doubles:
   the mean of size s is multiplied by g^s, g^2 = (n + kappa)/kappa. */
SEVERAL_PATHS
static void plain_means(const MeansOfOne *of) {
    int64_t M = of->M, n_columns = of->n_columns, R = of->R, n_sizes = of->n_sizes;
    const double *values = of->values, *kappa = of->kappa;
    double n = of->n, *means = of->logs, *restrict g = of->work, *restrict c = of->work + R;
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

SEVERAL_PATHS
static void any_means(const MeansOfOne *of) {
    int64_t M = of->M, n_columns = of->n_columns, R = of->R, n_sizes = of->n_sizes;
    const double *values = of->values, *kappa = of->kappa;
    double n = of->n, *logs = of->logs, *c = of->work;
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

/* Whether no number can leave the range of doubles. */
static int is_near(const MeansOfOne *of) {
    double most = 0.0, largest = of->M > 0 && of->values[0] > 1.0 ? of->values[0] : 1.0;
    for (int64_t r = 0; r < of->R; r++) {
        double away = 0.5 * log_of((of->n + of->kappa[r]) / of->kappa[r]);
        most = away > most ? away : most;
    }
    return (most + log_of(largest)) * (double)of->n_sizes < FAR;
}

static int larger_first(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a < b) - (a > b);
}

/* Zero, or NO_MEMORY. */
EXPORTED int64_t projstg_mean_determinants(const Means *of) {
    int64_t M = of->M, R = of->R, n_sizes = of->n_sizes;
    double *matrix = malloc((size_t)(M * M + 5 * M + 2 * R) * sizeof(double));
    if (!matrix) return NO_MEMORY;
    double *values = matrix + M * M, *work = values + M;
    for (int64_t i = 0; i < of->B; i++) {
        memcpy(matrix, of->matrices[i], (size_t)(M * M) * sizeof(double));
        eigenvalues_of(matrix, values, work, M);
        qsort(values, (size_t)M, sizeof(double), larger_first);
        for (int64_t k = 0; k < M; k++) values[k] = (values[k] > 0.0 ? values[k] : 0.0) / of->n[i];
        MeansOfOne one = {
            M, of->n_columns[i], R, n_sizes, of->kappa, values, work, of->n[i],
            of->logs + i * n_sizes * R};
        (is_near(&one) ? plain_means : any_means)(&one);
    }
    free(matrix);
    return 0;
}
