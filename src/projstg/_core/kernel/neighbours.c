/* The scores of all supports one column away: score/neighbours.py. The judge counts the volume. */

#include <stdlib.h>

#include "kernel.h"

/* nu log(rss') of the exchanges of member p, (D,). */
SEVERAL_PATHS
static void residual_scores(
    const Tableau *t, int64_t p, double dof, double floor, double more, double *restrict out) {
    int64_t D = t->D;
    const double *restrict U = row_of(t, p), *restrict e = t->e, *restrict h = t->h;
    Leaver one = leaver_of(t, p);
    for (int64_t j = 0; j < D; j++) {
        Left left = left_by(one, U[j], e[j], h[j], floor);
        out[j] = log_of(left.rss) * dof + more;
    }
}

/* -2 log of the sum of exp(-score/2) over tables (R, n) of finite scores, (n,). */
SEVERAL_PATHS
static void totals(const double *table, int64_t R, int64_t n, double *restrict lowest, double *restrict out) {
    for (int64_t q = 0; q < n; q++) {
        lowest[q] = table[q];
        out[q] = 0.0;
    }
    for (int64_t r = 1; r < R; r++) {
        const double *restrict own = table + r * n;
        for (int64_t q = 0; q < n; q++) lowest[q] = own[q] < lowest[q] ? own[q] : lowest[q];
    }
    for (int64_t r = 0; r < R; r++) {
        const double *restrict own = table + r * n;
        for (int64_t q = 0; q < n; q++) out[q] += exp_of(-0.5 * (own[q] - lowest[q]));
    }
    for (int64_t q = 0; q < n; q++) out[q] = lowest[q] - 2.0 * log_of(out[q]);
}

/* The `size` smallest of n scores, in no order: a heap with the largest on top. Returns how many
   are finite and in it. */
static int64_t smallest_of(const double *scores, int64_t n, Ranked *heap, int64_t size) {
    int64_t filled = 0;
    for (int64_t q = 0; q < n; q++) {
        double score = scores[q];
        if (!(score < INFINITY)) continue;
        int64_t at;
        if (filled < size) {
            at = filled++;
            while (at > 0 && heap[(at - 1) / 2].score < score) {
                heap[at] = heap[(at - 1) / 2];
                at = (at - 1) / 2;
            }
        } else {
            if (score >= heap[0].score) continue;
            at = 0;
            for (int64_t child = 1; child < size; child = 2 * at + 1) {
                if (child + 1 < size && heap[child + 1].score > heap[child].score) child++;
                if (heap[child].score <= score) break;
                heap[at] = heap[child];
                at = child;
            }
        }
        heap[at] = (Ranked){score, q};
    }
    return filled;
}

int has_enough_digits(const Field *field, const Tableau *states, int64_t R, double rounding) {
    double yy = field->yy > 0.0 ? field->yy : 1.0;
    for (int64_t r = 0; r < R; r++) {
        const Tableau *t = states + r;
        double most = 0.0;
        for (int64_t i = 0; i < t->K; i++) {
            double p = row_of(t, i)[t->D + 1 + i];
            most = p > most ? p : most;
        }
        if (t->K && !(t->rss / yy > rounding * field->dof * most * field->n)) return 0;
    }
    return 1;
}

int neighbours_open(Neighbours *of, const Judge *judge, int64_t D, int64_t K, int64_t n_exact) {
    int64_t R = judge->R, size = tableau_size(D, K);
    int64_t n_swaps = (K > 1 ? K : 1) * D > MOST_LANES ? (K > 1 ? K : 1) * D : MOST_LANES;
    if (n_exact > K * D) n_exact = K * D;
    int64_t numbers = R * size + 2 * inverse_size(D, K) + lanes_size(K + 1) + R * n_swaps +
                      2 * n_swaps + K * D + 2 * D + R;
    of->memory = malloc((size_t)numbers * sizeof(double));
    of->states = malloc((size_t)R * sizeof(Tableau));
    of->heap = malloc((size_t)(n_exact + 1) * sizeof(Ranked));
    of->order = malloc((size_t)R * sizeof(int64_t));
    of->D = D;
    of->K = K;
    of->n_exact = n_exact;
    if (!of->memory || !of->states || !of->heap || !of->order) {
        neighbours_close(of);
        return NO_MEMORY;
    }
    double *next = of->memory;
    for (int64_t r = 0; r < R; r++, next += size) tableau_place(of->states + r, D, K, next);
    next = dilution_place(&of->dilution, next, D, K);
    of->effects = next;
    next += lanes_size(K + 1);
    of->tables = next;
    next += R * n_swaps;
    of->lowest = next;
    next += n_swaps;
    of->exchanged = next;
    next += n_swaps;
    of->diluted = next;
    next += K * D;
    of->added_cost = next;
    next += D;
    of->in_doubt = next;
    next += D;
    of->by_ridge = next;
    return 0;
}

void neighbours_close(Neighbours *of) {
    free(of->memory);
    free(of->states);
    free(of->heap);
    free(of->order);
}

/* Fills of->exchanged (K, D), of->present and of->is_clear; with `added` (D,) and `left_out` (K,),
   unless they are NULL, the neighbours of other sizes. */
void neighbours_fill(
    Neighbours *of, const Field *field, const Judge *judge, const int64_t *members,
    double least_ridge, double rounding, double *added_scores, double *left_scores) {
    int64_t R = judge->R, D = of->D, K = of->K, stride = judge->n_sizes;
    const double *volume = judge->volume;
    Lanes lanes;
    lanes_place(&lanes, of->effects, K + 1);
    for (int64_t r = 0; r < R; r++) {
        double kappa = judge->kappa[r];
        tableau_fresh(of->states + r, field, members, kappa > least_ridge ? kappa : least_ridge);
    }
    of->is_clear = has_enough_digits(field, of->states, R, rounding);
    if (judge->is_diluted)
        dilution_fill(&of->dilution, field, members, K, judge->repeated);
    else
        of->dilution.now = 0.0;
    memset(of->in_doubt, 0, (size_t)D * sizeof(double));
    /* The support itself. */
    lanes_begin(&lanes, 1);
    for (int64_t r = 0; r < R; r++) {
        lanes_present(judge, of->states + r, &lanes);
        lanes_score(judge, field, r, K, volume[r * stride + K], &lanes);
        of->by_ridge[r] = lanes.score[0];
    }
    of->present = total_score(of->by_ridge, R) + of->dilution.now;
    /* The ridges that count most come first. */
    for (int64_t r = 0; r < R; r++) {
        int64_t place = r;
        for (; place > 0 && of->by_ridge[of->order[place - 1]] > of->by_ridge[r]; place--)
            of->order[place] = of->order[place - 1];
        of->order[place] = r;
    }
    /* Exchanges, ranked as if effects were around zero. */
    for (int64_t r = 0; r < R; r++) {
        double zero = judge->zero_cost[r], size = judge->size_cost[r];
        double more = volume[r * stride + K] + (zero < size ? zero : size);
        for (int64_t p = 0; p < K; p++)
            residual_scores(
                of->states + r, p, field->dof, field->floor, more,
                of->tables + r * K * D + p * D);
    }
    if (K) totals(of->tables, R, K * D, of->lowest, of->exchanged);
    for (int64_t p = 0; p < K; p++) {
        double *cost = of->diluted + p * D, *row = of->exchanged + p * D;
        if (judge->is_diluted)
            dilution_exchanged(&of->dilution, D, K, p, cost, of->in_doubt);
        else
            memset(cost, 0, (size_t)D * sizeof(double));
        for (int64_t j = 0; j < D; j++) row[j] += cost[j];
        if (field->locked[members[p]])
            for (int64_t j = 0; j < D; j++) row[j] = INFINITY;
    }
    for (int64_t j = 0; j < D; j++)
        if (field->excluded[j])
            for (int64_t p = 0; p < K; p++) of->exchanged[p * D + j] = INFINITY;
    for (int64_t i = 0; i < K; i++)
        for (int64_t p = 0; p < K; p++) of->exchanged[p * D + members[i]] = INFINITY;
    if (judge->has_common_size && K) {
        Ranked *heap = of->heap;
        int64_t n = smallest_of(of->exchanged, K * D, heap, of->n_exact);
        for (int64_t q = 0; q < K * D; q++) of->exchanged[q] = INFINITY;
        for (int64_t first = 0; first < n; first += MOST_LANES) {
            int64_t some = n - first < MOST_LANES ? n - first : MOST_LANES;
            lanes_begin(&lanes, some);
            for (int64_t turn = 0; turn < R; turn++) {
                int64_t r = of->order[turn];
                lanes_exchanged(judge, of->states + r, heap + first, &lanes);
                lanes_score(judge, field, r, K, volume[r * stride + K], &lanes);
                memcpy(of->tables + r * some, lanes.score, (size_t)some * sizeof(double));
            }
            totals(of->tables, R, some, of->lowest, lanes.score);
            for (int64_t l = 0; l < some; l++) {
                int64_t q = heap[first + l].place;
                of->exchanged[q] = lanes.score[l] + of->diluted[q];
            }
        }
    }
    /* Is it clear which of them are dependent? */
    if (judge->is_diluted) {
        dilution_entered(&of->dilution, D, of->added_cost, of->in_doubt);
        for (int64_t i = 0; i < K; i++) of->in_doubt[members[i]] = 0.0;
        for (int64_t j = 0; j < D; j++)
            if (of->in_doubt[j] > 0.0 && !field->excluded[j]) of->is_clear = 0;
    } else {
        memset(of->added_cost, 0, (size_t)D * sizeof(double));
    }
    if (!added_scores) return;
    for (int64_t first = 0; first < D; first += MOST_LANES) {
        int64_t some = D - first < MOST_LANES ? D - first : MOST_LANES;
        lanes_begin(&lanes, some);
        for (int64_t turn = 0; turn < R; turn++) {
            int64_t r = of->order[turn];
            lanes_added(judge, of->states + r, first, &lanes);
            lanes_score(judge, field, r, K + 1, volume[r * stride + K + 1], &lanes);
            memcpy(of->tables + r * D + first, lanes.score, (size_t)some * sizeof(double));
        }
    }
    totals(of->tables, R, D, of->lowest, added_scores);
    for (int64_t j = 0; j < D; j++)
        added_scores[j] = field->excluded[j] ? INFINITY : added_scores[j] + of->added_cost[j];
    for (int64_t i = 0; i < K; i++) added_scores[members[i]] = INFINITY;
    for (int64_t first = 0; first < K; first += MOST_LANES) {
        int64_t some = K - first < MOST_LANES ? K - first : MOST_LANES;
        lanes_begin(&lanes, some);
        for (int64_t turn = 0; turn < R; turn++) {
            int64_t r = of->order[turn];
            lanes_left_out(judge, of->states + r, first, &lanes);
            lanes_score(judge, field, r, K - 1, volume[r * stride + K - 1], &lanes);
            memcpy(of->tables + r * some, lanes.score, (size_t)some * sizeof(double));
        }
        totals(of->tables, R, some, of->lowest, lanes.score);
        for (int64_t l = 0; l < some; l++) {
            int64_t p = first + l;
            double cost = judge->is_diluted ? dilution_left_out(&of->dilution, K, p) : 0.0;
            left_scores[p] = field->locked[members[p]] ? INFINITY : lanes.score[l] + cost;
        }
    }
}

/* A support, and the scores of it and its neighbours. */
typedef struct {
    int64_t K, n_exact;
    double least_ridge, rounding;
    const int64_t *members;       /* (K,) */
    double *present, *exchanged;  /* (1,) and (K, D) */
    double *added, *left_out;     /* (D,) and (K,), or NULL */
} Around;

RECORD(Around)

/* Score them. Returns whether rounding is small in all of them, or NO_MEMORY. */
EXPORTED int64_t projstg_neighbours(const Field *field, const Judge *judge, const Around *to) {
    Neighbours of;
    if (neighbours_open(&of, judge, field->D, to->K, to->n_exact)) return NO_MEMORY;
    neighbours_fill(
        &of, field, judge, to->members, to->least_ridge, to->rounding, to->added, to->left_out);
    *to->present = of.present;
    memcpy(to->exchanged, of.exchanged, (size_t)(to->K * field->D) * sizeof(double));
    int64_t is_clear = of.is_clear;
    neighbours_close(&of);
    return is_clear;
}
