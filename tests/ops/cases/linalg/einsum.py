"""Rows for Einstein sums."""

from __future__ import annotations

from tests.ops.case import COMPLEX, FLOATS, Bad, Case

EINSUM_TYPES = (*FLOATS, "int32", "int64", *COMPLEX)


def _einsum(equation: str, *shapes: tuple[int, ...], bad: tuple[Bad, ...] = ()) -> Case:
    return Case(
        "Einsum",
        lambda v: [[v.any(*s) for s in shapes]],
        EINSUM_TYPES if equation in ("ij,jk->ik", "iij->j") else ("float32",),
        attrs={"equation": equation},
        gradients=tuple(range(len(shapes))),
        label=f"{equation} {shapes}",
        bad=bad,
    )


def _einsum_bad(text: str, when: str, *shapes: tuple[int, ...], equation: str = "") -> Bad:
    return Bad(
        lambda v: [[v.any(*s) for s in shapes]],
        text,
        when=when,
        attrs={"equation": equation} if equation else None,
    )


CASES = [
    _einsum(
        "ij,jk->ik",
        (2, 3),
        (3, 4),
        bad=(
            _einsum_bad("Shape must be rank 2 but is rank 3", "build", (2, 3, 4), (3, 4)),
            _einsum_bad("Expected input 0 to have rank 2 but got: 3", "run", (2, 3, 4), (3, 4)),
            _einsum_bad("Dimensions must be equal, but are 3 and 4", "build", (2, 3), (4, 4)),
            _einsum_bad("Expected dimension 3 at axis 0", "run", (2, 3), (4, 4)),
            _einsum_bad("exactly one '->'", "build", (2, 3), equation="ij"),
            _einsum_bad("Expected 2 inputs", "build", (2, 3), equation="ij,jk->ik"),
            _einsum_bad("Expecting 1 or 2 input", "build", (2,), (2,), (2,), equation="i,j,k->ijk"),
            _einsum_bad("has label 'k'", "build", (2, 3), equation="ij->ijk"),
            _einsum_bad("without ellipsis", "build", (2, 3, 4), equation="...ij->ij"),
            _einsum_bad(
                r"contains 1 broadcasting dimension\(s\)", "run", (2, 3, 4), equation="...ij->ij"
            ),
            _einsum_bad(
                "compatible batch dimensions",
                "run",
                (2, 2, 3),
                (3, 3, 4),
                equation="...ij,...jk->...ik",
            ),
            _einsum_bad(
                "rank at least 2 but got: 1", "run", (3,), (3, 3, 4), equation="...ij,...jk->...ik"
            ),
        ),
    ),
    _einsum("iij->j", (3, 3, 2)),
    _einsum("ij->ji", (2, 3)),
    _einsum("ij->", (2, 3)),
    _einsum("ii->i", (3, 3)),
    _einsum("ii->", (3, 3)),
    _einsum("i->ii", (3,)),
    _einsum("abc,cd->abd", (2, 3, 4), (4, 2)),
    _einsum("abcd,aebf->ecdf", (2, 3, 2, 2), (2, 3, 3, 2)),
    _einsum("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
    _einsum("i,j->ij", (2,), (3,)),
    _einsum("i,i->", (3,), (3,)),
    _einsum("ij,kj->k", (2, 3), (4, 3)),
    _einsum("iij,jjk->ik", (2, 2, 3), (3, 3, 4)),
    _einsum("...ij,...jk->...ik", (2, 3, 2, 3), (3, 3, 4)),
    _einsum("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 4)),
    _einsum("...i,i->...", (2, 3), (3,)),
    _einsum("...i,ij->j...", (4, 2, 3), (3, 2)),
    _einsum("...,...->...", (2, 3), (3,)),
    _einsum("ij...->...ji", (2, 3, 4)),
    _einsum("ij,jk->ik", (0, 3), (3, 4)),
]
