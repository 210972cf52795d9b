/* Eigenvalues and eigenvectors of a symmetric matrix: to a tridiagonal one by reflections, from
   there by rotations (QL with implicit shifts). */

#include "kernel.h"

/* A is K by K and becomes the tridiagonal matrix with diagonal d and, beside it, e (K,), where the
   last of e is zero. The reflections are left in the rows of A, and their factors (K,). */
SEVERAL_PATHS
static void tridiagonal(double *A, double *d, double *e, double *work, int64_t K) {
    double *restrict v = work, *restrict p = work + K, *factors = work + 2 * K, whole = 0.0;
    for (int64_t i = 0; i < K * K; i++) whole += A[i] * A[i];
    for (int64_t k = 0; k + 2 < K; k++) {
        int64_t first = k + 1;
        double square = 0.0;
        for (int64_t i = first; i < K; i++) {
            v[i] = A[i * K + k];
            if (i > first) square += v[i] * v[i];
        }
        factors[k] = 0.0;
        e[k] = v[first];
        if (square > 0x1p-200 * whole) { /* what is smaller is rounding, and would underflow */
            double length = sqrt(square + v[first] * v[first]);
            e[k] = v[first] > 0.0 ? -length : length;
            v[first] -= e[k];
            double factor = 2.0 / (square + v[first] * v[first]), along = 0.0;
            factors[k] = factor;
            for (int64_t i = first; i < K; i++) p[i] = 0.0;
            for (int64_t i = first; i < K; i++) {
                const double *restrict row = A + i * K;
                for (int64_t j = first; j < K; j++) p[j] += v[i] * row[j];
            }
            for (int64_t i = first; i < K; i++) {
                p[i] *= factor;
                along += p[i] * v[i];
            }
            for (int64_t i = first; i < K; i++) p[i] -= 0.5 * factor * along * v[i];
            for (int64_t i = first; i < K; i++) {
                double *restrict row = A + i * K, a = v[i], b = p[i];
                for (int64_t j = first; j < K; j++) row[j] -= a * p[j] + b * v[j];
            }
        }
        /* The reflection is kept where the matrix has zeros now. */
        for (int64_t i = first; i < K; i++) A[k * K + i] = v[i];
    }
    for (int64_t i = 0; i < K; i++) d[i] = A[i * K + i];
    if (K > 1) e[K - 2] = A[(K - 2) * K + K - 1];
    if (K > 0) e[K - 1] = 0.0;
}

/* The rows of Vt (K, K) become the columns of the transformation, from its reflections. */
SEVERAL_PATHS
static void transformation(const double *A, const double *factors, double *Vt, int64_t K) {
    memset(Vt, 0, (size_t)(K * K) * sizeof(double));
    for (int64_t i = 0; i < K; i++) Vt[i * K + i] = 1.0;
    for (int64_t k = K - 3; k >= 0; k--) {
        const double *restrict own = A + k * K;
        for (int64_t row = k + 1; row < K; row++) {
            double *restrict into = Vt + row * K, sum = 0.0;
            for (int64_t i = k + 1; i < K; i++) sum += into[i] * own[i];
            sum *= factors[k];
            for (int64_t i = k + 1; i < K; i++) into[i] -= sum * own[i];
        }
    }
}

/* The row l of Vt, and the next, turned. */
ALWAYS_INLINE void rotate(double *restrict low, double *restrict high, double c, double s, int64_t K) {
    for (int64_t i = 0; i < K; i++) {
        double a = low[i], b = high[i];
        low[i] = c * a - s * b;
        high[i] = s * a + c * b;
    }
}

/* Rotations make a tridiagonal matrix diagonal; the rows of Vt (K, K) turn with it. */
ALWAYS_INLINE void diagonalize(double *d, double *e, double *Vt, int64_t K) {
    double largest = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double size = fabs(d[i]) + fabs(e[i]);
        largest = size > largest ? size : largest;
    }
    for (int64_t l = 0; l < K; l++) {
        for (int n_iter = 0; n_iter < 60; n_iter++) {
            int64_t m = l;
            for (; m + 1 < K; m++) {
                double around = fabs(d[m]) + fabs(d[m + 1]);
                if (fabs(e[m]) <= 0x1p-53 * around + 0x1p-100 * largest) break;
            }
            if (m == l) break;
            double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = sqrt(g * g + 1.0);
            g = d[m] - d[l] + e[l] / (g + (g >= 0.0 ? r : -r));
            double s = 1.0, c = 1.0, p = 0.0;
            int64_t i = m - 1;
            for (; i >= l; i--) {
                double f = s * e[i], b = c * e[i];
                r = sqrt(f * f + g * g);
                e[i + 1] = r;
                if (r == 0.0) {
                    d[i + 1] -= p;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                rotate(Vt + i * K, Vt + (i + 1) * K, c, s, K);
            }
            if (i < l) {
                d[l] -= p;
                e[l] = g;
            }
            e[m] = 0.0;
        }
    }
}

/* Eigenvalues (K,), in no order, and eigenvectors, the rows of Vt (K, K). A is overwritten, and
   `work` has 4 K numbers. */
SEVERAL_PATHS
void spectrum_of(double *A, double *values, double *Vt, double *work, int64_t K) {
    double *e = work + 3 * K;
    tridiagonal(A, values, e, work, K);
    transformation(A, work + 2 * K, Vt, K);
    diagonalize(values, e, Vt, K);
}

/* The same without vectors and without roots: all that is needed of a rotation are the squares of its
   cosine and sine (Pal, Walker and Kahan's form of QL). e becomes squares. */
static void diagonalize_alone(double *d, double *e, int64_t K) {
    double largest = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double size = fabs(d[i]) + fabs(e[i]);
        largest = size > largest ? size : largest;
    }
    double eps = 0x1p-53, tiny = 0x1p-100 * largest;
    for (int64_t i = 0; i < K; i++) e[i] *= e[i];
    for (int64_t l = 0; l < K; l++) {
        for (int n_iter = 0; n_iter < 60; n_iter++) {
            int64_t m = l;
            for (; m + 1 < K; m++) {
                double around = eps * (fabs(d[m]) + fabs(d[m + 1])) + tiny;
                if (e[m] <= around * around) break;
            }
            if (m == l) break;
            double root = sqrt(e[l]), g = (d[l + 1] - d[l]) / (2.0 * root);
            double r = sqrt(g * g + 1.0), shift = d[l] - root / (g + (g >= 0.0 ? r : -r));
            double c = 1.0, s = 0.0, gamma = d[m] - shift, p = gamma * gamma;
            for (int64_t i = m - 1; i >= l; i--) {
                double b = e[i], sum = p + b, before = c, last = gamma, own = d[i];
                if (i < m - 1) e[i + 1] = s * sum;
                double inverse = sum / p; /* of the new c */
                c = p / sum;
                s = b / sum;
                gamma = c * (own - shift) - s * last;
                d[i + 1] = last + (own - gamma);
                p = c != 0.0 ? gamma * gamma * inverse : before * b;
            }
            e[l] = s * p;
            d[l] = shift + gamma;
        }
    }
}

/* Eigenvalues alone; the same of A and `work`. */
SEVERAL_PATHS
void eigenvalues_of(double *A, double *values, double *work, int64_t K) {
    double *e = work + 3 * K;
    tridiagonal(A, values, e, work, K);
    diagonalize_alone(values, e, K);
}
