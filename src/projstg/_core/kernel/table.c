/* From rows to columns of mean square one: data/standard_table.py has the steps and their reasons. */

#include "kernel.h"

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

/* B tables X (B, N, D), y (B, N), weights (B, N), and what these add up to, `totals` (B,). A column is
   constant if its mean square is not above the square of `rounding` times its mean; those of `never`
   (D,) count as constant. Written are the standardised Z and z, b = Z'z and the squared norms (B, D),
   what columns were divided by, `scale`, and their means (B, D), those of y (B,), and y less its mean,
   `left` (B, N). Returns one, and nothing is of use, where numbers are farther from one than `far`. */
EXPORTED int64_t projstg_standardize(
    int64_t B, int64_t N, int64_t D, const double *X, const double *y, const double *weights,
    const double *totals, int64_t centre, const uint8_t *never, double rounding, double far,
    double *Z, double *z, double *b, double *diagonal, double *scale, double *x_mean,
    double *y_mean, double *y_scale, double *left) {
    for (int64_t i = 0; i < B; i++) {
        const double *rows = X + i * N * D, *w = weights + i * N;
        double *own = Z + i * N * D, *restrict mean = x_mean + i * D, *restrict by = scale + i * D;
        double *restrict square = diagonal + i * D, *restrict along = b + i * D, n = totals[i];
        if (is_far(N, D, rows, w, far, by)) return 1;
        standardize_response(
            N, y + i * N, w, n, centre, rounding, left + i * N, z + i * N, y_mean + i, y_scale + i);
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
        products(N, D, own, z + i * N, square, along);
        for (int64_t j = 0; j < D; j++) {
            double mean_square = square[j] / n, least = rounding * mean[j];
            int varies = mean_square > least * least && !never[j];
            by[j] = varies ? sqrt(mean_square) : 0.0;
            double factor = varies ? 1.0 / by[j] : 0.0;
            square[j] *= factor * factor;
            along[j] *= factor;
        }
        divide(N, D, own, by);
    }
    return 0;
}
