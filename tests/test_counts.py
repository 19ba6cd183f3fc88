"""Numbers with their nouns, in the lines of commands and in the report."""

import pytest

from grambench.common.counts import counted, in_line, within


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "run", "0 runs"), (1, "data set", "1 data set"), (2, "data set", "2 data sets"), (2, "study", "2 studies")],
)
def test_a_noun_is_in_the_plural_unless_there_is_one(number, noun, text):
    assert counted(number, noun) == text


def test_names_with_commas_stand_between_semicolons():
    assert in_line(["D1", "D2"]) == "D1, D2"
    assert in_line(["Uniform SVM, centred", "D2"]) == "Uniform SVM, centred; D2"
    assert in_line(["D1", "D2", "D3"], 3) == "D1, D2, D3" and in_line(["D1", "D2", "D3"], 1) == "D1 and 2 more"


def test_a_label_within_a_sentence_keeps_abbreviations_and_symbols():
    labels = ("AUC (%)", "C", "Time (s)", "F1", "ε of a kernel")
    assert tuple(map(within, labels)) == ("AUC (%)", "C", "time (s)", "F1", "ε of a kernel")


def test_commands_say_one_data_set(call):
    assert ": 1 data set, 7 algorithms\n" in call("list", "studies")[1]
    assert call("validate", "ca_gaussian")[1].startswith("ca_gaussian: 1 data set, ")
