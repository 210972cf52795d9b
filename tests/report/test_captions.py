"""Every experiment has its words."""

from made_up_runs import (
    UNTOLD,
    everything,
    row,
    summary_of,
)

from projstg.experiments.spec import spec_names
from projstg.report.captions import ENTRIES, entry_for, in_order
from projstg.report.figure_specs import METRICS
from projstg.report.panels import panels


def test_every_experiment_of_the_package_has_its_words():
    assert set(spec_names()) <= set(ENTRIES)
    for entry in ENTRIES.values():
        assert entry.metric in METRICS
        assert entry.caption.endswith(".")


def test_figures_on_tables_say_what_is_true_in_them_and_who_chooses_the_size():
    drawn = dict(in_order(summary_of(everything())))
    assert drawn["real_fdr"] is drawn["real_tpr"]
    assert list(drawn).index("real_tpr") == list(drawn).index("real_fdr") + 1
    found = panels(drawn["real_tpr"], ENTRIES["real_tpr"])
    assert [panel.title for panel in found] == [
        "AILERON, planted, N = 200, SNR = 5, exactly K",
        "AILERON, planted, N = 200, SNR = 5, own size",
        "TRIAZINES, planted, N = 120, SNR = 5, exactly K",
        "TRIAZINES, planted, N = 120, SNR = 5, own size",
    ]
    assert set(found[1].table["method"]) == set(UNTOLD)
    nuisance = panels(drawn["real_nuisance"], ENTRIES["real_nuisance"])
    assert nuisance[0].title == "AILERON, nuisance, N = 200, exactly K"


def test_an_experiment_without_an_entry_is_drawn_against_what_varies_most():
    lines = [row("mine", "omp", 0.5, snr=snr, noise_std=None) for snr in (1.0, 2.0, 4.0)]
    assert entry_for("mine", summary_of(lines)).views == ("snr",)
