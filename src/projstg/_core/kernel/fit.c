/* Small tables with K columns to select, from standardised columns to the answer: what
   pipeline/fixed_size.py does step by step. */

#include <stdlib.h>

#include "kernel.h"

/* B tables of one shape. */
typedef struct {
    int64_t B, N, D, K;
    const double *X, *y;      /* (B, N, D) and (B, N), where rows are fewer than columns, or NULL */
    const double *G, *b, *yy; /* (B, D, D), (B, D) and (B,) */
    const double *n, *dof;    /* (B,) */
    double residual_floor;    /* the smallest residual, as a share of yy */
    /* The rule for lambda (gates/theory_lambda.py): its factor, the smallest sigma as a share of y's root
       mean square, the largest lambda, and how far below a whole number one may be. */
    double factor, smallest_noise, largest_alpha, whole;
    /* What a column must have left of its squared norm to be taken (greedy/matching_pursuit.py). */
    double gain_tolerance, correlation_tolerance;
    double nothing;           /* a coefficient below it is rounding (data/original_units.py) */
    double *alpha, *noise;    /* (B,): given, or made here by the rule where alpha is NaN */
    Generator **generators;   /* (B,) */
    int64_t has_volume;       /* whether the volume is known, or is made here */
    double *volume;           /* (B, R, n_sizes) */
    const double *scale, *x_mean, *y_scale, *y_mean; /* (B, D), (B, D), (B,), (B,): units of the data */
} Tables;

/* What is found of each table. */
typedef struct {
    int64_t *support;   /* (B, K), in increasing order */
    uint8_t *mask;      /* (B, D) */
    double *coef;       /* (B, D): least squares in the units of the data */
    double *intercept;  /* (B,) */
    double *objective;  /* (B,) */
    int64_t *numbers;   /* (B, 5): whether it is done, starts, those that agree, exchanges, supports */
    Search **searches;  /* (B,): for projstg_search_finish */
} Answers;

RECORD(Tables)
RECORD(Answers)

/* Memory for one table. */
typedef struct {
    double *matrix, *values, *work;                /* (m, m), (m,) and (4 m,), m the smaller side */
    double *correlation, *left, *norm, *smallest;  /* (D,) */
    double *found, *projection, *beta, *logs;      /* (K, D), (K,), (D,), (n_sizes, R) */
    int64_t *order, *starts;                       /* (K,) and (2, K) */
    uint8_t *counts, *nobody;                      /* (K,) and (D,) */
} FitMemory;

static int memory_open(FitMemory *memory, const Tables *of, const Judge *judge) {
    int64_t D = of->D, K = of->K, m = of->X && of->N < D ? of->N : D;
    int64_t numbers = m * m + 5 * m + 5 * D + K * D + K + judge->R * judge->n_sizes;
    double *next = malloc((size_t)numbers * sizeof(double));
    memory->matrix = next;
    memory->order = malloc((size_t)(3 * K) * sizeof(int64_t));
    memory->counts = calloc((size_t)(K + D), 1);
    if (!next || !memory->order || !memory->counts) return NO_MEMORY;
    memory->values = next += m * m;
    memory->work = next += m;
    memory->correlation = next += 4 * m;
    memory->left = next += D;
    memory->norm = next += D;
    memory->smallest = next += D;
    memory->beta = next += D;
    memory->found = next += D;
    memory->projection = next += K * D;
    memory->logs = next + K;
    memory->starts = memory->order + K;
    memory->nobody = memory->counts + K;
    return 0;
}

static void memory_close(FitMemory *memory) {
    free(memory->matrix);
    free(memory->order);
    free(memory->counts);
}

/* A greedy path of n_steps columns (greedy/matching_pursuit.py). */
static void pursue(
    const FitMemory *memory, const Field *field, int64_t n_steps, int64_t by_gain, double tolerance) {
    int64_t D = field->D;
    for (int64_t j = 0; j < D; j++) {
        double own = field->G[j * D + j];
        memory->correlation[j] = field->b[j];
        memory->left[j] = own;
        memory->norm[j] = own > 0.0 ? own : 1.0;
        memory->smallest[j] = own * tolerance;
    }
    projstg_pursue(&(Pursuit){
        .D = D, .G = field->G, .n_steps = n_steps, .by_gain = by_gain,
        .correlation = memory->correlation, .left = memory->left, .norm = memory->norm,
        .smallest = memory->smallest, .order = memory->order, .counts = memory->counts,
        .projection = memory->projection, .found = memory->found});
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

/* lambda and sigma from a greedy fit of K columns (gates/theory_lambda.py). */
static void rule(const Tables *of, const FitMemory *memory, const Field *field, double *alpha, double *noise) {
    double freedom = floor(field->dof + of->whole) - 1.0, K = (double)of->K, rss = field->yy;
    int64_t n_steps = freedom < K ? (freedom > 0.0 ? (int64_t)freedom : 0) : of->K;
    pursue(memory, field, n_steps, 1, of->gain_tolerance);
    for (int64_t s = 0; s < n_steps; s++) {
        rss -= memory->projection[s] * memory->projection[s];
        rss = rss > 0.0 ? rss : 0.0;
    }
    double left = field->dof - (double)n_steps, power = field->yy / field->n;
    double least = of->smallest_noise * of->smallest_noise * power, others = (double)of->D - K;
    double variance = rss / (left > 1.0 ? left : 1.0);
    variance = variance > least ? variance : least;
    double rest = power - variance > least ? power - variance : least;
    double logs = log_of(others > 2.0 ? others : 2.0) * log_of(K > 2.0 ? K : 2.0);
    *noise = sqrt(variance);
    *alpha = of->factor * sqrt(rest / K) * *noise * sqrt(2.0 * logs / field->n);
    *alpha = *alpha < of->largest_alpha ? *alpha : of->largest_alpha;
}

/* What so many columns cost, `volume` (R, n_sizes): score/prior.py:volumes. */
SEVERAL_PATHS
static int64_t volumes(
    const FitMemory *memory, const Field *field, const Rows *rows, const Judge *judge, double *volume) {
    int64_t D = field->D, m = rows ? rows->N : D, R = judge->R, n_sizes = judge->n_sizes;
    if (rows) {
        const double *X = rows->X;
        for (int64_t i = 0; i < m; i++)
            for (int64_t k = 0; k <= i; k++) {
                const double *restrict a = X + i * D, *restrict b = X + k * D;
                double sums[4] = {0.0};
                int64_t j = 0;
                for (; j + 4 <= D; j += 4)
                    for (int l = 0; l < 4; l++) sums[l] += a[j + l] * b[j + l];
                for (; j < D; j++) sums[0] += a[j] * b[j];
                double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
                memory->matrix[i * m + k] = memory->matrix[k * m + i] = sum;
            }
    } else {
        memcpy(memory->matrix, field->G, (size_t)(m * m) * sizeof(double));
    }
    eigenvalues_of(memory->matrix, memory->values, memory->work, m);
    /* The largest comes first. */
    for (int64_t i = 0; i < m; i++) {
        double value = memory->values[i] > 0.0 ? memory->values[i] / field->n : 0.0;
        int64_t place = i;
        for (; place > 0 && memory->values[place - 1] < value; place--)
            memory->values[place] = memory->values[place - 1];
        memory->values[place] = value;
    }
    Means means = {
        .M = m, .values = memory->values, .n_columns = D, .n = field->n, .R = R,
        .kappa = judge->kappa, .n_sizes = n_sizes, .logs = memory->logs};
    if (projstg_mean_determinants(&means)) return NO_MEMORY;
    for (int64_t r = 0; r < R; r++) {
        double one = log1p_of(field->n / judge->kappa[r]);
        for (int64_t s = 0; s < n_sizes; s++)
            volume[r * n_sizes + s] = (double)s * one + memory->logs[s * R + r];
    }
    return 0;
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
    const Tables *of, const FitMemory *memory, const Field *field, const Rows *rows, const Steps *steps,
    double alpha) {
    int64_t K = of->K, D = of->D, *own = memory->starts + K, is_whole = 1;
    GateProblem problem = {
        .D = D, .G = field->G, .b = field->b, .n = field->n, .alpha = alpha, .beta = memory->beta};
    if (rows) {
        problem.N = rows->N;
        problem.X = rows->X;
        problem.y = rows->y;
    }
    int64_t status = projstg_first_steps(steps, &problem);
    if (status) return status;
    largest(memory->beta, D, K, memory->starts);
    sort(memory->starts, K);
    pursue(memory, field, K, 0, of->correlation_tolerance);
    memcpy(own, memory->order, (size_t)K * sizeof(int64_t));
    sort(own, K);
    for (int64_t s = 0; s < K; s++) is_whole &= memory->counts[s];
    if (!is_whole) memcpy(own, memory->starts, (size_t)K * sizeof(int64_t));
    return 0;
}

/* Coefficients (K,) of standardised columns in the units of the data: data/original_units.py. */
static void in_units(
    const Tables *of, int64_t i, const int64_t *members, const double *beta, const Answers *to) {
    int64_t D = of->D, K = of->K;
    const double *scale = of->scale + i * D, *mean = of->x_mean + i * D;
    uint8_t *mask = to->mask + i * D;
    double *coef = to->coef + i * D, at_zero = 0.0;
    memset(mask, 0, (size_t)D);
    memset(coef, 0, (size_t)D * sizeof(double));
    for (int64_t k = 0; k < K; k++) {
        int64_t j = members[k];
        double own = beta[k] / scale[j] * of->y_scale[i];
        int vanishes = fabs(beta[k]) > of->nothing && fabs(own) < SMALLEST_NORMAL;
        mask[j] = 1;
        coef[j] = vanishes ? NAN : own;
        at_zero += mean[j] * coef[j];
    }
    to->intercept[i] = of->y_mean[i] - at_zero;
}

static int64_t solve_one(
    const Tables *of, FitMemory *memory, int64_t i, const Judge *general, const Plan *plan,
    const Steps *steps, const Answers *to) {
    int64_t N = of->N, D = of->D, K = of->K, numbers[7], *found = to->numbers + 5 * i;
    double yy = of->yy[i], floor = yy > 0.0 ? of->residual_floor * yy : 1.0;
    Field field = {
        .D = D, .G = of->G + i * D * D, .b = of->b + i * D, .yy = yy, .dof = of->dof[i],
        .n = of->n[i], .floor = floor, .excluded = memory->nobody, .locked = memory->nobody};
    Rows rows = {
        .N = N, .D = D, .X = of->X ? of->X + i * N * D : NULL,
        .y = of->X ? of->y + i * N : NULL};
    const Rows *some = of->X ? &rows : NULL;
    if (some) leave_empty(&rows);
    Judge judge = *general;
    double *volume = of->volume + i * judge.R * judge.n_sizes;
    judge.volume = volume;
    memset(found, 0, 5 * sizeof(int64_t));
    if (of->alpha[i] != of->alpha[i]) rule(of, memory, &field, of->alpha + i, of->noise + i);
    int64_t status = propose(of, memory, &field, some, steps, of->alpha[i]);
    if (status) return status == NO_MEMORY ? NO_MEMORY : 0;
    if (!of->has_volume && volumes(memory, &field, some, &judge, volume)) return NO_MEMORY;
    SearchTask task = {
        .generator = of->generators[i], .K = K, .n_given = 2, .starts = memory->starts,
        .best = to->support + i * K, .score = to->objective + i, .numbers = numbers};
    Search *search = projstg_search(&field, &judge, some, plan, &task);
    if (!search) return NO_MEMORY;
    to->searches[i] = search;
    search_coefficients(search, to->support + i * K, memory->beta);
    in_units(of, i, to->support + i * K, memory->beta, to);
    found[1] = numbers[1];
    found[2] = numbers[6];
    found[3] = numbers[2];
    found[4] = numbers[0];
    int has_digits = numbers[3] != 0, is_polished = !numbers[4];
    found[0] = has_digits && is_polished && to->objective[i] < INFINITY;
    return 0;
}

/* Solve each table; a table that is not done is left to the caller. Returns zero or NO_MEMORY. In
   either case searches that are not NULL are to be ended by projstg_search_finish. */
EXPORTED int64_t projstg_fit(
    const Tables *of, const Judge *judge, const Plan *plan, const Steps *steps,
    const Answers *to) {
    FitMemory memory = {0};
    int64_t status = memory_open(&memory, of, judge);
    memset(to->searches, 0, (size_t)of->B * sizeof(Search *));
    for (int64_t i = 0; i < of->B && !status; i++)
        status = solve_one(of, &memory, i, judge, plan, steps, to);
    memory_close(&memory);
    return status;
}
