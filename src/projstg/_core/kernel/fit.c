/* Small problems with K columns to select: proposals, search and least squares of each, as
   pipeline/best_of_size.py finds them step by step. */

#include <stdlib.h>

#include "kernel.h"

/* B problems of one shape, standardised. */
typedef struct {
    int64_t B, N, D, K;
    const double **X, **y;  /* each (N, D) and (N,), where rows are fewer than columns, or NULL */
    const double **G, **b;  /* each (D, D) and (D,) */
    const double **volumes; /* each (R, n_sizes): what so many columns cost */
    const double *yy, *n, *dof, *alpha; /* (B,) */
    Generator **generators;             /* (B,) */
    double residual_floor;              /* the smallest residual, as a share of yy */
    double correlation_tolerance; /* the share of its squared norm that a column must have left to be
                                     taken (greedy/matching_pursuit.py) */
} Tables;

/* What is found of each. */
typedef struct {
    int64_t *support;  /* (B, K), in increasing order */
    double *beta;      /* (B, K): least squares */
    double *objective; /* (B,) */
    int64_t *numbers;  /* (B, 5): whether it is done, starts, those that agree, exchanges, supports */
    Search **searches; /* (B,): for projstg_search_finish */
} Answers;

RECORD(Tables)
RECORD(Answers)

/* Memory for one problem. */
typedef struct {
    double *correlation, *left, *norm, *smallest, *beta; /* (D,) */
    double *found, *projection;                          /* (K, D), (K,) */
    int64_t *order, *starts;                             /* (K,) and (2, K) */
    uint8_t *counts, *nobody;                            /* (K,) and (D,) */
} FitMemory;

static int memory_open(FitMemory *memory, int64_t D, int64_t K) {
    double *next = malloc((size_t)(5 * D + K * D + K) * sizeof(double));
    memory->correlation = next;
    memory->order = malloc((size_t)(3 * K) * sizeof(int64_t));
    memory->counts = calloc((size_t)(K + D), 1);
    if (!next || !memory->order || !memory->counts) return NO_MEMORY;
    memory->left = next += D;
    memory->norm = next += D;
    memory->smallest = next += D;
    memory->beta = next += D;
    memory->found = next += D;
    memory->projection = next + K * D;
    memory->starts = memory->order + K;
    memory->nobody = memory->counts + K;
    return 0;
}

static void memory_close(FitMemory *memory) {
    free(memory->correlation);
    free(memory->order);
    free(memory->counts);
}

/* A greedy path of K columns by correlation (greedy/matching_pursuit.py). */
static void pursue(const FitMemory *memory, const Field *field, int64_t K, double tolerance) {
    int64_t D = field->D;
    for (int64_t j = 0; j < D; j++) {
        double own = field->G[j * D + j];
        memory->correlation[j] = field->b[j];
        memory->left[j] = own;
        memory->norm[j] = own > 0.0 ? own : 1.0;
        memory->smallest[j] = own * tolerance;
    }
    projstg_pursue(&(Pursuit){
        .B = 1, .D = D, .G = field->G, .n_steps = K, .correlation = memory->correlation,
        .left = memory->left, .norm = memory->norm, .smallest = memory->smallest,
        .order = memory->order, .counts = memory->counts, .projection = memory->projection,
        .found = memory->found});
}

/* Rows of weight zero, at the end, count for nothing. */
static void leave_empty(Rows *rows) {
    for (; rows->N > 1; rows->N--) {
        const double *last = rows->X + (rows->N - 1) * rows->D;
        for (int64_t j = 0; j < rows->D; j++)
            if (last[j] != 0.0) return;
        if (rows->y[rows->N - 1] != 0.0) return;
    }
}

/* The K columns with the largest coefficients, in increasing order; of equal ones the first. */
static void largest(const double *beta, int64_t D, int64_t K, int64_t *members) {
    int64_t n = 0;
    for (int64_t j = 0; j < D; j++) {
        double size = fabs(beta[j]);
        if (n == K && !(size > fabs(beta[members[K - 1]]))) continue;
        int64_t place = n < K ? n++ : K - 1;
        for (; place > 0 && fabs(beta[members[place - 1]]) < size; place--)
            members[place] = members[place - 1];
        members[place] = j;
    }
}

static void sort(int64_t *members, int64_t K) {
    for (int64_t i = 1; i < K; i++) {
        int64_t one = members[i], place = i;
        for (; place > 0 && members[place - 1] > one; place--) members[place] = members[place - 1];
        members[place] = one;
    }
}

/* The columns of the gates and of a pursuit, memory->starts (2, K). Returns zero, NO_MEMORY, or one
   where rounding has left a matrix that is not positive definite. */
static int64_t propose(
    const FitMemory *memory, const Field *field, const Rows *rows, const Steps *steps, int64_t K,
    double alpha, double tolerance) {
    int64_t D = field->D, *own = memory->starts + K, is_whole = 1;
    GateProblem problem = {
        .D = D, .G = field->G, .b = field->b, .n = field->n, .alpha = alpha, .beta = memory->beta};
    if (rows && rows->N < D) {
        problem.N = rows->N;
        problem.X = rows->X;
        problem.y = rows->y;
    }
    int64_t status = projstg_first_steps(steps, &problem);
    if (status) return status;
    largest(memory->beta, D, K, memory->starts);
    sort(memory->starts, K);
    pursue(memory, field, K, tolerance);
    memcpy(own, memory->order, (size_t)K * sizeof(int64_t));
    sort(own, K);
    for (int64_t s = 0; s < K; s++) is_whole &= memory->counts[s];
    if (!is_whole) memcpy(own, memory->starts, (size_t)K * sizeof(int64_t));
    return 0;
}

static int64_t solve_one(
    const Tables *of, FitMemory *memory, int64_t i, const Judge *general, const Plan *plan,
    const Steps *steps, const Answers *to) {
    int64_t N = of->N, D = of->D, K = of->K, numbers[7], *found = to->numbers + 5 * i;
    double yy = of->yy[i], floor = yy > 0.0 ? of->residual_floor * yy : 1.0;
    Field field = {
        .D = D, .G = of->G[i], .b = of->b[i], .yy = yy, .dof = of->dof[i], .n = of->n[i],
        .floor = floor, .excluded = memory->nobody, .locked = memory->nobody};
    Rows rows = {.N = N, .D = D, .X = of->X ? of->X[i] : NULL, .y = of->X ? of->y[i] : NULL};
    const Rows *some = of->X ? &rows : NULL;
    if (some) leave_empty(&rows);
    Judge judge = *general;
    judge.volume = of->volumes[i];
    memset(found, 0, 5 * sizeof(int64_t));
    int64_t status =
        propose(memory, &field, some, steps, K, of->alpha[i], of->correlation_tolerance);
    if (status) return status == NO_MEMORY ? NO_MEMORY : 0;
    SearchTask task = {
        .generator = of->generators[i], .K = K, .n_given = 2, .starts = memory->starts,
        .best = to->support + i * K, .score = to->objective + i, .numbers = numbers};
    Search *search = projstg_search(&field, &judge, some, plan, &task);
    if (!search) return NO_MEMORY;
    to->searches[i] = search;
    search_coefficients(search, to->support + i * K, to->beta + i * K);
    found[1] = numbers[1];
    found[2] = numbers[6];
    found[3] = numbers[2];
    found[4] = numbers[0];
    int has_digits = numbers[3] != 0, is_polished = !numbers[4];
    found[0] = has_digits && is_polished && to->objective[i] < INFINITY;
    return 0;
}

/* Solve each problem; one that is not done is left to the caller. Returns zero or NO_MEMORY. In
   either case searches that are not NULL are to be ended by projstg_search_finish. */
EXPORTED int64_t projstg_fit(
    const Tables *of, const Judge *judge, const Plan *plan, const Steps *steps,
    const Answers *to) {
    FitMemory memory = {0};
    int64_t status = memory_open(&memory, of->D, of->K);
    memset(to->searches, 0, (size_t)of->B * sizeof(Search *));
    for (int64_t i = 0; i < of->B && !status; i++)
        status = solve_one(of, &memory, i, judge, plan, steps, to);
    memory_close(&memory);
    return status;
}
