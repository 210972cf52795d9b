/* The gates' first steps: gates/alternate.py:common_steps, with gates/projection.py between them. */

#include <stdlib.h>

#include "kernel.h"

/* Rows of matrices begin so many numbers apart: whole vectors, and no remainder. */
#define LANES 8
#define PADDED(m) (((m) + LANES - 1) / LANES * LANES)

/* One problem: rows where these are fewer than the columns, else its Gram matrix. */
typedef struct {
    int64_t N, D;
    const double *Xt; /* (D, N padded), or NULL */
    const double *y;  /* (N,) */
    const double *G;  /* (D, D) */
    const double *b;  /* (D,) */
    double n;
} GateProblem;

/* out += factor * in, whole vectors from one that has place `from` on. */
ALWAYS_INLINE void add_from(
    double *restrict out, double factor, const double *restrict in, int64_t from, int64_t width) {
    for (int64_t k = from / LANES * LANES; k < width; k += LANES)
        for (int l = 0; l < LANES; l++) out[k + l] += factor * in[k + l];
}

/* Solve A x = rhs, x in place of rhs, with the upper half of a positive definite A (m, m padded),
   which is overwritten. Returns whether it is. */
SEVERAL_PATHS
static int solve_positive(double *A, double *rhs, int64_t m) {
    int64_t width = PADDED(m);
    for (int64_t j = 0; j < m; j++) {
        double *restrict row = A + j * width;
        if (!(row[j] > 0.0)) return 0;
        double root = 1.0 / sqrt(row[j]);
        for (int64_t k = j; k < m; k++) row[k] *= root;
        rhs[j] *= root;
        for (int64_t i = j + 1; i < m; i++) {
            add_from(A + i * width, -row[i], row, i, width);
            rhs[i] -= row[i] * rhs[j];
        }
    }
    for (int64_t j = m - 1; j >= 0; j--) {
        rhs[j] /= A[j * width + j];
        for (int64_t i = 0; i < j; i++) rhs[i] -= A[i * width + j] * rhs[j];
    }
    return 1;
}

/* beta = c Xt r, where (I + X c X') r = y and c = 1/(n rho): the dual. `r` has N numbers, padded. */
SEVERAL_PATHS
static int dual(const GateProblem *of, const double *rho, double *A, double *r, double *beta) {
    int64_t N = of->N, D = of->D, width = PADDED(N);
    memset(A, 0, (size_t)(N * width) * sizeof(double));
    memset(r, 0, (size_t)width * sizeof(double));
    for (int64_t d = 0; d < D; d++) beta[d] = 1.0 / of->n / rho[d];
    for (int64_t i = 0; i < N; i++) {
        double *restrict row = A + i * width;
        int64_t d = 0, from = i / LANES * LANES;
        for (; d + 4 <= D; d += 4) {
            const double *restrict x = of->Xt + d * width, *restrict c = beta + d;
            double first = x[i] * c[0], second = x[width + i] * c[1];
            double third = x[2 * width + i] * c[2], fourth = x[3 * width + i] * c[3];
            for (int64_t k = from; k < width; k += LANES)
                for (int l = 0; l < LANES; l++)
                    row[k + l] += (first * x[k + l] + second * x[width + k + l]) +
                                  (third * x[2 * width + k + l] + fourth * x[3 * width + k + l]);
        }
        for (; d < D; d++) {
            const double *restrict x = of->Xt + d * width;
            add_from(row, x[i] * beta[d], x, from, width);
        }
        row[i] += 1.0;
        r[i] = of->y[i];
    }
    if (!solve_positive(A, r, N)) return 0;
    for (int64_t d = 0; d < D; d++) {
        const double *restrict x = of->Xt + d * width;
        double sums[LANES] = {0.0}, sum = 0.0;
        for (int64_t k = 0; k < width; k += LANES)
            for (int l = 0; l < LANES; l++) sums[l] += x[k + l] * r[k + l];
        for (int l = 0; l < LANES; l++) sum += sums[l];
        beta[d] *= sum;
    }
    return 1;
}

/* (G + n rho) beta = b, with unknowns scaled so that the diagonal is one: the primal. */
SEVERAL_PATHS
static int primal(const GateProblem *of, const double *rho, double *A, double *scale, double *beta) {
    int64_t D = of->D, width = PADDED(D);
    double root = sqrt(of->n);
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

/* The coefficients (D,) of one problem after the steps. `X` (N, D) and `y` (N,), or NULL: then
   `G` (D, D) and `b` (D,). Returns zero, NO_MEMORY, or one where rounding has left a matrix that is
   not positive definite. */
EXPORTED int64_t projstg_first_steps(
    const Steps *by, int64_t N, int64_t D, const double *X, const double *y, const double *G,
    const double *b, double n, double alpha, double *beta) {
    int64_t m = X ? N : D, width = PADDED(m);
    double *memory = calloc((size_t)(4 * D + (m + 1 + (X ? D : 0)) * width), sizeof(double));
    if (!memory) return NO_MEMORY;
    double *mu = memory, *rho = mu + D, *slope = rho + D, *gradient = slope + D;
    double *A = gradient + D, *work = A + m * width, *Xt = work + width;
    GateProblem of = {N, D, X ? Xt : NULL, y, G, b, n};
    for (int64_t i = 0; X && i < N; i++)
        for (int64_t d = 0; d < D; d++) Xt[d * width + i] = X[i * D + d];
    for (int64_t d = 0; d < D; d++) mu[d] = 0.5;
    int is_solved = 1;
    for (int64_t turn = 0; turn <= by->n_steps && is_solved; turn++) {
        if (turn) {
            double square = 0.0;
            for (int64_t d = 0; d < D; d++) {
                double z = mu[d] / by->tau, open = exp_of(-0.5 * z * z) / (sqrt(2.0 * PI) * by->tau);
                gradient[d] = beta[d] * beta[d] * slope[d] + alpha * open;
                square += gradient[d] * gradient[d];
            }
            double length = by->size / (sqrt(square / (double)D) + 2.2250738585072014e-308);
            for (int64_t d = 0; d < D; d++) mu[d] -= gradient[d] * length;
        }
        ridges_at(by, mu, D, rho, slope);
        is_solved = X ? dual(&of, rho, A, work, beta) : primal(&of, rho, A, work, beta);
    }
    free(memory);
    return is_solved ? 0 : 1;
}
