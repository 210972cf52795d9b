/* What the files of the kernel share.

   Letters are those of the NumPy code, which is the definition of every function here: D columns,
   K of them in a support, G = X'X, b = X'y, a ridge kappa, nu degrees of freedom. Arrays are
   contiguous, the last axis fastest. Shapes are the caller's contract, checked in Python. */

#ifndef PROJSTG_KERNEL_H
#define PROJSTG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "elementary.h"

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* numpy/random/bitgen.h */
typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *);
    uint32_t (*next_uint32)(void *);
    double (*next_double)(void *);
    uint64_t (*next_raw)(void *);
} Generator;

/* What functions return that need memory: zero, or this. */
#define NO_MEMORY (-1)

/* A struct that Python fills in: library.py declares it in the same words, and compares its size. */
#define RECORD(name) \
    EXPORTED int64_t projstg_size_of_##name(void) { return (int64_t)sizeof(name); }

/* One problem, as a search sees it. */
typedef struct {
    int64_t D;
    const double *G;          /* (D, D) */
    const double *b;          /* (D,) */
    double yy, dof, n, floor; /* the floor is the smallest residual */
    const uint8_t *excluded;  /* (D,): may not enter */
    const uint8_t *locked;    /* (D,): may not leave */
} Field;

/* [U | w | P], e, h and rss of a support at a ridge (score/tableau.py). */
typedef struct {
    int64_t D, K, width;
    double *body; /* (K, width), width = D + 1 + K */
    double *e;    /* (D,) */
    double *h;    /* (D,) */
    double rss;
    double *entering; /* (width,), while a column enters … */
    double *leaving;  /* (width,) … and a member leaves */
    double *inverse;  /* (2, K, K), while an inverse is computed */
} Tableau;

ALWAYS_INLINE double *row_of(const Tableau *t, int64_t place) {
    return t->body + place * t->width;
}

/* Instead of zero under a division or a root. */
#define TINY 1e-30
#define SMALLEST_NORMAL 2.2250738585072014e-308

/* What the exchanges of one member have in common … */
typedef struct {
    double p, root, omega, without;
} Leaver;

ALWAYS_INLINE Leaver leaver_of(const Tableau *t, int64_t place) {
    const double *U = row_of(t, place);
    double own = U[t->D + 1 + place], p = own > TINY ? own : TINY;
    double root = 1.0 / sqrt(p), omega = U[t->D] * root;
    return (Leaver){p, root, omega, omega * omega + t->rss};
}

/* … and what one of them leaves: the residual, and the change of det H. */
typedef struct {
    double rss, volume;
} Left;

ALWAYS_INLINE Left left_by(Leaver one, double U, double e, double h, double floor) {
    double v = U * one.root, fit = v * one.omega + e, den = v * v + h;
    den = den > TINY ? den : TINY;
    double rss = one.without - fit * fit / den;
    return (Left){rss > floor ? rss : floor, den * one.p};
}

/* The numbers a tableau needs, and where they begin in memory. */
int64_t tableau_size(int64_t D, int64_t K);
void tableau_place(Tableau *t, int64_t D, int64_t K, double *memory);

void tableau_fresh(Tableau *t, const Field *field, const int64_t *members, double ridge);
void tableau_exchange(Tableau *t, const Field *field, const int64_t *members, int64_t p, int64_t j);

/* The inverse of a positive definite matrix (K, K), in place; `work` has as many numbers. Returns
   the logarithm of the determinant. */
double inverse_of(double *matrix, double *work, int64_t K);

/* P, U and h of correlations, with or without a ridge (score/dilution.py). */
typedef struct {
    double *P;       /* (K, K), and as many numbers of work */
    double *U;       /* (K, D) */
    double *h;       /* (D,) */
    double *squares; /* (D,): the sums of U^2 over members */
    double trace;
} Inverse;

typedef struct {
    Inverse plain, soft;
    double now;   /* the cost of the support itself */
    double alone; /* log |R + eps I| of one column */
} Dilution;

int64_t inverse_size(int64_t D, int64_t K); /* a Dilution needs two */
double *dilution_place(Dilution *of, double *memory, int64_t D, int64_t K);
void dilution_fill(
    Dilution *of, const Field *field, const int64_t *members, int64_t K, double repeated);
/* The costs of the exchanges of member p, and of one column more, (D,); `in_doubt` (D,) becomes one
   where only eigenvalues can tell if the support is dependent. */
void dilution_exchanged(
    const Dilution *of, int64_t D, int64_t K, int64_t p, double *cost, double *in_doubt);
void dilution_entered(const Dilution *of, int64_t D, double *cost, double *in_doubt);
double dilution_left_out(const Dilution *of, int64_t K, int64_t p);
/* What one column more adds to the cost of a support, (D,), alone: in less time, and where only
   eigenvalues can tell, or perhaps not even that, `in_doubt` (D,) is one. */
int64_t entering_size(int64_t D, int64_t K);
void dilution_entering(
    const Field *field, const int64_t *members, int64_t K, double repeated, double *memory,
    double *cost, double *in_doubt);

/* How supports are scored: a criterion for one problem (score/criterion.py). */
typedef struct {
    int64_t R;
    const double *kappa, *zero_cost, *size_cost; /* (R,) */
    int64_t n_sizes;
    const double *volume; /* (R, n_sizes): what so many columns cost */
    double repeated, decades_of_size;
    int64_t counts_volume, has_common_size, is_diluted;
} Judge;

/* A direction is determined if its eigenvalue is above this share of the largest. */
#define SMALLEST_SHARE 1e-12
#define PI 3.141592653589793
#define LOG_2 0.6931471805599453

double total_score(const double *scores, int64_t R);
void spectrum_of(double *A, double *values, double *Vt, double *work, int64_t K);
void eigenvalues_of(double *A, double *values, double *work, int64_t K);

/* The rows, where they are at hand: sums of squares may have too few digits. */
typedef struct {
    int64_t N, D;
    const double *X; /* (N, D), or NULL */
    const double *y; /* (N,) */
} Rows;

/* Supports of K columns, scored one by one (score/evidence.py). */
typedef struct {
    const Field *field;
    const Judge *judge;
    const Rows *rows; /* or NULL */
    int64_t K, n_redundant;
    double *memory;
    Judge padded;     /* with so many more ridges, which cost too much to count */
    double *by_ridge; /* (R, padded): of the support scored last, without dilution */
    double dilution;  /* of the support scored last, infinite where columns are dependent … */
    double repeated;  /* … and finite all the same */
    int is_from_rows; /* whether the support scored last needed the rows */
    int has_digits;   /* whether every score so far has digits enough */
} Scorer;

int scorer_open(
    Scorer *scorer, const Field *field, const Judge *judge, const Rows *rows, int64_t K,
    int64_t n_redundant);
void scorer_close(Scorer *scorer);
double score_of(Scorer *scorer, const int64_t *members);
/* Least squares on the members, (K,). */
void coefficients_of(Scorer *scorer, const int64_t *members, double *beta);

/* Directions that are not determined get the eigenvalue zero, and no part of y, `along` (K,):
   data/determined_directions.py has the rule. Returns how many there are. */
int64_t leave_undetermined(double *values, double *along, int64_t K);

/* Least squares on rows: eigenvalues (K,) and eigenvectors, the rows of Vt (K, K), of X_S'X_S, and
   y along the left singular vectors, `onto` (K,); returns the residual. `work` has
   (N + 2 K + 2) (K + 2) numbers. */
double spectrum_of_rows(
    const Rows *rows, const int64_t *members, int64_t K, double *values, double *Vt, double *onto,
    double *work);

/* One walk after another in the same memory (search/walk.py). */
typedef struct {
    const Field *field;
    Tableau tableau;
    int64_t *members;        /* (K,) */
    int64_t *excluded_until; /* (D,) */
    int64_t *locked_until;   /* (K,) */
    double *cost;            /* (D,): infinite where a column may not enter now */
    double *lowest;          /* (K,): the lowest of each member's bounds */
    double *bound;           /* (K, D and a few more) */
    double ridge, tolerance;
    int64_t step, refresh;
    int counts_log_det;
} Walk;

int walk_open(Walk *walk, const Field *field, int64_t K);
void walk_close(Walk *walk);
/* From `members` to a local optimum; walk->members is where it ends, walk->step how far it went. */
void walk_down(Walk *walk, const int64_t *members, double ridge, int64_t most_steps);

/* How far a walk goes on from one local optimum to others. */
typedef struct {
    int64_t length, n_local_optima, excluded_for, locked_for;
} Wandering;

/* The lowest local optima (n_local_optima, K), of which *n are found; `heights` has n_local_optima numbers. */
void walk_on(
    Walk *walk, const int64_t *members, double ridge, int64_t without, const Wandering *far,
    int64_t *optima, double *heights, int64_t *n);

/* How gates take their first steps (gates/alternate.py): the log of a gate's noise ratio as cubics
   between nodes (arrays/cubic_table.py), so many standard deviations beyond its stops. */
typedef struct {
    double tau;
    int64_t n_cubics;
    const double *cubics; /* (n_cubics, 4) */
    double first, step, reach;
    int64_t n_steps;
    double size, floor;
} Steps;

/* One problem of the gates: its rows where they are fewer than the columns, or its sums. */
typedef struct {
    int64_t N, D;
    const double *X, *y; /* (N, D) and (N,), or NULL: then … */
    const double *G, *b; /* … (D, D) and (D,) */
    double n, alpha;
    double *beta; /* (D,): the coefficients after the steps */
} GateProblem;

int64_t projstg_first_steps(const Steps *by, const GateProblem *of);

/* Greedy pursuits of B problems (greedy/matching_pursuit.py). */
typedef struct {
    int64_t B, D, N;
    const double *G, *X; /* (B, D, D), or (B, N, D) where G is NULL */
    int64_t n_steps, by_gain;
    double *correlation, *left;    /* (B, D): X'y and the squared norms, which change */
    const double *norm, *smallest; /* (B, D): the norms, and what a column must have left */
    int64_t *order;                /* (B, n_steps), as the next two */
    uint8_t *counts;
    double *projection, *found; /* the latter (B, n_steps, D) */
} Pursuit;

int64_t projstg_pursue(const Pursuit *of);

/* A search and how far it goes (search.c). */
typedef struct Search Search;
typedef struct Plan Plan;

/* What a search begins from, and what it finds. */
typedef struct {
    Generator *generator;
    int64_t K, n_redundant, n_given, n_known, n_before, n_challenges;
    const int64_t *starts;      /* (n_given, K) */
    const int64_t *known;       /* (n_known, K): supports in increasing order … */
    const double *known_scores; /* … with their scores */
    const double *before;       /* (n_before,): the best scores of earlier starts */
    int64_t *best;              /* (K,): the best support … */
    double *score;              /* … with its score */
    int64_t *numbers; /* (7,): how many supports and starts there are, how many exchanges were made,
                         whether every score has digits enough, whether the last exchanges are left to
                         the caller, how many challenges, how many starts arrived at the best */
} SearchTask;

Search *projstg_search(
    const Field *field, const Judge *judge, const Rows *rows, const Plan *plan,
    const SearchTask *task);
/* Least squares on a support (K,). */
void search_coefficients(Search *search, const int64_t *members, double *beta);

typedef struct {
    double score;
    int64_t place;
} Ranked;

/* So many supports at most are computed side by side. */
#define MOST_LANES 64

/* Supports of K columns at one ridge, n of them side by side: the last axis is that of the lanes. */
typedef struct {
    int64_t n;
    double *w, *diagonal, *Ps, *signs, *v, *a;                            /* (K, n) */
    double *rss, *h, *beta, *own, *total, *sPs, *left, *step, *residual; /* (n,) */
    double *factor, *flips, *score;                                       /* (n,) */
    double *lowest; /* (n,): the lowest score at the ridges so far */
} Lanes;

int64_t lanes_size(int64_t K);
void lanes_place(Lanes *of, double *memory, int64_t K);
/* Before the first ridge of n supports. */
void lanes_begin(Lanes *lanes, int64_t n);
/* The fits of the support of a tableau, and of those one column away (score/updates.py): with n pairs
   p D + j exchanged, with n columns from `first` on added, or n members left out. */
void lanes_present(const Judge *judge, const Tableau *t, Lanes *to);
void lanes_exchanged(const Judge *judge, const Tableau *t, const Ranked *places, Lanes *to);
void lanes_added(const Judge *judge, const Tableau *t, int64_t first, Lanes *to);
void lanes_left_out(const Judge *judge, const Tableau *t, int64_t first, Lanes *to);
/* Their scores at ridge r, lanes->score. */
void lanes_score(
    const Judge *judge, const Field *of, int64_t r, int64_t K, double volume, Lanes *lanes);

/* A support and all that are one column away (score/neighbours.py). */
typedef struct {
    int64_t D, K, n_exact;
    Tableau *states; /* one for each ridge */
    Dilution dilution;
    double *memory, *effects, *tables, *lowest, *diluted, *added_cost, *in_doubt, *by_ridge;
    void *heap;
    int64_t *order;    /* (R,) */
    double *exchanged; /* (K, D) */
    double present;
    int is_clear;
} Neighbours;

/* Whether rounding is small in all scores around a support at R ridges (score/tableau.py). */
int has_enough_digits(const Field *field, const Tableau *states, int64_t R, double rounding);

/* Whether no exchange of a support (K,), in increasing order, can have as low a score as it has; the
   tableau is for work (lead.c). */
int is_far_ahead(
    const Field *field, const Judge *judge, const int64_t *members, double score, double ridge,
    double digits, Tableau *t);

int neighbours_open(Neighbours *of, const Judge *judge, int64_t D, int64_t K, int64_t n_exact);
void neighbours_close(Neighbours *of);
void neighbours_fill(
    Neighbours *of, const Field *field, const Judge *judge, const int64_t *members,
    double least_ridge, double rounding, double *added_scores, double *left_scores);

#endif
