/* The gates' first steps: gates/alternate.py:common_steps, with gates/projection.py between them. */

#include <stdlib.h>

#include "kernel.h"

/* Rows of matrices begin so many numbers apart: whole vectors, and no remainder. */
#define LANES 8
#define PADDED(m) (((m) + LANES - 1) / LANES * LANES)

/* Four numbers that are computed together, wherever they begin. */
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

RECORD(Steps)
RECORD(GateProblem)

/* out += factor * in, whole vectors from one that has place `from` on. */
ALWAYS_INLINE void add_from(
    double *out, double factor, const double *in, int64_t from, int64_t width) {
    for (int64_t k = from & -4; k < width; k += 4)
        *(Four *)(out + k) += factor * *(const Four *)(in + k);
}

/* So many rows of a matrix are computed together: what they share is loaded once. */
#define ROWS 4

/* Solve A x = rhs, x in place of rhs, with the upper half of a positive definite A (m, m padded),
   which is overwritten. Returns whether it is. */
SEVERAL_PATHS
static int solve_positive(double *A, double *rhs, int64_t m) {
    int64_t width = PADDED(m);
    for (int64_t first = 0; first < m; first += ROWS) {
        int64_t last = first + ROWS < m ? first + ROWS : m;
        for (int64_t j = first; j < last; j++) {
            double *row = A + j * width;
            if (!(row[j] > 0.0)) return 0;
            double root = 1.0 / sqrt(row[j]);
            for (int64_t k = j & -4; k < width; k += 4) *(Four *)(row + k) *= root;
            rhs[j] *= root;
            for (int64_t i = j + 1; i < last; i++) {
                add_from(A + i * width, -row[i], row, i, width);
                rhs[i] -= row[i] * rhs[j];
            }
        }
        const double *x = A + first * width, *z = rhs + first;
        const double *y = x + width, *u = y + width, *v = u + width;
        for (int64_t i = last; i < m; i++) {
            double *row = A + i * width, a = x[i], b = y[i], c = u[i], d = v[i];
            for (int64_t k = i & -4; k < width; k += 4)
                *(Four *)(row + k) -=
                    (a * *(const Four *)(x + k) + b * *(const Four *)(y + k)) +
                    (c * *(const Four *)(u + k) + d * *(const Four *)(v + k));
            rhs[i] -= (a * z[0] + b * z[1]) + (c * z[2] + d * z[3]);
        }
    }
    for (int64_t j = m - 1; j >= 0; j--) {
        const double *row = A + j * width;
        double sum = rhs[j];
        for (int64_t k = j + 1; k < m; k++) sum -= row[k] * rhs[k];
        rhs[j] = sum / row[j];
    }
    return 1;
}

/* out (ROWS, width): rows `i` and on of X c X', from column `from` on; `Xc` is Xt (D, width) with each
   row times its c. */
ALWAYS_INLINE void weighted_products(
    int64_t D, const double *Xt, const double *Xc, int64_t i, int64_t from, int64_t width,
    double *out) {
    for (int64_t k = from; k < width; k += 8) {
        Four low[ROWS] = {{0.0}}, high[ROWS] = {{0.0}};
        for (int64_t d = 0; d < D; d++) {
            const double *x = Xt + d * width + k, *c = Xc + d * width + i;
            Four first = *(const Four *)x, second = *(const Four *)(x + 4);
#pragma GCC unroll 4
            for (int q = 0; q < ROWS; q++) {
                low[q] += c[q] * first;
                high[q] += c[q] * second;
            }
        }
#pragma GCC unroll 4
        for (int q = 0; q < ROWS; q++) {
            *(Four *)(out + q * width + k) = low[q];
            *(Four *)(out + q * width + k + 4) = high[q];
        }
    }
}

/* beta = c Xt r, where (I + X c X') r = y and c = 1/(n rho): the dual. Xt is (D, N padded), Xc as
   large; `r` has N numbers, padded, and A as many rows. */
SEVERAL_PATHS
static int dual(
    const GateProblem *of, const double *Xt, const double *rho, double *A, double *Xc, double *r) {
    int64_t N = of->N, D = of->D, width = PADDED(N);
    double *beta = of->beta;
    memset(r, 0, (size_t)width * sizeof(double));
    for (int64_t d = 0; d < D; d++) {
        beta[d] = 1.0 / of->n / rho[d];
        for (int64_t k = 0; k < width; k += 4)
            *(Four *)(Xc + d * width + k) = beta[d] * *(const Four *)(Xt + d * width + k);
    }
    for (int64_t i = 0; i < N; i += ROWS)
        weighted_products(D, Xt, Xc, i, i / LANES * LANES, width, A + i * width);
    for (int64_t i = 0; i < N; i++) {
        A[i * width + i] += 1.0;
        r[i] = of->y[i];
    }
    if (!solve_positive(A, r, N)) return 0;
    for (int64_t d = 0; d < D; d++) {
        const double *x = Xt + d * width;
        Four sums = {0.0};
        for (int64_t k = 0; k < width; k += 4) sums += *(const Four *)(x + k) * *(Four *)(r + k);
        beta[d] *= (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    return 1;
}

/* (G + n rho) beta = b, with unknowns scaled so that the diagonal is one: the primal. */
SEVERAL_PATHS
static int primal(const GateProblem *of, const double *rho, double *A, double *scale) {
    int64_t D = of->D, width = PADDED(D);
    double root = sqrt(of->n), *beta = of->beta;
    memset(A, 0, (size_t)(D * width) * sizeof(double));
    for (int64_t d = 0; d < D; d++) scale[d] = 1.0 / sqrt(1.0 + rho[d]) / root;
    for (int64_t d = 0; d < D; d++) {
        double own = 1.0 / sqrt(1.0 + rho[d]), *restrict row = A + d * width, factor = scale[d];
        const double *restrict g = of->G + d * D;
        for (int64_t k = d; k < D; k++) row[k] = g[k] * factor * scale[k];
        row[d] += rho[d] * own * own;
        beta[d] = scale[d] * of->b[d];
    }
    if (!solve_positive(A, beta, D)) return 0;
    for (int64_t d = 0; d < D; d++) beta[d] *= scale[d];
    return 1;
}

/* The noise ratios of gates at mu, at least `floor`, and their slopes. */
static void ridges_at(const Steps *by, const double *mu, int64_t D, double *rho, double *slope) {
    double lowest = -by->reach * by->tau, highest = 1.0 + by->reach * by->tau;
    for (int64_t d = 0; d < D; d++) {
        double x = mu[d] > lowest ? mu[d] : lowest;
        x = x < highest ? x : highest;
        double place = (x - by->first) / by->step;
        int64_t node = (int64_t)place;
        node = node > 0 ? node : 0;
        node = node < by->n_cubics - 1 ? node : by->n_cubics - 1;
        const double *c = by->cubics + 4 * node;
        double u = place - (double)node;
        double ratio = exp_of(((c[0] * u + c[1]) * u + c[2]) * u + c[3]);
        slope[d] = ratio * (((3.0 * c[0] * u + 2.0 * c[1]) * u + c[2]) / by->step);
        rho[d] = ratio > by->floor ? ratio : by->floor;
    }
}

/* The coefficients of one problem after the steps. Returns zero, NO_MEMORY, or one where rounding has
   left a matrix that is not positive definite. */
EXPORTED int64_t projstg_first_steps(const Steps *by, const GateProblem *of) {
    const double *X = of->X, *beta = of->beta;
    int64_t N = of->N, D = of->D, m = X ? N : D, width = PADDED(m);
    double *memory = calloc((size_t)(4 * D + (width + 1 + (X ? 2 * D : 0)) * width), sizeof(double));
    if (!memory) return NO_MEMORY;
    double *mu = memory, *rho = mu + D, *slope = rho + D, *gradient = slope + D;
    double *A = gradient + D, *work = A + width * width, *Xt = work + width;
    double *Xc = Xt + D * width; /* these two where X is not NULL */
    for (int64_t i = 0; X && i < N; i++)
        for (int64_t d = 0; d < D; d++) Xt[d * width + i] = X[i * D + d];
    for (int64_t d = 0; d < D; d++) mu[d] = 0.5;
    int is_solved = 1;
    for (int64_t turn = 0; turn <= by->n_steps && is_solved; turn++) {
        if (turn) {
            double square = 0.0;
            for (int64_t d = 0; d < D; d++) {
                double z = mu[d] / by->tau, open = exp_of(-0.5 * z * z) / (sqrt(2.0 * PI) * by->tau);
                gradient[d] = beta[d] * beta[d] * slope[d] + of->alpha * open;
                square += gradient[d] * gradient[d];
            }
            double length = by->size / (sqrt(square / (double)D) + SMALLEST_NORMAL);
            for (int64_t d = 0; d < D; d++) mu[d] -= gradient[d] * length;
        }
        ridges_at(by, mu, D, rho, slope);
        is_solved = X ? dual(of, Xt, rho, A, Xc, work) : primal(of, rho, A, work);
    }
    free(memory);
    return is_solved ? 0 : 1;
}
