/* Logarithm and exponential without branches and without a library.

   A loop over them becomes vector code, and they give the same digits on every machine that rounds
   as IEEE 754 says. Their error is a few units in the last place. */

#ifndef PROJSTG_ELEMENTARY_H
#define PROJSTG_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Hot functions exist for newer processors, too; the loader of the system chooses. The
   numbers are the same: nothing is reordered or contracted. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(PROJSTG_ONE_PATH)
#define HAS_SEVERAL_PATHS
#ifdef PROJSTG_NO_AVX512F
#define SEVERAL_PATHS __attribute__((target_clones("avx2", "default")))
#else
#define SEVERAL_PATHS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define SEVERAL_PATHS
#endif

/* Before a loop whose turns do not depend on each other. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE double of_bits(int64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A whole number 0 <= k < 2^52 in the last bits of 2^52 + k. */
#define TWO_TO_52 4503599627370496.0

/* log x for a positive, normal x; infinity has a large, finite logarithm.

   x = 2^e m with m between 1/sqrt(2) and sqrt(2), and with s = (m - 1)/(m + 1)
   log m = 2 (s + s^3/3 + s^5/5 + ...), of which eleven terms are enough. */
ALWAYS_INLINE double log_of(double x) {
    const int64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
    int64_t shifted = bits_of(x) + (one - root_half);
    int64_t biased = (int64_t)((uint64_t)shifted >> 52);
    double m = of_bits((shifted & 0x000fffffffffffff) + root_half);
    double e = of_bits(biased | bits_of(TWO_TO_52)) - (TWO_TO_52 + 1023.0);
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 21.0;
    sum = sum * z + 1.0 / 19.0;
    sum = sum * z + 1.0 / 17.0;
    sum = sum * z + 1.0 / 15.0;
    sum = sum * z + 1.0 / 13.0;
    sum = sum * z + 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z + 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z + 1.0 / 3.0;
    double twice = s + s;
    /* log 2 in two parts: the first has so few digits that e times it is exact. */
    return e * 0x1.62e42fefa38p-1 + (twice + (twice * (z * sum) + e * 0x1.ef35793c7673p-45));
}

/* A number below log2 x, by ROUGHLY at most, for a positive, normal x. */
#define ROUGHLY 0.0054
ALWAYS_INLINE double rough_log2(double x) {
    int64_t bits = bits_of(x);
    double m = of_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000) - 1.0;
    int64_t top = (int64_t)((uint64_t)bits >> 12);
    double line = (of_bits(top | bits_of(TWO_TO_52)) - TWO_TO_52) * 0x1p-40 - 1023.0;
    return line + m * (1.0 - m) * (0.4426 - 0.164 * m) - 0.0053;
}

/* log(1 + x) for x >= 0. What is lost of x in 1 + x counts where x is small. */
ALWAYS_INLINE double log1p_of(double x) {
    double u = 1.0 + x, lost = x - (u - 1.0);
    return log_of(u) + (u < 2.0 ? lost : 0.0);
}

/* exp x for x <= 709; zero where it would not be a normal number.

   x = k log 2 + r with |r| <= log(2)/2, and exp r is its series up to r^13. */
ALWAYS_INLINE double exp_of(double x) {
    const double shift = 6755399441055744.0; /* 1.5 2^52 rounds to a whole number */
    double y = x < -708.0 ? -708.0 : x;
    double t = y * 0x1.71547652b82fep0 + shift;
    double k = t - shift;
    double r = (y - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r * r + r + 1.0;
    int64_t power = (bits_of(t) - bits_of(shift) + 1023) << 52;
    double found = sum * of_bits(power);
    return x < -708.0 ? 0.0 : found;
}

#endif
