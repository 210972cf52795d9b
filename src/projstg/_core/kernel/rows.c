/* Least squares on the rows of K columns: reflections to a triangle, then rotations of its columns
   until they are orthogonal (Jacobi). So small singular values keep their digits. */

#include "kernel.h"

/* Reflections turn A, which has K columns of N numbers each, into a triangle R, and y likewise. */
SEVERAL_PATHS
static void triangle(double *A, double *y, int64_t N, int64_t K) {
    for (int64_t k = 0; k < K && k + 1 < N; k++) {
        double *restrict v = A + k * N, square = 0.0;
        for (int64_t i = k + 1; i < N; i++) square += v[i] * v[i];
        if (!(square > 0.0)) continue;
        double length = sqrt(square + v[k] * v[k]), corner = v[k] > 0.0 ? -length : length;
        v[k] -= corner;
        double factor = 2.0 / (square + v[k] * v[k]);
        for (int64_t j = k + 1; j <= K; j++) {
            double *restrict other = j < K ? A + j * N : y, sum = 0.0;
            for (int64_t i = k; i < N; i++) sum += v[i] * other[i];
            sum *= factor;
            for (int64_t i = k; i < N; i++) other[i] -= sum * v[i];
        }
        v[k] = corner;
        for (int64_t i = k + 1; i < N; i++) v[i] = 0.0;
    }
}

/* Two columns of n numbers, turned. */
ALWAYS_INLINE void turn(double *restrict a, double *restrict b, double c, double s, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Rotations make the columns of A, n numbers each, orthogonal; the rows of Vt turn with them.
   Columns that are rounding beside the largest stay as they are. */
SEVERAL_PATHS
static void orthogonal(double *A, double *Vt, int64_t n, int64_t K) {
    double whole = 0.0;
    for (int64_t i = 0; i < n * K; i++) whole += A[i] * A[i];
    for (int sweep = 0; sweep < 60; sweep++) {
        int turned = 0;
        for (int64_t p = 0; p + 1 < K; p++)
            for (int64_t q = p + 1; q < K; q++) {
                double *a = A + p * n, *b = A + q * n, aa = 0.0, bb = 0.0, ab = 0.0;
                for (int64_t i = 0; i < n; i++) {
                    aa += a[i] * a[i];
                    bb += b[i] * b[i];
                    ab += a[i] * b[i];
                }
                double smaller = aa < bb ? aa : bb;
                if (!(fabs(ab) > 0x1p-52 * sqrt(aa * bb)) || smaller < 0x1p-100 * whole) continue;
                turned = 1;
                double zeta = (bb - aa) / (2.0 * ab), size = fabs(zeta) + sqrt(1.0 + zeta * zeta);
                double t = (zeta >= 0.0 ? 1.0 : -1.0) / size, c = 1.0 / sqrt(1.0 + t * t);
                turn(a, b, c, c * t, n);
                turn(Vt + p * K, Vt + q * K, c, c * t, K);
            }
        if (!turned) return;
    }
}

double spectrum_of_rows(
    const Rows *rows, const int64_t *members, int64_t K, double *values, double *Vt, double *onto,
    double *work) {
    int64_t N = rows->N, n = N > K ? N : K; /* rows of zeros change nothing */
    double *A = work, *y = A + n * K, *R = y + n;
    memset(work, 0, (size_t)(n * (K + 1)) * sizeof(double));
    for (int64_t i = 0; i < N; i++) {
        const double *row = rows->X + i * rows->D;
        for (int64_t k = 0; k < K; k++) A[k * n + i] = row[members[k]];
        y[i] = rows->y[i];
    }
    triangle(A, y, n, K);
    memset(Vt, 0, (size_t)(K * K) * sizeof(double));
    for (int64_t k = 0; k < K; k++) {
        Vt[k * K + k] = 1.0;
        for (int64_t i = 0; i < K; i++) R[k * K + i] = A[k * n + i];
    }
    orthogonal(R, Vt, K, K);
    for (int64_t d = 0; d < K; d++) {
        double *column = R + d * K, square = 0.0, along = 0.0;
        for (int64_t i = 0; i < K; i++) {
            square += column[i] * column[i];
            along += column[i] * y[i];
        }
        values[d] = square;
        onto[d] = square > 0.0 ? along / sqrt(square) : 0.0;
    }
    leave_undetermined(values, onto, K);
    /* What is left of y, part by part: in the triangle's rows, and below. */
    double rest = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double left = y[i];
        for (int64_t d = 0; d < K; d++)
            if (values[d] > 0.0) left -= onto[d] * R[d * K + i] / sqrt(values[d]);
        rest += left * left;
    }
    for (int64_t i = K; i < n; i++) rest += y[i] * y[i];
    return rest;
}
