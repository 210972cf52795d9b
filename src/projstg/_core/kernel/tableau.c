/* The tableau of a support: score/tableau.py has the formulas and their reasons. */

#include "kernel.h"

/* Which path hot functions take: 2 for avx512f, 1 for avx2, 0 for any processor. */
EXPORTED int64_t projstg_path(void) {
#ifdef HAS_SEVERAL_PATHS
#ifndef PROJSTG_NO_AVX512F
    if (__builtin_cpu_supports("avx512f")) return 2;
#endif
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

/* What the loader and the sources were like when this was compiled. */
#ifndef PROJSTG_LOADER
#define PROJSTG_LOADER 0
#endif
#ifndef PROJSTG_SOURCES
#define PROJSTG_SOURCES 0
#endif
EXPORTED int64_t projstg_loader(void) {
    return PROJSTG_LOADER;
}
EXPORTED int64_t projstg_sources(void) {
    return PROJSTG_SOURCES;
}

int64_t tableau_size(int64_t D, int64_t K) {
    int64_t width = D + 1 + K;
    return K * width + 2 * D + 2 * width + 2 * K * K;
}

void tableau_place(Tableau *t, int64_t D, int64_t K, double *memory) {
    t->D = D;
    t->K = K;
    t->width = D + 1 + K;
    t->body = memory;
    t->e = t->body + K * t->width;
    t->h = t->e + D;
    t->entering = t->h + D;
    t->leaving = t->entering + t->width;
    t->inverse = t->leaving + t->width;
    t->rss = 0.0;
}

/* Cholesky: H = L L', then L^-1, then L^-T L^-1. */
SEVERAL_PATHS
double inverse_of(double *matrix, double *work, int64_t K) {
    double log_det = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double *row = matrix + i * K;
        for (int64_t j = 0; j <= i; j++) {
            double sum = row[j];
            const double *other = matrix + j * K;
            for (int64_t k = 0; k < j; k++) sum -= row[k] * other[k];
            if (j < i)
                row[j] = sum / other[j];
            else
                row[i] = sqrt(sum > 0.0 ? sum : 1e-300);
        }
        log_det += 2.0 * log_of(row[i]);
    }
    memset(work, 0, (size_t)(K * K) * sizeof(double));
    for (int64_t i = 0; i < K; i++) {
        double *row = work + i * K;
        const double *lower = matrix + i * K;
        for (int64_t k = 0; k < i; k++) {
            const double *other = work + k * K;
            double factor = lower[k];
            for (int64_t j = 0; j <= k; j++) row[j] -= factor * other[j];
        }
        double scale = 1.0 / lower[i];
        for (int64_t j = 0; j < i; j++) row[j] *= scale;
        row[i] = scale;
    }
    memset(matrix, 0, (size_t)(K * K) * sizeof(double));
    for (int64_t k = 0; k < K; k++) {
        const double *row = work + k * K;
        for (int64_t i = 0; i <= k; i++) {
            double *into = matrix + i * K;
            double factor = row[i];
            for (int64_t j = 0; j <= k; j++) into[j] += factor * row[j];
        }
    }
    return log_det;
}

SEVERAL_PATHS
void tableau_fresh(Tableau *t, const Field *field, const int64_t *members, double ridge) {
    int64_t D = t->D, K = t->K;
    const double *G = field->G, *b = field->b;
    double *P = t->inverse, *restrict e = t->e, *restrict h = t->h;
    for (int64_t i = 0; i < K; i++) {
        const double *g = G + members[i] * D;
        for (int64_t k = 0; k < K; k++) P[i * K + k] = g[members[k]];
        P[i * K + i] += ridge;
    }
    inverse_of(P, P + K * K, K);
    t->rss = field->yy;
    for (int64_t j = 0; j < D; j++) {
        e[j] = b[j];
        h[j] = G[j * D + j] + ridge;
    }
    for (int64_t i = 0; i < K; i++) {
        double *restrict row = row_of(t, i), w = 0.0;
        memset(row, 0, (size_t)D * sizeof(double));
        for (int64_t k = 0; k < K; k++) {
            const double *restrict g = G + members[k] * D;
            double factor = P[i * K + k];
            w += factor * b[members[k]];
            row[D + 1 + k] = factor;
            for (int64_t j = 0; j < D; j++) row[j] += factor * g[j];
        }
        row[D] = w;
        const double *restrict own = G + members[i] * D;
        for (int64_t j = 0; j < D; j++) e[j] -= w * own[j];
        for (int64_t j = 0; j < D; j++) h[j] -= own[j] * row[j];
        t->rss -= b[members[i]] * w;
    }
    for (int64_t j = 0; j < D; j++) h[j] = h[j] > ridge ? h[j] : ridge;
    if (t->rss < field->floor) t->rss = field->floor;
}

SEVERAL_PATHS
void tableau_exchange(
    Tableau *t, const Field *field, const int64_t *members, int64_t p, int64_t j) {
    int64_t D = t->D, K = t->K, width = t->width;
    const double *G = field->G + j * D;
    double *restrict s = t->entering, *restrict l = t->leaving, *restrict out = row_of(t, p);
    double h = t->h[j], e = t->e[j], share = out[j] / h;
    /* What enters: [s | e_j | -v], with v = U_j and -1 at place p. */
    for (int64_t q = 0; q < D; q++) s[q] = G[q];
    for (int64_t i = 0; i < K; i++) {
        const double *restrict row = row_of(t, i);
        double g = G[members[i]];
        for (int64_t q = 0; q < D; q++) s[q] -= g * row[q];
        s[D + 1 + i] = -row[j];
    }
    s[D] = e;
    s[D + 1 + p] = 1.0;
    /* What leaves: row p of the enlarged body. */
    for (int64_t q = 0; q < width; q++) l[q] = out[q] - share * s[q];
    double pivot = out[D + 1 + p] + share * share * h;
    l[D + 1 + p] = -share;
    for (int64_t q = 0; q < width; q++) out[q] = 0.0;
    for (int64_t i = 0; i < K; i++) row_of(t, i)[D + 1 + p] = 0.0;
    for (int64_t i = 0; i < K; i++) {
        double *restrict row = row_of(t, i);
        double first = -s[D + 1 + i] / h, second = l[D + 1 + i] / pivot;
        for (int64_t q = 0; q < width; q++) row[q] -= first * s[q] + second * l[q];
    }
    double *restrict ee = t->e, *restrict hh = t->h, w = l[D];
    double from_e = e / h, from_w = w / pivot;
    for (int64_t q = 0; q < D; q++) {
        ee[q] += l[q] * from_w - s[q] * from_e;
        hh[q] += l[q] * l[q] / pivot - s[q] * s[q] / h;
    }
    t->rss += w * w / pivot - e * e / h;
}
