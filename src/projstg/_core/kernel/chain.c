/* Supports drawn from their posterior: posterior/chain.py says how, and why that is the posterior.
   None of the columns is redundant.

   Draws come from a generator of NumPy, in the order in which that code draws. */

#include <stdlib.h>

#include "kernel.h"

/* Instead of zero under a logarithm. */
#define TINIEST 1e-300

/* Rows that are computed once, and found again by a key: a mask (D,) of columns, and a number. */
typedef struct {
    int64_t D, n, room, n_slots;
    int64_t *slots;  /* places in the list, plus one; zero where there is none */
    int64_t *number; /* (n,) */
    uint8_t *masks;  /* (n, D) */
    int64_t width;
    double *values; /* (n, width) */
} Once;

/* posterior/chain.py:Chains. */
typedef struct {
    const Field *field;
    const Judge *judge;
    int64_t C, D;
    double *cost_of_size, *own, *stays, *grows; /* by size */
    double *doubt, *log_doubt;                  /* (D,) */
    uint8_t *masks, *base;                      /* (C, D) and (D,) */
    int64_t *ridge;                             /* (C,) */
    double *draws;                              /* (2 C,) */
    int64_t *members;                           /* (D,) */
    double *costs, *more, *in_doubt;            /* (D + 1,) */
    Once blocks, supports;
    double *memory; /* of a tableau, lanes, a dilution, a rank; grows with the size of supports */
    int64_t memory_for;
    Scorer scorer;
    int64_t scorer_for;
    int is_out_of_memory;
} Chains;

static uint64_t key_of(const uint8_t *mask, int64_t D, int64_t number) {
    uint64_t key = 0xcbf29ce484222325u ^ (uint64_t)number;
    for (int64_t j = 0; j < D; j++)
        if (mask[j]) {
            key = (key ^ (uint64_t)(j + 1)) * 0x9e3779b97f4a7c15u;
            key ^= key >> 29;
        }
    return key;
}

static int once_open(Once *once, int64_t D, int64_t width) {
    *once = (Once){.D = D, .width = width, .room = 256, .n_slots = 1024};
    once->slots = calloc((size_t)once->n_slots, sizeof(int64_t));
    once->number = malloc((size_t)once->room * sizeof(int64_t));
    once->masks = malloc((size_t)(once->room * D));
    once->values = malloc((size_t)(once->room * width) * sizeof(double));
    return once->slots && once->number && once->masks && once->values ? 0 : NO_MEMORY;
}

static void once_close(Once *once) {
    free(once->slots);
    free(once->number);
    free(once->masks);
    free(once->values);
}

static int64_t once_find(const Once *once, const uint8_t *mask, int64_t number, int64_t *slot) {
    uint64_t most = (uint64_t)once->n_slots - 1;
    uint64_t at = key_of(mask, once->D, number) & most;
    for (; once->slots[at]; at = (at + 1) & most) {
        int64_t place = once->slots[at] - 1;
        const uint8_t *other = once->masks + place * once->D;
        if (once->number[place] == number && !memcmp(other, mask, (size_t)once->D)) return place;
    }
    *slot = (int64_t)at;
    return -1;
}

static int once_grow(Once *once) {
    int64_t room = 2 * once->room, n_slots = 4 * room, slot = 0;
    int64_t *number = realloc(once->number, (size_t)room * sizeof(int64_t));
    if (number) once->number = number;
    uint8_t *masks = realloc(once->masks, (size_t)(room * once->D));
    if (masks) once->masks = masks;
    double *values = realloc(once->values, (size_t)(room * once->width) * sizeof(double));
    if (values) once->values = values;
    int64_t *slots = calloc((size_t)n_slots, sizeof(int64_t));
    if (!number || !masks || !values || !slots) {
        free(slots);
        return NO_MEMORY;
    }
    free(once->slots);
    once->slots = slots;
    once->n_slots = n_slots;
    once->room = room;
    for (int64_t place = 0; place < once->n; place++) {
        if (number[place] < 0) continue; /* it has no key */
        once_find(once, masks + place * once->D, number[place], &slot);
        slots[slot] = place + 1;
    }
    return 0;
}

/* A new row for a key, or without one where the number is negative; its place, or -1 without
   memory. */
static int64_t once_add(Once *once, const uint8_t *mask, int64_t number) {
    int64_t slot = 0;
    if (once->n == once->room && once_grow(once)) return -1;
    if (number >= 0) {
        once_find(once, mask, number, &slot);
        once->slots[slot] = once->n + 1;
    }
    once->number[once->n] = number;
    memcpy(once->masks + once->n * once->D, mask, (size_t)once->D);
    return once->n++;
}

static double *once_row(const Once *once, int64_t place) {
    return once->values + place * once->width;
}

static int64_t members_of(const uint8_t *mask, int64_t D, int64_t *members) {
    int64_t K = 0;
    for (int64_t j = 0; j < D; j++)
        if (mask[j]) members[K++] = j;
    return K;
}

static int64_t dependence_size(int64_t K) {
    return 2 * K * K + 5 * K;
}

/* Whether columns depend on each other by the rule for rank (score/dilution.py:is_dependent);
   `memory` has dependence_size(K) numbers. */
static int is_dependent(const Field *field, const int64_t *members, int64_t K, double *memory) {
    double *A = memory, *Vt = A + K * K, *values = Vt + K * K, largest = 0.0;
    for (int64_t i = 0; i < K; i++)
        for (int64_t k = 0; k < K; k++)
            A[i * K + k] = field->G[members[i] * field->D + members[k]];
    spectrum_of(A, values, Vt, values + K, K);
    for (int64_t d = 0; d < K; d++) largest = values[d] > largest ? values[d] : largest;
    int found = 0;
    for (int64_t d = 0; d < K; d++) found |= !(values[d] > SMALLEST_SHARE * largest);
    return found;
}

/* What repeated columns add to the cost of each column more, (D,). */
static void entering(Chains *chains, int64_t K, double *memory) {
    const Field *field = chains->field;
    int64_t D = chains->D;
    double *own = memory + entering_size(D, K);
    dilution_entering(
        field, chains->members, K, chains->judge->repeated, memory, chains->more,
        chains->in_doubt);
    for (int64_t j = 0; j < D; j++) {
        if (chains->in_doubt[j] > 0.0 && !chains->base[j] && !field->excluded[j]) {
            chains->members[K] = j;
            if (is_dependent(field, chains->members, K + 1, own)) chains->more[j] = INFINITY;
        }
    }
}

/* The probabilities within the block of chains->base at a ridge, (D + 1,); zero where nothing is
   possible. */
static void shares_of(Chains *chains, int64_t r, double *shares) {
    const Field *field = chains->field;
    const Judge *judge = chains->judge;
    int64_t D = chains->D, K = members_of(chains->base, D, chains->members);
    int64_t stride = judge->n_sizes;
    if (K > chains->memory_for || !chains->memory) {
        int64_t for_size = 2 * K + 8;
        free(chains->memory);
        chains->memory = malloc(
            (size_t)(tableau_size(D, for_size) + lanes_size(for_size + 1) +
                     entering_size(D, for_size) + dependence_size(for_size + 1)) *
            sizeof(double));
        chains->memory_for = for_size;
        if (!chains->memory) {
            chains->is_out_of_memory = 1;
            return;
        }
    }
    double *next = chains->memory, *costs = chains->costs;
    Tableau t;
    tableau_place(&t, D, K, next);
    next += tableau_size(D, K);
    Lanes lanes;
    lanes_place(&lanes, next, K + 1);
    next += lanes_size(K + 1);
    tableau_fresh(&t, field, chains->members, judge->kappa[r]);
    for (int64_t first = 0; first < D; first += MOST_LANES) {
        lanes_begin(&lanes, D - first < MOST_LANES ? D - first : MOST_LANES);
        lanes_added(judge, &t, first, &lanes);
        lanes_score(judge, field, r, K + 1, judge->volume[r * stride + K + 1], &lanes);
        memcpy(costs + first, lanes.score, (size_t)lanes.n * sizeof(double));
    }
    lanes_begin(&lanes, 1);
    lanes_present(judge, &t, &lanes);
    lanes_score(judge, field, r, K, judge->volume[r * stride + K], &lanes);
    costs[D] = lanes.score[0] + chains->stays[K];
    if (judge->is_diluted)
        entering(chains, K, next);
    else
        memset(chains->more, 0, (size_t)D * sizeof(double));
    /* A support of one column j more chooses this base with (1 - own(K + 1)) d_j / sum of d. */
    double base = 0.0, lowest = costs[D], sum = 0.0;
    for (int64_t j = 0; j < D; j++)
        if (chains->base[j]) base += chains->doubt[j];
    for (int64_t j = 0; j < D; j++) {
        double doubt = base + chains->doubt[j];
        double log_share = chains->log_doubt[j] - log_of(doubt > TINIEST ? doubt : TINIEST);
        costs[j] += chains->more[j] + (chains->grows[K] - 2.0 * log_share);
        if (chains->base[j] || field->excluded[j]) costs[j] = INFINITY;
        lowest = costs[j] < lowest ? costs[j] : lowest;
    }
    if (!(lowest < INFINITY)) lowest = 0.0;
    for (int64_t j = 0; j <= D; j++) {
        shares[j] = exp_of(-0.5 * (costs[j] - lowest));
        sum += shares[j];
    }
    for (int64_t j = 0; j <= D; j++) shares[j] /= sum > TINIEST ? sum : TINIEST;
}

/* The place of a chain's block with chains->base, or -1 without memory. */
static int64_t block_of(Chains *chains, int64_t c) {
    Once *blocks = &chains->blocks;
    int64_t D = chains->D, slot = 0, r = chains->ridge[c];
    int64_t place = once_find(blocks, chains->base, r, &slot);
    if (place < 0) {
        place = once_add(blocks, chains->base, r);
        if (place < 0) return -1;
        shares_of(chains, r, once_row(blocks, place));
        if (chains->is_out_of_memory) return -1;
    }
    double sum = 0.0, *shares = once_row(blocks, place);
    for (int64_t j = 0; j <= D; j++) sum += shares[j];
    if (sum > 0.0) return place;
    /* Where rounding makes all supports of a block dependent, the chain stays. */
    place = once_add(blocks, chains->base, -1);
    if (place < 0) return -1;
    shares = once_row(blocks, place);
    memset(shares, 0, (size_t)(D + 1) * sizeof(double));
    int64_t at = D;
    for (int64_t j = D - 1; j >= 0; j--)
        if (chains->masks[c * D + j] && !chains->base[j]) at = j;
    shares[at] = 1.0;
    return place;
}

static void fill_draws(const Generator *generator, double *draws, int64_t n) {
    for (int64_t i = 0; i < n; i++) draws[i] = generator->next_double(generator->state);
}

/* The scores of a support at each ridge, and its cost, computed once: its place, or -1. */
static int64_t support_of(Chains *chains, const uint8_t *mask) {
    Once *supports = &chains->supports;
    int64_t D = chains->D, R = chains->judge->R, slot = 0;
    int64_t place = once_find(supports, mask, 0, &slot);
    if (place >= 0) return place;
    place = once_add(supports, mask, 0);
    if (place < 0) return -1;
    int64_t K = members_of(mask, D, chains->members);
    if (K != chains->scorer_for) {
        scorer_close(&chains->scorer);
        chains->scorer_for = -1;
        if (scorer_open(&chains->scorer, chains->field, chains->judge, NULL, K, 0)) return -1;
        chains->scorer_for = K;
    }
    double *row = once_row(supports, place);
    double score = score_of(&chains->scorer, chains->members), dilution = chains->scorer.dilution;
    memcpy(row, chains->scorer.by_ridge, (size_t)R * sizeof(double));
    if (!(dilution < INFINITY)) score = total_score(row, R) + chains->scorer.repeated;
    row[R] = score + chains->cost_of_size[K];
    return place;
}

/* Draw each chain's ridge given its support; the supports' places become `drawn` (C,). */
static void draw_ridges(Chains *chains, const Generator *generator, int64_t *drawn) {
    int64_t C = chains->C, R = chains->judge->R;
    fill_draws(generator, chains->draws, C);
    for (int64_t c = 0; c < C; c++) {
        int64_t place = support_of(chains, chains->masks + c * chains->D);
        if (place < 0) {
            chains->is_out_of_memory = 1;
            return;
        }
        drawn[c] = place;
        const double *scores = once_row(&chains->supports, place);
        double lowest = INFINITY, whole = 0.0, sum = 0.0;
        for (int64_t r = 0; r < R; r++) lowest = scores[r] < lowest ? scores[r] : lowest;
        for (int64_t r = 0; r < R; r++) whole += exp_of(-0.5 * (scores[r] - lowest));
        double draw = chains->draws[c] * whole;
        int64_t at = 0;
        for (; at < R - 1; at++) {
            sum += exp_of(-0.5 * (scores[at] - lowest));
            if (!(sum < draw)) break;
        }
        chains->ridge[c] = at;
    }
}

/* The base of the block that a chain chooses. */
static void choose_base(Chains *chains, int64_t c, double leaves, double which) {
    int64_t D = chains->D, size = 0;
    const uint8_t *mask = chains->masks + c * D;
    double whole = 0.0, sum = 0.0;
    memcpy(chains->base, mask, (size_t)D);
    for (int64_t j = 0; j < D; j++)
        if (mask[j]) {
            whole += chains->doubt[j];
            size++;
        }
    if (!(leaves >= chains->own[size])) return;
    for (int64_t j = 0; j < D; j++) {
        if (!mask[j]) continue;
        sum += chains->doubt[j];
        if (sum > which * whole) {
            chains->base[j] = 0;
            return;
        }
    }
}

/* One step of every chain; `blocks` (C,) are the places of their blocks. */
static void one_step(
    Chains *chains, const Generator *generator, double temperature, int64_t *blocks) {
    int64_t C = chains->C, D = chains->D;
    fill_draws(generator, chains->draws, 2 * C);
    for (int64_t c = 0; c < C && !chains->is_out_of_memory; c++) {
        choose_base(chains, c, chains->draws[c], chains->draws[C + c]);
        blocks[c] = block_of(chains, c);
        if (blocks[c] < 0) chains->is_out_of_memory = 1;
        memcpy(chains->masks + c * D, chains->base, (size_t)D);
    }
    if (chains->is_out_of_memory) return;
    fill_draws(generator, chains->draws, C);
    for (int64_t c = 0; c < C; c++) {
        const double *shares = once_row(&chains->blocks, blocks[c]);
        double sum = 0.0, whole = 1.0;
        if (temperature > 1.0) {
            whole = 0.0;
            for (int64_t j = 0; j <= D; j++) {
                chains->costs[j] = shares[j] > 0.0 ? exp_of(log_of(shares[j]) / temperature) : 0.0;
                whole += chains->costs[j];
            }
            shares = chains->costs;
        }
        int64_t at = 0;
        for (; at < D; at++) {
            sum += shares[at] / whole;
            if (!(sum < chains->draws[c])) break;
        }
        if (at < D) chains->masks[c * D + at] = 1;
    }
}

EXPORTED int64_t projstg_chains_close(Chains *chains) {
    once_close(&chains->blocks);
    once_close(&chains->supports);
    scorer_close(&chains->scorer);
    free(chains->memory);
    free(chains->cost_of_size);
    free(chains->masks);
    free(chains->ridge);
    free(chains);
    return 0;
}

/* What C chains begin from; the costs of a base that stays and of one that grows, by its size, own(K),
   doubt and its logarithm are those of posterior/chain.py. */
typedef struct {
    int64_t C, n_sizes;
    const uint8_t *masks;                        /* (C, D) */
    const double *cost_of_size, *stays, *grows;  /* (n_sizes,) */
    const double *own;                           /* (n_sizes + 1,) */
    const double *doubt, *log_doubt;             /* (D,) */
} ChainStart;

/* Steps; ridges are drawn at each `every`-th. */
typedef struct {
    Generator *generator;
    int64_t n_steps, every;
    const double *temperatures; /* (n_steps,): one, or higher */
    int64_t *blocks;            /* (n_steps, C) */
    int64_t *drawn;             /* (n_steps / every, rounded up, C) */
    int64_t *known;             /* (2,): how many blocks and supports there are */
} ChainSteps;

/* Blocks from the first one on that is not known yet, and supports likewise. */
typedef struct {
    int64_t first_block, first_support;
    uint8_t *bases;    /* (n, D) */
    double *shares;    /* (n, D + 1) */
    uint8_t *supports; /* (m, D) */
    double *costs;     /* (m,) */
} ChainNews;

RECORD(ChainStart)
RECORD(ChainSteps)
RECORD(ChainNews)

/* NULL without memory. */
EXPORTED Chains *projstg_chains_open(
    const Field *field, const Judge *judge, const ChainStart *from) {
    int64_t C = from->C, D = field->D, n_sizes = from->n_sizes;
    Chains *chains = calloc(1, sizeof(Chains));
    if (!chains) return NULL;
    chains->field = field;
    chains->judge = judge;
    chains->C = C;
    chains->D = D;
    chains->scorer_for = -1;
    int64_t numbers = 3 * n_sizes + n_sizes + 1 + 2 * D + 2 * C + 3 * (D + 1);
    chains->cost_of_size = malloc((size_t)numbers * sizeof(double));
    chains->masks = malloc((size_t)((C + 1) * D));
    chains->ridge = calloc((size_t)(C + D + 1), sizeof(int64_t));
    int is_lost = once_open(&chains->blocks, D, D + 1);
    is_lost |= once_open(&chains->supports, D, judge->R + 1);
    if (is_lost || !chains->cost_of_size || !chains->masks || !chains->ridge) {
        projstg_chains_close(chains);
        return NULL;
    }
    size_t one = sizeof(double);
    chains->stays = chains->cost_of_size + n_sizes;
    chains->grows = chains->stays + n_sizes;
    chains->own = chains->grows + n_sizes;
    chains->doubt = chains->own + n_sizes + 1;
    chains->log_doubt = chains->doubt + D;
    chains->draws = chains->log_doubt + D;
    chains->costs = chains->draws + 2 * C;
    chains->more = chains->costs + D + 1;
    chains->in_doubt = chains->more + D + 1;
    chains->base = chains->masks + C * D;
    chains->members = chains->ridge + C;
    memcpy(chains->cost_of_size, from->cost_of_size, (size_t)n_sizes * one);
    memcpy(chains->stays, from->stays, (size_t)n_sizes * one);
    memcpy(chains->grows, from->grows, (size_t)n_sizes * one);
    memcpy(chains->own, from->own, (size_t)(n_sizes + 1) * one);
    memcpy(chains->doubt, from->doubt, (size_t)D * one);
    memcpy(chains->log_doubt, from->log_doubt, (size_t)D * one);
    memcpy(chains->masks, from->masks, (size_t)(C * D));
    return chains;
}

/* Make steps. Zero, or NO_MEMORY. */
EXPORTED int64_t projstg_chains_run(Chains *chains, const ChainSteps *of) {
    int64_t C = chains->C, every = of->every;
    for (int64_t step = 0; step < of->n_steps && !chains->is_out_of_memory; step++) {
        if (step % every == 0)
            draw_ridges(chains, of->generator, of->drawn + step / every * C);
        if (!chains->is_out_of_memory)
            one_step(chains, of->generator, of->temperatures[step], of->blocks + step * C);
    }
    of->known[0] = chains->blocks.n;
    of->known[1] = chains->supports.n;
    return chains->is_out_of_memory ? NO_MEMORY : 0;
}

/* Hand out what is new. */
EXPORTED int64_t projstg_chains_take(const Chains *chains, const ChainNews *to) {
    const Once *blocks = &chains->blocks, *been = &chains->supports;
    int64_t first = to->first_block, D = chains->D;
    int64_t n = blocks->n - first, m = been->n - to->first_support;
    memcpy(to->bases, blocks->masks + first * D, (size_t)(n * D));
    memcpy(to->shares, once_row(blocks, first), (size_t)(n * (D + 1)) * sizeof(double));
    memcpy(to->supports, been->masks + to->first_support * D, (size_t)(m * D));
    for (int64_t i = 0; i < m; i++)
        to->costs[i] = once_row(been, to->first_support + i)[chains->judge->R];
    return 0;
}
