/* From rows to columns of mean square one: data/standard_table.py has the steps and their reasons. */

#include "kernel.h"

/* B tables as they come, and standardised. */
typedef struct {
    int64_t B, N, D;
    const double *X, *y, *weights; /* (B, N, D), (B, N), (B, N) … */
    const double *totals;          /* … and what the weights add up to, (B,) */
    int64_t centre;
    double rounding;               /* a column with a mean square not above the square of this times
                                      the mean is constant */
    double far;                    /* numbers farther from one than this are out of range */
    double *Z, *z;                 /* (B, N, D) and (B, N): of mean square one */
    double *b, *diagonal;          /* (B, D): Z'z and the squared norms */
    double *scale, *x_mean, *y_mean, *y_scale; /* (B, D), (B, D), (B,), (B,): units of the data */
    double *y_left;                            /* (B, N): y less its mean */
} RawTables;

RECORD(RawTables)

/* y less its mean, `left` (N,), and z (N,): that in a unit of its own, centred again, times the roots of
   the weights. Rows of weight zero count for nothing. */
static void standardize_response(
    int64_t N, const double *y, const double *weights, double total, int64_t centre,
    double rounding, double *left, double *z, double *mean, double *scale) {
    double high = -INFINITY, low = INFINITY, sum = 0.0;
    *mean = 0.0;
    for (int64_t i = 0; i < N; i++) {
        if (weights[i] > 0.0) {
            high = y[i] > high ? y[i] : high;
            low = y[i] < low ? y[i] : low;
        }
        sum += weights[i] / total * y[i];
    }
    int is_constant = centre && high - low <= rounding * fabs(high);
    if (centre) *mean = is_constant ? high : sum;
    double rest = 0.0, largest = 0.0, square = 0.0, own = 0.0;
    for (int64_t i = 0; i < N; i++) {
        left[i] = is_constant ? 0.0 : y[i] - *mean;
        rest += centre ? weights[i] / total * left[i] : 0.0;
    }
    for (int64_t i = 0; i < N; i++) {
        double size = weights[i] > 0.0 ? fabs(left[i] - rest) : 0.0;
        largest = size > largest ? size : largest;
    }
    largest = largest > 0.0 ? largest : 1.0;
    for (int64_t i = 0; i < N; i++) {
        double size = (left[i] - rest) / largest;
        square += weights[i] > 0.0 ? weights[i] / total * (size * size) : 0.0;
    }
    *scale = largest * sqrt(square);
    *scale = *scale > 0.0 ? *scale : 1.0;
    for (int64_t i = 0; i < N; i++) {
        z[i] = left[i] / *scale;
        own += centre && weights[i] > 0.0 ? weights[i] * z[i] : 0.0;
    }
    own /= total;
    for (int64_t i = 0; i < N; i++) {
        z[i] = weights[i] > 0.0 ? (z[i] - own) * sqrt(weights[i]) : 0.0;
    }
    *mean += own * *scale;
}

/* Whether a square of numbers in X (N, D) may leave the range of doubles; `largest` has D numbers. */
SEVERAL_PATHS
static int is_far(
    int64_t N, int64_t D, const double *X, const double *weights, double far,
    double *restrict largest) {
    memset(largest, 0, (size_t)D * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *restrict row = X + i * D;
        if (!(weights[i] > 0.0)) continue;
        for (int64_t j = 0; j < D; j++) {
            double size = fabs(row[j]);
            largest[j] = size > largest[j] ? size : largest[j];
        }
    }
    for (int64_t j = 0; j < D; j++)
        if (largest[j] > 0.0 && (largest[j] > far || largest[j] < 1.0 / far)) return 1;
    return 0;
}

/* Rows (N, D) less `off` (D,), Z, and their sums; rows that weigh nothing become zero. */
SEVERAL_PATHS
static void centred(
    int64_t N, int64_t D, const double *X, const double *weights, const double *restrict off,
    double *Z, double *restrict sums) {
    memset(sums, 0, (size_t)D * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *row = X + i * D;
        double *own = Z + i * D, weight = weights[i];
        if (!(weight > 0.0)) {
            memset(own, 0, (size_t)D * sizeof(double));
            continue;
        }
        INDEPENDENT
        for (int64_t j = 0; j < D; j++) {
            own[j] = row[j] - off[j];
            sums[j] += weight * own[j];
        }
    }
}

/* Rows times the roots of their weights. */
static void weigh(int64_t N, int64_t D, double *Z, const double *weights) {
    for (int64_t i = 0; i < N; i++) {
        double root = sqrt(weights[i]), *own = Z + i * D;
        if (root == 1.0) continue;
        for (int64_t j = 0; j < D; j++) own[j] *= root;
    }
}

/* Squares of columns and their products with z. */
SEVERAL_PATHS
static void products(
    int64_t N, int64_t D, const double *restrict Z, const double *z, double *restrict diagonal,
    double *restrict b) {
    memset(diagonal, 0, (size_t)D * sizeof(double));
    memset(b, 0, (size_t)D * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *restrict row = Z + i * D, y = z[i];
        for (int64_t j = 0; j < D; j++) {
            diagonal[j] += row[j] * row[j];
            b[j] += row[j] * y;
        }
    }
}

/* Columns divided by `scale`; where that is zero they become zero. */
SEVERAL_PATHS
static void divide(int64_t N, int64_t D, double *Z, const double *restrict scale) {
    for (int64_t i = 0; i < N; i++) {
        double *restrict row = Z + i * D;
        for (int64_t j = 0; j < D; j++) {
            double one = scale[j] > 0.0 ? row[j] : 0.0;
            row[j] = one / (scale[j] > 0.0 ? scale[j] : 1.0);
        }
    }
}

/* Returns one, and nothing is of use, where numbers are out of range. */
EXPORTED int64_t projstg_standardize(const RawTables *of) {
    int64_t N = of->N, D = of->D, centre = of->centre;
    double rounding = of->rounding;
    for (int64_t i = 0; i < of->B; i++) {
        const double *rows = of->X + i * N * D, *w = of->weights + i * N;
        double *own = of->Z + i * N * D, *z = of->z + i * N, n = of->totals[i];
        double *restrict mean = of->x_mean + i * D, *restrict by = of->scale + i * D;
        double *restrict square = of->diagonal + i * D, *restrict along = of->b + i * D;
        if (is_far(N, D, rows, w, of->far, by)) return 1;
        standardize_response(
            N, of->y + i * N, w, n, centre, rounding, of->y_left + i * N, z, of->y_mean + i,
            of->y_scale + i);
        memset(by, 0, (size_t)D * sizeof(double));
        centred(N, D, rows, w, by, own, mean);
        if (centre) {
            /* Centred twice, because the first mean is rounded. */
            for (int64_t j = 0; j < D; j++) mean[j] /= n;
            centred(N, D, rows, w, mean, own, by);
            for (int64_t j = 0; j < D; j++) {
                by[j] /= n;
                mean[j] += by[j];
            }
            centred(N, D, own, w, by, own, square);
        } else {
            memset(mean, 0, (size_t)D * sizeof(double));
        }
        weigh(N, D, own, w);
        products(N, D, own, z, square, along);
        for (int64_t j = 0; j < D; j++) {
            double mean_square = square[j] / n, least = rounding * mean[j];
            int varies = mean_square > least * least;
            by[j] = varies ? sqrt(mean_square) : 0.0;
            double factor = varies ? 1.0 / by[j] : 0.0;
            square[j] *= factor * factor;
            along[j] *= factor;
        }
        divide(N, D, own, by);
    }
    return 0;
}
