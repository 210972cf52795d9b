/* Whether a support is so far ahead of all that are one exchange away that these need not be scored.

   score/evidence.py:least_scores has the bound: with a ridge a residual is larger, and signs, a common
   size and dilution cost something. */

#include "kernel.h"

/* What a bound must be above a score to tell, whatever rounding does. */
#define CLEARLY 0.01

/* A bound from below of what supports of K columns cost beside their residuals. */
static double least_cost(const Judge *judge, int64_t K) {
    double lowest = INFINITY, sum = 0.0;
    for (int turn = 0; turn < 2; turn++)
        for (int64_t r = 0; r < judge->R; r++) {
            double zero = judge->zero_cost[r], size = judge->size_cost[r];
            double more = judge->volume[r * judge->n_sizes + K], least = zero < size ? zero : size;
            if (turn)
                sum += exp_of(-0.5 * (more + zero - lowest)) + exp_of(-0.5 * (more + size - lowest));
            else
                lowest = more + least < lowest ? more + least : lowest;
        }
    return lowest - 2.0 * log_of(sum);
}

/* A tableau has a ridge, and without it the residual is lower by sum c^2/e ridge/(e + ridge) over the
   directions of the support, e their eigenvalues: at most ridge tr P' yy. Where column j takes the place
   of a member, tr P' <= tr P + (1 + |u|^2)/den, and |u|^2 <= n tr P. */
int is_far_ahead(
    const Field *field, const Judge *judge, const int64_t *members, double score, double ridge,
    double digits, Tableau *t) {
    int64_t D = t->D, K = t->K;
    double trace = 0.0;
    tableau_fresh(t, field, members, ridge);
    if (!has_enough_digits(field, t, 1, digits)) return 0;
    double most = (score + CLEARLY - least_cost(judge, K)) / field->dof;
    double least_rss = exp_of(most < 700.0 ? most : 700.0);
    for (int64_t i = 0; i < K; i++) trace += row_of(t, i)[D + 1 + i];
    for (int64_t p = 0; p < K; p++) {
        if (field->locked[members[p]]) continue;
        Leaver one = leaver_of(t, p);
        const double *U = row_of(t, p);
        int64_t member = 0; /* members are in increasing order */
        for (int64_t j = 0; j < D; j++) {
            if (member < K && members[member] == j) {
                member++;
                continue;
            }
            Left left = left_by(one, U[j], t->e[j], t->h[j], field->floor);
            double share = ridge * (trace + (1.0 + field->n * trace) * one.p / left.volume);
            if (!(left.rss - share * field->yy > least_rss) && !field->excluded[j]) return 0;
        }
    }
    return 1;
}
