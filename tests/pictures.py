"""What tests of pictures share: the problem behind them, and what is read off axes."""

D, TRUE = 12, [1, 4, 6]
NAMES = [f"name {d}" for d in range(D)]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labels_down_the_side(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def labels_below(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def widths(ax):
    """Length of each bar by its place from the top."""
    return {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in ax.patches}


def members(ax):
    """The large dots of each alternative."""
    return [line for line in ax.lines if (line.get_marker(), line.get_markersize()) == ("o", 6.0)]
