/* The exact score of a support: score/evidence.py has the formula.

   All ridges are computed side by side: the last axis of every array here is that of the R ridges,
   and a few more that count for nothing, so that there are whole vectors of them. */

#include <stdlib.h>

#include "kernel.h"

#define LANES 8
/* The compiler can see that it is a multiple. */
#define WHOLE(R) ((R) & -(int64_t)LANES)
/* What a ridge costs that counts for nothing. */
#define TOO_MUCH 1e200

static int64_t room_size(int64_t K, int64_t R) {
    return 2 * K * K + 8 * K + K * R * 7 + 10 * R;
}

/* Memory for one support of K columns. */
typedef struct {
    double *A, *Vt;                         /* (K, K) */
    double *values, *along, *taken, *work;  /* (K,), the last (4 K,) */
    double *reciprocal, *w, *diagonal, *turned, *sPs, *part, *signs; /* (K, R) */
    double *rows; /* the work of spectrum_of_rows */
    double *rss, *left, *a, *residual, *total, *zero, *sized, *flips, *step, *factor; /* (R,) */
} Room;

static Room room_of(double *memory, int64_t K, int64_t R) {
    Room room;
    double *next = memory;
    double **square[] = {&room.A, &room.Vt};
    double **single[] = {&room.values, &room.along, &room.taken, &room.work};
    double **table[] = {&room.reciprocal, &room.w, &room.diagonal, &room.turned, &room.sPs,
                        &room.part, &room.signs};
    double **row[] = {&room.rss, &room.left, &room.a, &room.residual, &room.total, &room.zero,
                      &room.sized, &room.flips, &room.step, &room.factor};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++, next += K * K) *square[i] = next;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++, next += K) *single[i] = next;
    next += 3 * K; /* of the work */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++, next += K * R) *table[i] = next;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++, next += R) *row[i] = next;
    return room;
}

int64_t leave_undetermined(double *values, double *along, int64_t K) {
    double largest = 0.0, eps = (double)K * 0x1p-52;
    int64_t n_null = 0;
    for (int64_t d = 0; d < K; d++) largest = values[d] > largest ? values[d] : largest;
    double least = (SMALLEST_SHARE > eps ? SMALLEST_SHARE : eps) * largest;
    for (int64_t d = 0; d < K; d++)
        if (!(values[d] > least)) {
            values[d] = along[d] = 0.0;
            n_null++;
        }
    return n_null;
}

/* Directions from G_SS, which is in room->A, and b_S; returns the residual of least squares. */
static double directions(Room *room, const double *b, double yy, int64_t K, int64_t *n_null) {
    double rss = yy, *values = room->values, *along = room->along;
    spectrum_of(room->A, values, room->Vt, room->work, K);
    for (int64_t d = 0; d < K; d++) {
        along[d] = 0.0;
        for (int64_t i = 0; i < K; i++) along[d] += room->Vt[d * K + i] * b[i];
    }
    *n_null = leave_undetermined(values, along, K);
    for (int64_t d = 0; d < K; d++) {
        room->taken[d] = values[d] > 0.0 ? along[d] * along[d] / values[d] : 0.0;
        rss -= room->taken[d];
    }
    return rss;
}

/* The same directions from the rows. */
static double directions_of_rows(
    Room *room, const Rows *rows, const int64_t *members, int64_t K, int64_t *n_null) {
    double *onto = room->work;
    double rss = spectrum_of_rows(rows, members, K, room->values, room->Vt, onto, room->rows);
    *n_null = 0;
    for (int64_t d = 0; d < K; d++) {
        room->along[d] = sqrt(room->values[d]) * onto[d];
        room->taken[d] = onto[d] * onto[d];
        *n_null += room->values[d] == 0.0;
    }
    return rss;
}

/* The smallest determined eigenvalue as a share of the largest; one where there is none. */
static double share_of(const Room *room, int64_t K) {
    double smallest = INFINITY, largest = 0.0;
    for (int64_t d = 0; d < K; d++)
        if (room->values[d] > 0.0) {
            smallest = room->values[d] < smallest ? room->values[d] : smallest;
            largest = room->values[d] > largest ? room->values[d] : largest;
        }
    return largest > 0.0 ? smallest / largest : 1.0;
}

/* out[i] += factor * in[i] for all ridges. */
ALWAYS_INLINE void add(double *restrict out, double factor, const double *restrict in, int64_t R) {
    for (int64_t r = 0; r < R; r++) out[r] += factor * in[r];
}

/* w, diag P, s, s_i (Ps)_i, the best common size and its residual. */
SEVERAL_PATHS
static void effects(Room *room, const Judge *judge, double rss, int64_t K) {
    int64_t R = WHOLE(judge->R);
    size_t table = (size_t)(K * R) * sizeof(double), row = (size_t)R * sizeof(double);
    const double *kappa = judge->kappa;
    double *restrict part = room->part, *restrict left = room->left, *restrict a = room->a;
    double *restrict residual = room->residual;
    memset(room->w, 0, table);
    memset(room->diagonal, 0, table);
    memset(room->turned, 0, table);
    memset(room->sPs, 0, table);
    for (int64_t i = 0; i < K; i++)
        for (int64_t d = 0; d < K; d++) {
            double v = room->Vt[d * K + i];
            const double *reciprocal = room->reciprocal + d * R;
            add(room->w + i * R, v * room->along[d], reciprocal, R);
            add(room->diagonal + i * R, v * v, reciprocal, R);
        }
    memset(a, 0, row);
    for (int64_t i = 0; i < K; i++) {
        double *restrict w = room->w + i * R, *restrict s = room->signs + i * R;
        for (int64_t r = 0; r < R; r++) {
            s[r] = w[r] < 0.0 ? -1.0 : 1.0;
            a[r] += fabs(w[r]);
        }
        for (int64_t d = 0; d < K; d++) add(room->turned + d * R, room->Vt[d * K + i], s, R);
    }
    memset(left, 0, row);
    for (int64_t d = 0; d < K; d++) {
        const double *restrict turned = room->turned + d * R;
        const double *restrict reciprocal = room->reciprocal + d * R;
        double *restrict shrunk = part + d * R, value = room->values[d];
        for (int64_t r = 0; r < R; r++) {
            shrunk[r] = turned[r] * reciprocal[r];
            left[r] += turned[r] * shrunk[r] * value;
        }
        for (int64_t i = 0; i < K; i++) add(room->sPs + i * R, room->Vt[d * K + i], shrunk, R);
    }
    double least = SMALLEST_SHARE * (double)(K > 1 ? K : 1);
    for (int64_t r = 0; r < R; r++) {
        left[r] = left[r] > least ? left[r] : least;
        a[r] /= left[r];
        residual[r] = 0.0;
    }
    for (int64_t d = 0; d < K; d++) {
        const double *restrict turned = room->turned + d * R;
        const double *restrict reciprocal = room->reciprocal + d * R;
        double value = room->values[d], alone = value > 0.0 ? room->along[d] / value : room->along[d];
        for (int64_t r = 0; r < R; r++) {
            double apart = alone - a[r] * turned[r];
            residual[r] += value * reciprocal[r] * (apart * apart);
        }
    }
    for (int64_t r = 0; r < R; r++) residual[r] = rss + kappa[r] * residual[r];
    for (int64_t i = 0; i < K; i++) {
        double *restrict sPs = room->sPs + i * R, *restrict s = room->signs + i * R;
        for (int64_t r = 0; r < R; r++) sPs[r] *= s[r];
    }
}

/* ν log(residual) and what size and signs add to it, for all ridges: score/evidence.py:_common_size. */
SEVERAL_PATHS
static void common_size(Room *room, const Judge *judge, double dof, double floor, int64_t K) {
    int64_t R = WHOLE(judge->R);
    const double *restrict kappa = judge->kappa, *restrict a = room->a, *restrict left = room->left;
    double *restrict residual = room->residual, *restrict step = room->step;
    double *restrict factor = room->factor, *restrict flips = room->flips;
    for (int64_t r = 0; r < R; r++) {
        residual[r] = residual[r] > floor ? residual[r] : floor;
        step[r] = kappa[r] * a[r];
        factor[r] = 4.0 * step[r] / residual[r];
        flips[r] = 1.0;
    }
    for (int64_t i = 0; i < K; i++) {
        const double *restrict w = room->w + i * R, *restrict sPs = room->sPs + i * R;
        const double *restrict diagonal = room->diagonal + i * R;
        for (int64_t r = 0; r < R; r++) {
            double raised = ((sPs[r] - diagonal[r]) * step[r] + fabs(w[r])) * factor[r];
            raised = raised > 0.0 ? raised : 0.0;
            flips[r] *= 1.0 + exp_of(log1p_of(raised) * (-0.5 * dof));
        }
    }
    for (int64_t r = 0; r < R; r++) {
        double spread = sqrt(2.0 * PI * residual[r] / (dof * kappa[r] * left[r]));
        double prior = judge->decades_of_size * a[r];
        double share = (spread < prior ? spread : prior) / (a[r] > 0.0 ? prior : 1.0);
        share = a[r] > 0.0 ? share : 1.0;
        double size = 2.0 * (double)K * LOG_2 - 2.0 * log_of(share);
        room->sized[r] = dof * log_of(residual[r]) + size - 2.0 * log_of(flips[r]);
    }
}

/* −2 log of the sum of exp(−score/2); infinite where all are. */
SEVERAL_PATHS
double total_score(const double *scores, int64_t R) {
    double lowest = INFINITY, sum = 0.0;
    for (int64_t r = 0; r < R; r++) lowest = scores[r] < lowest ? scores[r] : lowest;
    if (!(lowest < INFINITY)) return INFINITY;
    for (int64_t r = 0; r < R; r++) sum += exp_of(-0.5 * (scores[r] - lowest));
    return lowest - 2.0 * log_of(sum);
}

/* A product of shares below this needs the rows (data/determined_directions.py). */
#define ENOUGH_DIGITS 1e-5

/* From directions to the scores at each ridge, (R,), without dilution. */
SEVERAL_PATHS
static void scores_at_ridges(
    Room *room, const Judge *judge, const Field *of, double rss, int64_t K, int64_t size,
    double *scores) {
    int64_t R = WHOLE(judge->R), stride = judge->n_sizes;
    double dof = of->dof, floor = of->floor;
    double least = rss > floor ? rss : floor, *restrict at = room->rss;
    if (!judge->counts_volume) {
        for (int64_t r = 0; r < R; r++) scores[r] = dof * log_of(least);
        return;
    }
    const double *restrict kappa = judge->kappa, *volume = judge->volume + size;
    memset(at, 0, (size_t)R * sizeof(double));
    for (int64_t d = 0; d < K; d++) {
        double value = room->values[d], *restrict reciprocal = room->reciprocal + d * R;
        for (int64_t r = 0; r < R; r++) reciprocal[r] = 1.0 / (value + kappa[r]);
        add(at, room->taken[d], reciprocal, R);
    }
    for (int64_t r = 0; r < R; r++) {
        double one = least + kappa[r] * at[r];
        room->zero[r] = dof * log_of(one > floor ? one : floor) + judge->zero_cost[r];
        scores[r] = volume[r * stride];
    }
    if (!judge->has_common_size) {
        for (int64_t r = 0; r < R; r++) scores[r] += room->zero[r];
        return;
    }
    effects(room, judge, rss, K);
    common_size(room, judge, dof, floor, K);
    for (int64_t r = 0; r < R; r++) {
        double x = room->zero[r], y = room->sized[r] + judge->size_cost[r], apart = fabs(x - y);
        scores[r] += (x < y ? x : y) - 2.0 * log1p_of(exp_of(-0.5 * apart));
    }
}

static double dilution_of(const Room *room, const Judge *judge, double n, int64_t K) {
    double sum = 0.0;
    for (int64_t d = 0; d < K; d++)
        if (room->values[d] > 0.0) {
            double share = room->values[d] / n;
            sum += log_of((share + judge->repeated) / (share * (1.0 + judge->repeated)));
        }
    return sum;
}

static int64_t row_work(const Rows *rows, int64_t K) {
    return rows ? (rows->N + 2 * K + 2) * (K + 2) : 0;
}

/* The judge with more ridges, in `memory` of R (3 + n_sizes) numbers. */
static Judge padded(const Judge *judge, int64_t R, double *memory) {
    int64_t n_sizes = judge->n_sizes;
    Judge more = *judge;
    double *kappa = memory, *zero = kappa + R, *size = zero + R, *volume = size + R;
    for (int64_t r = 0; r < R; r++) {
        int is_own = r < judge->R;
        kappa[r] = is_own ? judge->kappa[r] : 1.0;
        zero[r] = is_own ? judge->zero_cost[r] : TOO_MUCH;
        size[r] = is_own ? judge->size_cost[r] : TOO_MUCH;
        for (int64_t s = 0; s < n_sizes; s++)
            volume[r * n_sizes + s] = is_own ? judge->volume[r * n_sizes + s] : 0.0;
    }
    more.R = R;
    more.kappa = kappa;
    more.zero_cost = zero;
    more.size_cost = size;
    more.volume = volume;
    return more;
}

int scorer_open(
    Scorer *scorer, const Field *field, const Judge *judge, const Rows *rows, int64_t K,
    int64_t n_redundant) {
    int64_t R = WHOLE(judge->R + LANES - 1), numbers = room_size(K, R) + K + R + row_work(rows, K);
    *scorer = (Scorer){
        .field = field, .judge = judge, .rows = rows, .K = K, .n_redundant = n_redundant,
        .has_digits = 1};
    size_t more = (size_t)(R * (3 + judge->n_sizes));
    scorer->memory = malloc(((size_t)numbers + more + 1) * sizeof(double));
    if (!scorer->memory) return NO_MEMORY;
    scorer->by_ridge = scorer->memory + room_size(K, R) + K;
    scorer->padded = padded(judge, R, scorer->memory + numbers);
    return 0;
}

void scorer_close(Scorer *scorer) {
    free(scorer->memory);
}

double score_of(Scorer *scorer, const int64_t *members) {
    const Field *field = scorer->field;
    const Judge *judge = scorer->judge;
    int64_t K = scorer->K, D = field->D, n_null;
    const Judge *whole = &scorer->padded;
    Room room = room_of(scorer->memory, K, whole->R);
    double *b = scorer->memory + room_size(K, whole->R);
    room.rows = scorer->by_ridge + whole->R;
    for (int64_t i = 0; i < K; i++) {
        const double *row = field->G + members[i] * D;
        for (int64_t k = 0; k < K; k++) room.A[i * K + k] = row[members[k]];
        b[i] = field->b[members[i]];
    }
    double rss = directions(&room, b, field->yy, K, &n_null);
    scorer->is_from_rows = 0;
    if (K && share_of(&room, K) * rss < ENOUGH_DIGITS * field->yy) {
        scorer->is_from_rows = scorer->rows != NULL;
        if (scorer->rows)
            rss = directions_of_rows(&room, scorer->rows, members, K, &n_null);
        else
            scorer->has_digits = 0;
    }
    scores_at_ridges(
        &room, whole, field, rss, K, K - scorer->n_redundant, scorer->by_ridge);
    scorer->repeated = judge->is_diluted ? dilution_of(&room, judge, field->n, K) : 0.0;
    int is_dependent = judge->is_diluted && n_null > scorer->n_redundant;
    scorer->dilution = is_dependent ? INFINITY : scorer->repeated;
    return total_score(scorer->by_ridge, judge->R) + scorer->dilution;
}

/* What a right-hand side, `along` (K,) each direction, adds to coefficients (K,). */
static void add_coefficients(const Room *room, const double *along, int64_t K, double *beta) {
    for (int64_t d = 0; d < K; d++) {
        if (!(room->values[d] > 0.0)) continue;
        double size = along[d] / room->values[d];
        for (int64_t i = 0; i < K; i++) beta[i] += room->Vt[d * K + i] * size;
    }
}

void coefficients_of(Scorer *scorer, const int64_t *members, double *beta) {
    const Field *field = scorer->field;
    int64_t K = scorer->K, D = field->D;
    score_of(scorer, members);
    Room room = room_of(scorer->memory, K, scorer->padded.R);
    memset(beta, 0, (size_t)K * sizeof(double));
    add_coefficients(&room, room.along, K, beta);
    if (scorer->is_from_rows) return;
    /* Rounding is taken back once. */
    double *along = room.work;
    memset(along, 0, (size_t)K * sizeof(double));
    for (int64_t i = 0; i < K; i++) {
        const double *row = field->G + members[i] * D;
        double missing = field->b[members[i]];
        for (int64_t k = 0; k < K; k++) missing -= row[members[k]] * beta[k];
        for (int64_t d = 0; d < K; d++) along[d] += room.Vt[d * K + i] * missing;
    }
    add_coefficients(&room, along, K, beta);
}

/* Supports of one problem, and what they score. */
typedef struct {
    int64_t n_redundant, C, K;
    const int64_t *supports; /* (C, K) */
    double *total;           /* (C,) */
    double *by_ridge;        /* (C, R): those at each ridge */
} Scoring;

RECORD(Field)
RECORD(Judge)
RECORD(Rows)
RECORD(Scoring)

/* Score each support. Returns one, zero if some have too few digits, or NO_MEMORY. */
EXPORTED int64_t projstg_scores(
    const Field *field, const Judge *judge, const Rows *rows, const Scoring *of) {
    int64_t R = judge->R;
    Scorer scorer;
    if (scorer_open(&scorer, field, judge, rows, of->K, of->n_redundant)) return NO_MEMORY;
    for (int64_t c = 0; c < of->C; c++) {
        of->total[c] = score_of(&scorer, of->supports + c * of->K);
        for (int64_t r = 0; r < R; r++)
            of->by_ridge[c * R + r] = scorer.by_ridge[r] + scorer.dilution;
    }
    int64_t has_digits = scorer.has_digits;
    scorer_close(&scorer);
    return has_digits;
}
