/* The best support of K columns: rounds of starts until enough of them agree, and last exchanges.

   search/multistart.py, search/record.py and search/polish.py have the rules and their reasons.
   Draws come from a generator of NumPy, in the order in which that code draws. */

#include <stdlib.h>

#include "kernel.h"

/* search/search_settings.py */
struct Plan {
    int64_t n_starts, first_round, second_round, later_rounds, n_local_optima, n_steps;
    int64_t excluded_for, locked_for, refresh, most_steps, most_exchanges;
    int64_t first_agreement, clear_agreement, agreement, wide, wide_agreement, n_exact;
    int64_t n_fractions;
    const double *fractions, *tight_fractions; /* (n_fractions,) */
    double tight, clear_lead, common_share, rounding, delicate, relative_ridge, digits;
};

/* What was found: supports, each in increasing order, with their scores, and the starts'. */
typedef struct {
    int64_t K, n, room, *supports; /* (n, K) */
    double *scores;                /* (n,) */
    int64_t n_slots, *slots;       /* places in the list, plus one; zero where there is none */
    int64_t n_starts;
    double *starts; /* (n_starts,): the best score of each */
    double lowest;
    int64_t n_challenges;
} Record;

struct Search {
    const Field *field;
    const Judge *judge;
    const Plan *plan;
    Generator *generator;
    Record record;
    Scorer scorer;
    Walk walk;
    int64_t K, n_iter;
    int64_t *members, *optima, *sorted, *chosen; /* (K,), (n_local_optima, K), (K,), (D,) */
    double *heights, *order;                    /* (n_local_optima,), (D,) */
    int is_out_of_memory;
};

/* The ridge that is used instead of zero, since columns may be collinear. */
static double least_ridge(const Search *search) {
    return search->plan->relative_ridge * search->field->n;
}

/* What equal scores may differ by. */
static double slack(double score) {
    return 1e-7 + 1e-10 * fabs(score);
}

static uint64_t slot_of(const int64_t *members, int64_t K) {
    uint64_t key = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < K; i++) {
        key = (key ^ (uint64_t)members[i]) * 0x100000001b3u;
        key ^= key >> 29;
    }
    return key;
}

/* The place of a support in the list, or -1; *slot is where it is or would be. */
static int64_t find(const Record *record, const int64_t *members, int64_t *slot) {
    int64_t K = record->K, at = (int64_t)(slot_of(members, K) & (uint64_t)(record->n_slots - 1));
    size_t one = (size_t)K * sizeof(int64_t);
    while (record->slots[at]) {
        int64_t place = record->slots[at] - 1;
        if (!memcmp(record->supports + place * K, members, one)) return place;
        at = (at + 1) & (record->n_slots - 1);
    }
    *slot = at;
    return -1;
}

static int grow(Record *record) {
    int64_t K = record->K, room = 2 * record->room, n_slots = 4 * room, slot = 0;
    int64_t *supports = realloc(record->supports, (size_t)(room * K) * sizeof(int64_t));
    if (supports) record->supports = supports;
    double *scores = realloc(record->scores, (size_t)room * sizeof(double));
    if (scores) record->scores = scores;
    int64_t *slots = calloc((size_t)n_slots, sizeof(int64_t));
    if (!supports || !scores || !slots) {
        free(slots);
        return NO_MEMORY;
    }
    free(record->slots);
    record->slots = slots;
    record->n_slots = n_slots;
    record->room = room;
    for (int64_t place = 0; place < record->n; place++) {
        find(record, supports + place * K, &slot);
        slots[slot] = place + 1;
    }
    return 0;
}

static void sort_into(int64_t *sorted, const int64_t *members, int64_t K) {
    for (int64_t i = 0; i < K; i++) {
        int64_t place = i;
        for (; place > 0 && sorted[place - 1] > members[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = members[i];
    }
}

/* The score of a support, computed once and kept. */
static double scored(Search *search, const int64_t *members) {
    Record *record = &search->record;
    int64_t K = search->K, slot = 0;
    sort_into(search->sorted, members, K);
    int64_t place = find(record, search->sorted, &slot);
    if (place >= 0) return record->scores[place];
    double score = score_of(&search->scorer, search->sorted);
    if (score != score) score = INFINITY;
    if (record->n == record->room) {
        if (grow(record)) {
            search->is_out_of_memory = 1;
            return score;
        }
        find(record, search->sorted, &slot);
    }
    memcpy(record->supports + record->n * K, search->sorted, (size_t)K * sizeof(int64_t));
    record->scores[record->n] = score;
    record->slots[slot] = ++record->n;
    if (score < record->lowest - slack(score)) record->n_challenges = 0;
    if (score < record->lowest) record->lowest = score;
    return score;
}

/* The best support; of equal ones the first in lexicographic order. */
static const int64_t *best_of(const Record *record) {
    double most = record->lowest + slack(record->lowest);
    const int64_t *best = NULL;
    int64_t K = record->K;
    for (int64_t place = 0; place < record->n; place++) {
        if (!(record->scores[place] <= most)) continue;
        const int64_t *one = record->supports + place * K;
        int64_t i = 0;
        if (best)
            while (i < K && one[i] == best[i]) i++;
        if (!best || (i < K && one[i] < best[i])) best = one;
    }
    return best;
}

static int64_t agreeing(const Record *record) {
    double most = record->lowest + slack(record->lowest);
    int64_t n = 0;
    for (int64_t i = 0; i < record->n_starts; i++) n += record->starts[i] <= most;
    return n;
}

static int is_settled(const Search *search, int is_first) {
    const Record *record = &search->record;
    const Plan *plan = search->plan;
    if (!(record->lowest < INFINITY)) return 0;
    double most = record->lowest + slack(record->lowest), next = INFINITY;
    for (int64_t place = 0; place < record->n; place++) {
        double score = record->scores[place];
        if (score > most && score < next) next = score;
    }
    int is_clear = next - most >= plan->clear_lead;
    int64_t n = agreeing(record);
    if (is_first) return is_clear && n >= plan->first_agreement;
    if (search->field->D > plan->wide) return n >= plan->wide_agreement;
    if (is_clear) return n >= plan->clear_agreement;
    double common = plan->common_share * (double)record->n_starts;
    double least = (double)plan->agreement > common ? (double)plan->agreement : common;
    return (double)n >= least && record->n_challenges >= search->K / 2;
}

/* A random support within the constraints: the K columns with the smallest draws. */
static void random_support(Search *search, int64_t without, int64_t *members) {
    const Field *field = search->field;
    int64_t D = field->D, K = search->K, n = 0;
    double *order = search->order;
    for (int64_t j = 0; j < D; j++) {
        order[j] = search->generator->next_double(search->generator->state);
        if (field->excluded[j] || j == without) order[j] = INFINITY;
        if (field->locked[j]) order[j] -= 2.0;
    }
    for (int64_t j = 0; j < D; j++) {
        if (n == K && !(order[j] < order[members[K - 1]])) continue;
        int64_t place = n < K ? n++ : K - 1;
        for (; place > 0 && order[members[place - 1]] > order[j]; place--)
            members[place] = members[place - 1];
        members[place] = j;
    }
}

static double ridge_of(const Search *search, int64_t number) {
    const Plan *plan = search->plan;
    int is_tight = search->field->dof - (double)search->K < plan->tight;
    const double *fractions = is_tight ? plan->tight_fractions : plan->fractions;
    double ridge = (double)search->K * fractions[number % plan->n_fractions];
    double least = least_ridge(search);
    return ridge > least ? ridge : least;
}

/* How often walks from `first` on, `size` of them, begin from a fresh inverse. */
static int64_t refresh_of(const Search *search, int64_t first, int64_t size) {
    const Plan *plan = search->plan;
    for (int64_t q = 0; q < size && q < plan->n_fractions; q++)
        if (ridge_of(search, first + q) / search->field->n < plan->delicate) return 1;
    return plan->refresh;
}

/* Under least squares a start goes on downwards without a ridge. */
static double unridged(Search *search, const int64_t *members) {
    Walk *walk = &search->walk;
    walk->counts_log_det = 0;
    walk->refresh = 1;
    walk_down(walk, members, least_ridge(search), search->plan->most_steps);
    walk->counts_log_det = 1;
    search->n_iter += walk->step;
    return scored(search, walk->members);
}

static void add_start(Search *search, double score) {
    search->record.starts[search->record.n_starts++] = score;
}

static void first_round(Search *search, const int64_t *starts, int64_t n_given, int64_t size) {
    Walk *walk = &search->walk;
    int64_t K = search->K;
    int64_t *all = search->chosen; /* (size, K) */
    for (int64_t s = 0; s < size; s++) {
        random_support(search, -1, all + s * K);
        if (s < n_given) memcpy(all + s * K, starts + s * K, (size_t)K * sizeof(int64_t));
    }
    /* The given starts are scored too: no answer is worse than one of them. */
    for (int64_t s = 0; s < n_given && s < size; s++) scored(search, all + s * K);
    walk->refresh = refresh_of(search, 0, size);
    for (int64_t s = 0; s < size; s++) {
        walk_down(walk, all + s * K, ridge_of(search, s), search->plan->most_steps);
        search->n_iter += walk->step;
        double score = scored(search, walk->members);
        if (!search->judge->counts_volume) {
            memcpy(search->members, walk->members, (size_t)K * sizeof(int64_t));
            int64_t refresh = walk->refresh;
            score = unridged(search, search->members);
            walk->refresh = refresh;
        }
        add_start(search, score);
    }
}

/* The member of the best support so far that start s of a round does without, or -1. */
static int64_t challenged(const int64_t *best, int64_t n_best, int64_t turn, int64_t s) {
    return n_best && s % 2 ? best[(turn + s / 2) % n_best] : -1;
}

static void later_round(Search *search, int64_t first, int64_t size) {
    const Field *field = search->field;
    const Plan *plan = search->plan;
    Record *record = &search->record;
    Walk *walk = &search->walk;
    int64_t K = search->K, n_best = 0, n_free = 0, turn = record->n_challenges;
    const int64_t *found = best_of(record);
    int64_t *best = search->chosen, *all = search->chosen + K; /* (K,) and (size, K) */
    for (int64_t i = 0; i < K; i++)
        if (!field->locked[found[i]]) best[n_best++] = found[i];
    for (int64_t j = 0; j < field->D; j++) n_free += !field->excluded[j] && !field->locked[j];
    if (n_free <= n_best) n_best = 0;
    record->n_challenges += size / 2;
    for (int64_t s = 0; s < size; s++)
        random_support(search, challenged(best, n_best, turn, s), all + s * K);
    Wandering far = {plan->n_steps, plan->n_local_optima, plan->excluded_for, plan->locked_for};
    int64_t refresh = refresh_of(search, first, size);
    for (int64_t s = 0; s < size; s++) {
        int64_t without = challenged(best, n_best, turn, s), n = 0, lowest = 0;
        double score = INFINITY;
        walk->refresh = refresh;
        walk_on(
            walk, all + s * K, ridge_of(search, first + s), without, &far, search->optima,
            search->heights, &n);
        search->n_iter += walk->step;
        for (int64_t i = 0; i < n; i++) {
            double one = scored(search, search->optima + i * K);
            if (one < score) {
                score = one;
                lowest = i;
            }
        }
        if (!search->judge->counts_volume) score = unridged(search, search->optima + lowest * K);
        add_start(search, score);
    }
}

static void rounds(Search *search, const int64_t *starts, int64_t n_given) {
    const Plan *plan = search->plan;
    int is_tight = search->field->dof - (double)search->K < plan->tight;
    int64_t spent = plan->first_round > n_given ? plan->first_round : n_given;
    if (spent > plan->n_starts) spent = plan->n_starts;
    first_round(search, starts, n_given, spent);
    int is_done = is_settled(search, 1) && !is_tight;
    for (int64_t size = plan->second_round; !is_done && spent < plan->n_starts;) {
        if (size > plan->n_starts - spent) size = plan->n_starts - spent;
        later_round(search, spent, size);
        is_done = is_settled(search, 0) && !is_tight;
        spent += size;
        size = plan->later_rounds;
    }
}

/* Exchanges under the criterion itself, until none improves. Returns zero, or one where rounding in
   the closed forms leaves that to the caller. */
static int polish(Search *search) {
    const Plan *plan = search->plan;
    Record *record = &search->record;
    int64_t K = search->K, D = search->field->D;
    int is_for_closed_forms = search->judge->counts_volume && !search->scorer.n_redundant;
    if (!is_for_closed_forms || !(record->lowest < INFINITY)) return 1;
    if (!plan->most_exchanges) return 0;
    int is_ahead = is_far_ahead(
        search->field, search->judge, best_of(record), record->lowest, least_ridge(search),
        plan->digits, &search->walk.tableau);
    if (is_ahead) return 0;
    Neighbours around;
    if (neighbours_open(&around, search->judge, D, K, plan->n_exact)) {
        search->is_out_of_memory = 1;
        return 1;
    }
    int64_t *members = search->members;
    int is_unclear = 0;
    memcpy(members, best_of(record), (size_t)K * sizeof(int64_t));
    for (int64_t step = 0; step < plan->most_exchanges; step++) {
        neighbours_fill(
            &around, search->field, search->judge, members, least_ridge(search), plan->digits, NULL,
            NULL);
        is_unclear = !around.is_clear;
        if (is_unclear) break;
        double rounding = slack(around.present), lowest = INFINITY;
        int64_t best = -1;
        for (int64_t q = 0; q < K * D; q++) {
            double change = around.exchanged[q] - around.present;
            /* Of columns with an equal score the smaller index is taken. */
            if (fabs(change) <= rounding && q % D < members[q / D]) change = -rounding;
            if (change < lowest) {
                lowest = change;
                best = q;
            }
        }
        if (!(lowest <= -rounding)) break;
        members[best / D] = best % D;
        search->n_iter++;
        double before = record->lowest, after = scored(search, members);
        double most = before + slack(before);
        for (int64_t i = 0; i < record->n_starts; i++)
            if (record->starts[i] <= most) record->starts[i] = after;
    }
    neighbours_close(&around);
    return is_unclear;
}

/* How many of the supports have finite scores, or how many there are, if none has. */
static int64_t search_size(const Search *search) {
    int64_t n = 0;
    for (int64_t i = 0; i < search->record.n; i++) n += search->record.scores[i] < INFINITY;
    return n ? n : search->record.n;
}

static void search_close(Search *search) {
    free(search->record.supports);
    free(search->record.scores);
    free(search->record.slots);
    free(search->record.starts);
    free(search->members);
    free(search->heights);
    scorer_close(&search->scorer);
    walk_close(&search->walk);
    free(search);
}

RECORD(Plan)
RECORD(SearchTask)

/* Returns the search, whose results projstg_search_finish hands out, or NULL without memory. */
EXPORTED Search *projstg_search(
    const Field *field, const Judge *judge, const Rows *rows, const Plan *plan,
    const SearchTask *task) {
    int64_t K = task->K, n_given = task->n_given, n_known = task->n_known;
    int64_t n_before = task->n_before, *numbers = task->numbers;
    Search *search = calloc(1, sizeof(Search));
    if (!search) return NULL;
    int64_t D = field->D, room = n_known + 64, most_starts = n_before + plan->n_starts + n_given + 1;
    int64_t size = plan->later_rounds > plan->first_round ? plan->later_rounds : plan->first_round;
    if (plan->second_round > size) size = plan->second_round;
    if (n_given > size) size = n_given;
    Record *record = &search->record;
    search->field = field;
    search->judge = judge;
    search->plan = plan;
    search->generator = task->generator;
    search->K = K;
    record->K = K;
    record->room = 1;
    while (record->room < room) record->room *= 2;
    record->n_slots = 4 * record->room;
    record->supports = malloc((size_t)(record->room * K) * sizeof(int64_t));
    record->scores = malloc((size_t)record->room * sizeof(double));
    record->slots = calloc((size_t)record->n_slots, sizeof(int64_t));
    record->starts = malloc((size_t)most_starts * sizeof(double));
    search->members = malloc((size_t)((3 + plan->n_local_optima + size) * K) * sizeof(int64_t));
    search->heights = malloc((size_t)(plan->n_local_optima + 1 + D) * sizeof(double));
    int is_lost = scorer_open(&search->scorer, field, judge, rows, K, task->n_redundant);
    is_lost |= walk_open(&search->walk, field, K);
    is_lost |= !record->supports || !record->scores || !record->slots || !record->starts;
    if (is_lost || !search->members || !search->heights) {
        search_close(search);
        return NULL;
    }
    search->walk.counts_log_det = 1;
    search->walk.tolerance = plan->rounding * (field->dof + 10.0);
    search->sorted = search->members + K;
    search->optima = search->sorted + K;
    search->chosen = search->optima + plan->n_local_optima * K;
    search->order = search->heights + plan->n_local_optima + 1;
    record->lowest = INFINITY;
    record->n_challenges = task->n_challenges;
    for (int64_t place = 0; place < n_known; place++) {
        const int64_t *known = task->known + place * K;
        double known_score = task->known_scores[place];
        int64_t slot = 0;
        find(record, known, &slot);
        memcpy(record->supports + place * K, known, (size_t)K * sizeof(int64_t));
        record->scores[place] = known_score;
        record->slots[slot] = ++record->n;
        if (known_score < record->lowest) record->lowest = known_score;
    }
    for (int64_t i = 0; i < n_before; i++) add_start(search, task->before[i]);
    rounds(search, task->starts, n_given);
    int is_left = polish(search);
    if (search->is_out_of_memory) {
        search_close(search);
        return NULL;
    }
    const int64_t *found = best_of(record);
    memcpy(task->best, found, (size_t)K * sizeof(int64_t));
    *task->score = record->scores[(found - record->supports) / K];
    numbers[0] = search_size(search);
    numbers[1] = record->n_starts;
    numbers[2] = search->n_iter;
    numbers[3] = search->scorer.has_digits;
    numbers[4] = is_left;
    numbers[5] = record->n_challenges;
    numbers[6] = agreeing(record);
    return search;
}

void search_coefficients(Search *search, const int64_t *members, double *beta) {
    coefficients_of(&search->scorer, members, beta);
}

static int by_score(const void *one, const void *other) {
    const Ranked *a = one, *b = other;
    if (a->score != b->score) return a->score < b->score ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* What a search has found. */
typedef struct {
    int64_t *supports; /* (n, K), the best first, n the first of the search's numbers … */
    double *scores;    /* … with their scores, (n,) */
    double *starts;    /* the best score of each start, or NULL */
} Ranking;

RECORD(Ranking)

/* End the search; first hand out what was found, unless `to` is NULL. The problem the search was made
   for may be gone. Zero, or NO_MEMORY. */
EXPORTED int64_t projstg_search_finish(Search *search, const Ranking *to) {
    const Record *record = &search->record;
    int64_t K = record->K, n = search_size(search);
    Ranked *order = to ? malloc((size_t)record->n * sizeof(Ranked)) : NULL;
    for (int64_t i = 0; order && i < record->n; i++) order[i] = (Ranked){record->scores[i], i};
    if (order) qsort(order, (size_t)record->n, sizeof(Ranked), by_score);
    for (int64_t i = 0; order && i < n; i++) {
        const int64_t *own = record->supports + order[i].place * K;
        memcpy(to->supports + i * K, own, (size_t)K * sizeof(int64_t));
        to->scores[i] = order[i].score;
    }
    if (to && to->starts)
        memcpy(to->starts, record->starts, (size_t)record->n_starts * sizeof(double));
    int is_lost = to && !order;
    free(order);
    search_close(search);
    return is_lost ? NO_MEMORY : 0;
}
