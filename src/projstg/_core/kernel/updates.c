/* The fits of a support's neighbours at one ridge, side by side, and their scores: score/updates.py
   has the closed forms, score/evidence.py the formula. */

#include "kernel.h"

int64_t lanes_size(int64_t K) {
    return (6 * K + 13) * MOST_LANES;
}

void lanes_place(Lanes *of, double *memory, int64_t K) {
    double **table[] = {&of->w, &of->diagonal, &of->Ps, &of->signs, &of->v, &of->a};
    double **row[] = {&of->rss, &of->h, &of->beta, &of->own, &of->total, &of->sPs, &of->left,
                      &of->step, &of->residual, &of->factor, &of->flips, &of->score, &of->lowest};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++, memory += K * MOST_LANES)
        *table[i] = memory;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++, memory += MOST_LANES) *row[i] = memory;
}

/* A score higher than another ridge's by this adds less than rounding to their sum. */
#define NEGLIGIBLE 70.0

void lanes_begin(Lanes *lanes, int64_t n) {
    lanes->n = n;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) lanes->lowest[l] = INFINITY;
}

/* score/evidence.py:ridge_scores of supports of K columns at ridge r, from rss, w, diag P and P times
   the signs of w.

   Signs take most of the time. They lower the score of a common size by at most 2 K log 2, and are
   left out where that would still be negligible. */
SEVERAL_PATHS
void lanes_score(
    const Judge *judge, const Field *of, int64_t r, int64_t K, double volume, Lanes *lanes) {
    int64_t n = lanes->n;
    double dof = of->dof, floor = of->floor, kappa = judge->kappa[r];
    double *restrict rss = lanes->rss, *restrict total = lanes->total, *restrict sPs = lanes->sPs;
    double *restrict score = lanes->score, *restrict left = lanes->left;
    double *restrict step = lanes->step, *restrict residual = lanes->residual;
    double *restrict factor = lanes->factor, *restrict flips = lanes->flips;
    double *restrict lowest = lanes->lowest, *restrict sized = lanes->h;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) score[l] = dof * log_of(rss[l] > floor ? rss[l] : floor);
    if (!judge->has_common_size) {
        double more = volume + judge->zero_cost[r];
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) score[l] += more;
        return;
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        total[l] = sPs[l] = 0.0;
        flips[l] = 1.0;
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict w = lanes->w + i * n;
        double *restrict Ps = lanes->Ps + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            Ps[l] = w[l] < 0.0 ? -Ps[l] : Ps[l];
            total[l] += fabs(w[l]);
            sPs[l] += Ps[l];
        }
    }
    double least = SMALLEST_SHARE * (double)(K > 1 ? K : 1);
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        left[l] = (double)K - kappa * sPs[l];
        left[l] = left[l] > least ? left[l] : least;
        double a = total[l] / left[l], rest = rss[l] - kappa * total[l] * total[l] / left[l];
        residual[l] = rest > floor ? rest : floor;
        step[l] = kappa * a;
        factor[l] = 4.0 * step[l] / residual[l];
    }
    double decades = judge->decades_of_size, signs = 2.0 * (double)K * LOG_2;
    double zero_cost = judge->zero_cost[r], size_cost = judge->size_cost[r], needed = 0.0;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        double a = total[l] / left[l], prior = decades * a;
        double spread = sqrt(2.0 * PI * residual[l] / (dof * kappa * left[l]));
        double share = (spread < prior ? spread : prior) / (a > 0.0 ? prior : 1.0);
        share = a > 0.0 ? share : 1.0;
        sized[l] = dof * log_of(residual[l]) + (size_cost + volume) - 2.0 * log_of(share);
        score[l] += zero_cost + volume;
        lowest[l] = score[l] < lowest[l] ? score[l] : lowest[l];
        double most = sized[l] + signs;
        lowest[l] = most < lowest[l] ? most : lowest[l];
    }
    for (int64_t l = 0; l < n; l++) needed = sized[l] < lowest[l] + NEGLIGIBLE ? 1.0 : needed;
    for (int64_t i = 0; i < K && needed > 0.0; i++) {
        const double *restrict w = lanes->w + i * n, *restrict Ps = lanes->Ps + i * n;
        const double *restrict diagonal = lanes->diagonal + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            double raised = ((Ps[l] - diagonal[l]) * step[l] + fabs(w[l])) * factor[l];
            raised = raised > 0.0 ? raised : 0.0;
            flips[l] *= 1.0 + exp_of(log1p_of(raised) * (-0.5 * dof));
        }
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        double one = sized[l] + (signs - 2.0 * log_of(flips[l])), zero = score[l], apart = fabs(zero - one);
        score[l] = (zero < one ? zero : one) - 2.0 * log1p_of(exp_of(-0.5 * apart));
        lowest[l] = score[l] < lowest[l] ? score[l] : lowest[l];
    }
}

/* P (K, K), whose rows are `width` apart, times the signs. */
ALWAYS_INLINE void times_signs(const double *P, int64_t width, Lanes *lanes, int64_t K) {
    int64_t n = lanes->n;
    for (int64_t i = 0; i < K; i++) {
        double *restrict Ps = lanes->Ps + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) Ps[l] = 0.0;
        for (int64_t k = 0; k < K; k++) {
            const double *restrict signs = lanes->signs + k * n;
            double factor = P[i * width + k];
            INDEPENDENT
            for (int64_t l = 0; l < n; l++) Ps[l] += factor * signs[l];
        }
    }
}

ALWAYS_INLINE double sign_of(double w) {
    return w < 0.0 ? -1.0 : 1.0;
}

/* The support itself: score/updates.py:present. */
SEVERAL_PATHS
void lanes_present(const Judge *judge, const Tableau *t, Lanes *to) {
    int64_t D = t->D, K = t->K;
    to->rss[0] = t->rss;
    if (!judge->has_common_size) return;
    for (int64_t i = 0; i < K; i++) {
        to->w[i] = row_of(t, i)[D];
        to->signs[i] = sign_of(to->w[i]);
        to->diagonal[i] = row_of(t, i)[D + 1 + i];
    }
    times_signs(t->body + D + 1, t->width, to, K);
}

/* Column j has the place of member p, for n such pairs p D + j: score/updates.py:exchanged. */
SEVERAL_PATHS
void lanes_exchanged(
    const Judge *judge, const Tableau *t, const Ranked *places, Lanes *to) {
    int64_t D = t->D, K = t->K, n = to->n;
    double *restrict h = to->h, *restrict beta = to->beta, *restrict vs = to->total;
    double *restrict as = to->sPs, *restrict pp = to->own, *restrict u = to->step;
    double *restrict w_p = to->factor;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        int64_t p = places[l].place / D, j = places[l].place % D;
        const double *row = row_of(t, p);
        pp[l] = row[D + 1 + p];
        w_p[l] = row[D];
        u[l] = row[j];
        h[l] = t->h[j];
        beta[l] = t->e[j];
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        h[l] += u[l] * u[l] / pp[l];
        beta[l] = (beta[l] + w_p[l] * u[l] / pp[l]) / h[l];
        to->rss[l] = t->rss + w_p[l] * w_p[l] / pp[l] - beta[l] * beta[l] * h[l];
        vs[l] = as[l] = 0.0;
    }
    if (!judge->has_common_size) return;
    for (int64_t i = 0; i < K; i++) {
        const double *own = row_of(t, i);
        double *restrict a = to->a + i * n, *restrict v = to->v + i * n;
        double *restrict w = to->w + i * n, *restrict diagonal = to->diagonal + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            a[l] = own[D + 1 + places[l].place / D];
            v[l] = own[places[l].place % D];
        }
        double w_i = own[D], P_i = own[D + 1 + i];
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            a[l] /= pp[l];
            v[l] -= a[l] * u[l];
            w[l] = w_i - a[l] * w_p[l];
            double rest = P_i - a[l] * a[l] * pp[l];
            diagonal[l] = rest > 0.0 ? rest : 0.0;
        }
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        int64_t at = places[l].place / D * n + l;
        to->v[at] = -1.0;
        to->w[at] = to->diagonal[at] = 0.0;
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict v = to->v + i * n;
        double *restrict w = to->w + i * n, *restrict diagonal = to->diagonal + i * n;
        double *restrict signs = to->signs + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            w[l] -= v[l] * beta[l];
            diagonal[l] += v[l] * v[l] / h[l];
            signs[l] = w[l] < 0.0 ? -1.0 : 1.0;
        }
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) to->signs[places[l].place / D * n + l] = 0.0;
    for (int64_t i = 0; i < K; i++) {
        const double *restrict v = to->v + i * n, *restrict a = to->a + i * n;
        const double *restrict signs = to->signs + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            vs[l] += v[l] * signs[l];
            as[l] += a[l] * signs[l];
        }
    }
    times_signs(t->body + D + 1, t->width, to, K);
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        vs[l] = (vs[l] - (beta[l] < 0.0 ? -1.0 : 1.0)) / h[l];
        as[l] *= pp[l];
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict a = to->a + i * n;
        double *restrict Ps = to->Ps + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) Ps[l] -= a[l] * as[l];
    }
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) to->Ps[places[l].place / D * n + l] = 0.0;
    for (int64_t i = 0; i < K; i++) {
        const double *restrict v = to->v + i * n;
        double *restrict Ps = to->Ps + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) Ps[l] += v[l] * vs[l];
    }
}

/* One column more, the last member, for n columns from `first` on: score/updates.py:added. */
SEVERAL_PATHS
void lanes_added(const Judge *judge, const Tableau *t, int64_t first, Lanes *to) {
    int64_t D = t->D, K = t->K, n = to->n;
    double *restrict h = to->h, *restrict beta = to->beta, *restrict vs = to->total;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        h[l] = t->h[first + l];
        beta[l] = t->e[first + l] / h[l];
        to->rss[l] = t->rss - beta[l] * t->e[first + l];
    }
    if (!judge->has_common_size) return;
    double *restrict last = to->signs + K * n;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        to->w[K * n + l] = beta[l];
        to->diagonal[K * n + l] = 1.0 / h[l];
        last[l] = beta[l] < 0.0 ? -1.0 : 1.0;
        vs[l] = -last[l];
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict own = row_of(t, i) + first, w_i = row_of(t, i)[D];
        double *restrict w = to->w + i * n, *restrict diagonal = to->diagonal + i * n;
        double *restrict signs = to->signs + i * n, P_i = row_of(t, i)[D + 1 + i];
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) {
            w[l] = w_i - own[l] * beta[l];
            diagonal[l] = P_i + own[l] * own[l] / h[l];
            signs[l] = w[l] < 0.0 ? -1.0 : 1.0;
            vs[l] += own[l] * signs[l];
        }
    }
    times_signs(t->body + D + 1, t->width, to, K);
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        vs[l] /= h[l];
        to->Ps[K * n + l] = -vs[l];
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict own = row_of(t, i) + first;
        double *restrict Ps = to->Ps + i * n;
        INDEPENDENT
        for (int64_t l = 0; l < n; l++) Ps[l] += own[l] * vs[l];
    }
}

/* Member p is left out, for n members from `first` on: score/updates.py:left_out. */
SEVERAL_PATHS
void lanes_left_out(const Judge *judge, const Tableau *t, int64_t first, Lanes *to) {
    int64_t D = t->D, K = t->K, n = to->n;
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        const double *row = row_of(t, first + l), *P = row + D + 1;
        double pp = P[first + l], w_p = row[D], as = 0.0;
        to->rss[l] = t->rss + w_p * w_p / pp;
        if (!judge->has_common_size) continue;
        for (int64_t i = 0; i < K; i++) {
            const double *own = row_of(t, i);
            double a = P[i] / pp, rest = own[D + 1 + i] - a * a * pp, w = own[D] - a * w_p;
            int64_t at = i * n + l;
            to->a[at] = a;
            to->w[at] = w;
            to->diagonal[at] = rest > 0.0 ? rest : 0.0;
            to->signs[at] = i == first + l ? 0.0 : sign_of(w);
            as += P[i] * to->signs[at];
        }
        to->beta[l] = as;
    }
    if (!judge->has_common_size) return;
    times_signs(t->body + D + 1, t->width, to, K);
    INDEPENDENT
    for (int64_t l = 0; l < n; l++) {
        for (int64_t i = 0; i < K; i++) to->Ps[i * n + l] -= to->a[i * n + l] * to->beta[l];
        /* Those that stay close the gap. */
        for (int64_t i = first + l; i + 1 < K; i++) {
            to->w[i * n + l] = to->w[(i + 1) * n + l];
            to->diagonal[i * n + l] = to->diagonal[(i + 1) * n + l];
            to->Ps[i * n + l] = to->Ps[(i + 1) * n + l];
        }
    }
}
