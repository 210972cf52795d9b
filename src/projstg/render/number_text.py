"""Numbers as people read them: a few digits, percent, differences with their sign."""

from __future__ import annotations

__all__ = ["chance", "minus_sign", "percent", "r_squared", "short_number", "signed"]


def short_number(value: float, digits: int = 4) -> str:
    """Return a number to so many digits, with an exponent only where it is very large or small.

    Examples
    --------
    >>> short_number(51548.2), short_number(-0.00042861), short_number(3.0), short_number(1.5e-7)
    ('51550', '-0.0004286', '3', '1.5e-07')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:.12g}" if 1e-4 <= abs(rounded) < 1e9 else f"{rounded:g}"


def chance(probability: float | None) -> str:
    """Return a probability in percent; data leave some doubt, so it is never 0 or 100.

    Examples
    --------
    >>> chance(0.734), chance(1.0), chance(None)
    ('73 %', '>99 %', '')
    """
    return percent(None if probability is None else min(max(probability, 1e-9), 1.0 - 1e-9))


def r_squared(value: float | None, digits: int = 2) -> str:
    """Return R² with so many decimals; what rounds to zero has no sign.

    One that is far below zero, as of rows far away from all others, has a few digits.

    Examples
    --------
    >>> r_squared(0.734), r_squared(-0.001), r_squared(-0.2, 3), r_squared(-5.2479e27)
    ('0.73', '0.00', '-0.200', '-5.25e+27')
    """
    if value is None:
        return "not known"
    return f"{value:z.{digits}f}" if abs(value) < 1000.0 else short_number(value, 3)


def percent(share: float | None) -> str:
    """Return a share in percent; nothing where it is not known.

    Examples
    --------
    >>> percent(0.734), percent(0.0), percent(1e-9), percent(0.9999), percent(None)
    ('73 %', '0 %', '<1 %', '>99 %', '')
    """
    if share is None:
        return ""
    if 0.0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f} %"


def signed(value: float) -> str:
    """Return a difference with its sign and three decimals.

    Examples
    --------
    >>> signed(-0.0421), signed(0.0), signed(0.5)
    ('−0.042', '0.000', '+0.500')
    """
    text = f"{value:+.3f}"
    return "0.000" if text[1:] == "0.000" else minus_sign(text)


def minus_sign(text: str) -> str:
    """Return a number with a minus sign instead of a hyphen.

    Examples
    --------
    >>> minus_sign("-0.5")
    '−0.5'
    """
    return text.replace("-", "−")
