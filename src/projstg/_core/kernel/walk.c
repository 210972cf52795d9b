/* Walks by exchanges: down to a local optimum, or on from one local optimum to others.

   search/walk.py says what they lower and why. */

#include <stdlib.h>

#include "kernel.h"

/* A step that no walk reaches. */
#define NEVER ((int64_t)1 << 40)
/* The smallest of a row is found in so many lanes. */
#define LANES 8

typedef struct {
    int64_t p, j;
    double change;
} Swap;

/* Bounds from below of the objectives of one member's exchanges, (D,), in units of log 2; returns the
   lowest. With rough logarithms they are off by up to 0.01 ν. */
SEVERAL_PATHS
static double bounds(
    const Tableau *t, int64_t p, const double *restrict cost, double dof, double floor,
    int counts_log_det, double *restrict bound) {
    int64_t D = t->D;
    const double *restrict U = row_of(t, p), *restrict e = t->e, *restrict h = t->h;
    Leaver one = leaver_of(t, p);
    /* ν log(num/den) + log(den p) without a division: the second logarithm from above. */
    double share = counts_log_det ? dof - 1.0 : dof;
    double same = (counts_log_det ? log_of(one.p) / LOG_2 : 0.0) - share * ROUGHLY;
    INDEPENDENT
    for (int64_t j = 0; j < D; j++) {
        double v = U[j] * one.root, fit = v * one.omega + e[j], den = v * v + h[j];
        den = den > TINY ? den : TINY;
        double num = one.without * den - fit * fit, least = floor * den;
        num = num > least ? num : least;
        bound[j] = dof * rough_log2(num) - share * rough_log2(den) + (same + cost[j]);
    }
    double lowest[LANES];
    for (int l = 0; l < LANES; l++) {
        bound[D + l] = INFINITY;
        lowest[l] = INFINITY;
    }
    for (int64_t j = 0; j < D; j += LANES)
        for (int l = 0; l < LANES; l++)
            lowest[l] = bound[j + l] < lowest[l] ? bound[j + l] : lowest[l];
    double found = lowest[0];
    for (int l = 1; l < LANES; l++) found = lowest[l] < found ? lowest[l] : found;
    return found;
}

/* The best permitted exchange; an infinite change if there is none.

   A logarithm is taken only of exchanges that may be the best: bounds tell. */
static Swap best_swap(Walk *walk) {
    const Field *field = walk->field;
    Tableau *t = &walk->tableau;
    double dof = field->dof, floor = field->floor, *bound = walk->bound;
    if (walk->step % walk->refresh == 0) tableau_fresh(t, field, walk->members, walk->ridge);
    for (int64_t j = 0; j < t->D; j++)
        walk->cost[j] = walk->excluded_until[j] > walk->step ? INFINITY : 0.0;
    int64_t D = t->D, K = t->K, width = D + LANES, first = -1;
    for (int64_t p = 0; p < K; p++) {
        walk->lowest[p] = INFINITY;
        if (walk->locked_until[p] <= walk->step)
            walk->lowest[p] = bounds(
                t, p, walk->cost, dof, floor, walk->counts_log_det, bound + p * width);
        if (walk->lowest[p] < INFINITY && (first < 0 || walk->lowest[p] < walk->lowest[first]))
            first = p;
    }
    Swap best = {0, 0, INFINITY};
    double most = INFINITY; /* a bound above it is not of the best */
    for (int64_t turn = -1; turn < K && first >= 0; turn++) {
        /* The member with the lowest bound comes first, so that few others are looked at. */
        int64_t p = turn < 0 ? first : turn;
        if (turn == first || !(walk->lowest[p] <= most)) continue;
        Leaver one = leaver_of(t, p);
        const double *U = row_of(t, p), *own = bound + p * width;
        for (int64_t j = 0; j < D; j++) {
            if (!(own[j] <= most)) continue;
            Left left = left_by(one, U[j], t->e[j], t->h[j], floor);
            double objective = dof * log_of(left.rss) + walk->cost[j];
            if (walk->counts_log_det) objective += log_of(left.volume);
            /* Of equal ones the first counts, members before columns. */
            int is_before = objective == best.change && p < best.p;
            if (objective < best.change || is_before) {
                best = (Swap){p, j, objective};
                most = objective * (1.0 / LOG_2);
            }
        }
    }
    double rss = t->rss > floor ? t->rss : floor;
    best.change -= dof * log_of(rss);
    return best;
}

static void move(Walk *walk, Swap swap, int64_t excluded_for, int64_t locked_for) {
    int64_t *members = walk->members;
    tableau_exchange(&walk->tableau, walk->field, members, swap.p, swap.j);
    walk->step++;
    walk->excluded_until[members[swap.p]] = walk->step + excluded_for;
    walk->excluded_until[swap.j] = NEVER;
    walk->locked_until[swap.p] = walk->step + locked_for;
    members[swap.p] = swap.j;
}

static void begin(Walk *walk, const int64_t *members, double ridge) {
    const Field *field = walk->field;
    int64_t K = walk->tableau.K;
    walk->ridge = ridge;
    walk->step = 0;
    for (int64_t j = 0; j < field->D; j++)
        walk->excluded_until[j] = field->excluded[j] ? NEVER : 0;
    for (int64_t i = 0; i < K; i++) {
        walk->members[i] = members[i];
        walk->excluded_until[members[i]] = NEVER;
        walk->locked_until[i] = field->locked[members[i]] ? NEVER : 0;
    }
}

int walk_open(Walk *walk, const Field *field, int64_t K) {
    int64_t D = field->D, size = tableau_size(D, K);
    double *numbers = malloc((size_t)(size + D + K + K * (D + LANES)) * sizeof(double));
    int64_t *places = malloc((size_t)(2 * K + D) * sizeof(int64_t));
    if (!numbers || !places) {
        free(numbers);
        free(places);
        return NO_MEMORY;
    }
    walk->field = field;
    tableau_place(&walk->tableau, D, K, numbers);
    walk->cost = numbers + size;
    walk->lowest = walk->cost + D;
    walk->bound = walk->lowest + K;
    walk->members = places;
    walk->locked_until = places + K;
    walk->excluded_until = places + 2 * K;
    return 0;
}

void walk_close(Walk *walk) {
    free(walk->tableau.body);
    free(walk->members);
}

void walk_down(Walk *walk, const int64_t *members, double ridge, int64_t most_steps) {
    begin(walk, members, ridge);
    while (walk->step < most_steps) {
        Swap swap = best_swap(walk);
        if (!(swap.change < -walk->tolerance)) return;
        move(walk, swap, 0, 0);
    }
}

/* A number that tells supports apart, whatever the order of their members. */
static uint64_t key_of(const int64_t *members, int64_t K) {
    uint64_t key = 0;
    for (int64_t i = 0; i < K; i++) {
        uint64_t x = (uint64_t)members[i] + 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        key ^= x ^ (x >> 31);
    }
    return key;
}

/* Keep a local optimum among the lowest, in the order of heights; each only once. */
static void keep_optimum(
    const int64_t *members, int64_t K, double height, int64_t n_local_optima, int64_t *optima,
    double *heights, int64_t *n) {
    uint64_t key = key_of(members, K);
    int64_t place = *n, last = *n;
    for (int64_t i = 0; i < *n; i++)
        if (key_of(optima + i * K, K) == key) {
            if (!(height < heights[i])) return;
            last = place = i;
        }
    while (place > 0 && height < heights[place - 1]) place--;
    if (place == n_local_optima) return;
    if (last == n_local_optima) last--;
    size_t one = (size_t)K * sizeof(int64_t), moved = (size_t)(last - place);
    memmove(optima + (place + 1) * K, optima + place * K, moved * one);
    memmove(heights + place + 1, heights + place, moved * sizeof(double));
    memcpy(optima + place * K, members, one);
    heights[place] = height;
    if (last == *n) ++*n;
}

void walk_on(
    Walk *walk, const int64_t *members, double ridge, int64_t without, const Wandering *far,
    int64_t *optima, double *heights, int64_t *n) {
    int64_t K = walk->tableau.K;
    double height = 0.0;
    *n = 0;
    begin(walk, members, ridge);
    if (without >= 0) walk->excluded_until[without] = NEVER;
    while (walk->step < far->length) {
        Swap swap = best_swap(walk);
        int is_last = walk->step == far->length - 1;
        if (swap.change >= -walk->tolerance || (is_last && *n == 0))
            keep_optimum(walk->members, K, height, far->n_local_optima, optima, heights, n);
        if (!(swap.change < INFINITY)) return;
        height += swap.change;
        move(walk, swap, far->excluded_for, far->locked_for);
    }
}
