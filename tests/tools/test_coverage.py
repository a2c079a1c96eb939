"""What README and the page of coverage say of names is what is counted today."""

from __future__ import annotations

from tools.documents import coverage


def test_documents_are_fresh() -> None:
    hint = "run python -m tools.documents.coverage"
    readme = (coverage.ROOT / "README.md").read_text(encoding="utf-8")
    assert coverage.with_summary(readme) == readme, hint
    page = (coverage.ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert coverage.table() == page, hint


def test_counts_are_of_what_is_there() -> None:
    split = coverage.modules()
    there, absent = split["tf.bitwise"]
    assert sorted(there) == [
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "invert",
        "left_shift",
        "right_shift",
    ]
    assert not absent
    assert "profile" in split["tf.profiler"][0]
    assert not split["tf.lite"][0]
    assert "LMDBReader" in split["tf"][1]
