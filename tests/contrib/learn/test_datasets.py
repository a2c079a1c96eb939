"""tf.contrib.learn.datasets: what TensorFlow 1.15 loads and draws."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dataflow.contrib.learn import datasets
from dataflow.errors import NotFoundError


@pytest.fixture(autouse=True)
def numpys_numbers() -> Iterator[None]:
    state = np.random.get_state()
    yield
    np.random.set_state(state)


def test_irises(tmp_path: Path) -> None:
    found = datasets.load_dataset("iris")
    assert found.data.shape == (150, 4) and found.target.dtype == np.int64
    np.testing.assert_allclose(found.data.sum(0), [876.5, 458.1, 563.8, 179.8])
    assert found.data[34].tolist() == [4.9, 3.1, 1.5, 0.1]
    assert found.target[::30].tolist() == [0, 0, 1, 1, 2]
    path = tmp_path / "own.csv"
    path.write_text("2,3,a,b\n1.5,2,3,0\n4,5,6,1\n")
    own = datasets.load_iris(path)
    assert own.data.tolist() == [[1.5, 2, 3], [4, 5, 6]] and own.target.tolist() == [0, 1]
    priced = datasets.load_boston(str(path))
    assert priced.target.dtype == np.float64 and priced.target.tolist() == [0, 1]


def test_houses_are_asked_for() -> None:
    with pytest.raises(NotFoundError, match="give its path as data_path"):
        datasets.load_dataset("boston")


def drawn(name: str, **options: Any) -> tuple[Any, Any, float]:
    """Points, classes and the number that numpy draws next."""
    found = datasets.make_dataset(name, **options)
    return found.data, found.target, np.random.rand()


def test_circles() -> None:
    data, target, _ = drawn("circles")
    radii = np.hypot(*data.T)
    np.testing.assert_allclose(radii, np.where(target == 0, 1, 0.8))
    assert target.dtype == np.int32 and target.sum() == 50
    data, target, following = drawn("circles", n_samples=11, factor=0.5, n_classes=3)
    assert np.bincount(target).tolist() == [5, 3, 3]
    again = drawn("circles", n_samples=11, factor=0.5, n_classes=3)
    assert np.array_equal(data, again[0]) and following == again[2]
    noisy = drawn("circles", n_samples=11, factor=0.5, n_classes=3, noise=0.1)
    assert np.array_equal(noisy[1], target)
    # What TensorFlow 1.15 draws.
    np.testing.assert_allclose(
        noisy[0][:2], [[1.007983, -0.015952], [-0.997778, -0.042779]], atol=1e-6
    )
    assert noisy[2] == pytest.approx(0.182236, abs=1e-6)
    assert 0.03 < np.std(noisy[0] - data) < 0.3


@pytest.mark.parametrize(
    ("options", "radii"),
    [
        ({}, lambda angles: angles),
        ({"mode": "fermat", "n_loops": 3}, np.sqrt),
        ({"mode": "bernoulli", "exp_scale": 0.3}, lambda angles: np.exp(0.3 * angles)),
    ],
)
def test_spirals(options: Any, radii: Any) -> None:
    data, target, _ = drawn("spirals", **options)
    assert np.abs(data).max() == 1 and target.sum() == 50
    angles = np.linspace(0, 2 * np.pi * options.get("n_loops", 2), 50)
    for label in range(2):
        points = radii(angles) * np.stack([np.cos(angles), np.sin(angles)]) * (-1) ** label
        points = (points / np.abs(points).max(1, keepdims=True)).T
        found = data[target == label]
        order = np.lexsort(np.round(points, 9).T), np.lexsort(np.round(found, 9).T)
        np.testing.assert_allclose(found[order[1]], points[order[0]], atol=1e-9)


def test_odd_spirals() -> None:
    data, target, _ = drawn("spirals", n_samples=9)
    assert data.shape == (9, 2) and np.bincount(target).tolist() == [5, 4]
    # One point alone is divided by itself.
    assert any(np.abs(np.abs(each) - 1).max() < 1e-12 for each in data[target == 0])


def test_abstracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_EXP_BASE_DIR", str(tmp_path))
    folder = tmp_path / "dbpedia_data"
    folder.mkdir()
    with pytest.raises(NotFoundError, match=r"dbpedia_csv\.tar\.gz must be put there"):
        datasets.load_dataset("dbpedia")
    source = tmp_path / "dbpedia_csv"
    source.mkdir()
    for name, count in (("train", 2001), ("test", 3)):
        rows = [f"{number % 14},title {number},text {number}" for number in range(count)]
        (source / f"{name}.csv").write_text("\n".join(rows) + "\n")
    with tarfile.open(folder / "dbpedia_csv.tar.gz", "w:gz") as archive:
        archive.add(source, "dbpedia_csv")
    small = datasets.load_dataset("dbpedia")
    assert small.train.data.tolist() == [[f"title {n}", f"text {n}"] for n in (0, 1000, 2000)]
    assert small.train.target.tolist() == [0, 6, 12] and small.validation is None
    assert len(datasets.load_dataset("dbpedia", size="large").test.data) == 3
    with pytest.raises(ValueError, match="no fake data"):
        datasets.load_dataset("dbpedia", test_with_fake_data=True)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="Name of dataset is not found: x"):
        datasets.load_dataset("x")
    with pytest.raises(ValueError, match="Synthetic dataset not found or not implemeted: x"):
        datasets.make_dataset("x")
    with pytest.raises(ValueError, match="Cannot generate spiral with mode y"):
        datasets.make_dataset("spirals", mode="y")
