"""Digests by which a journal recognizes a job, and an engine its levels. Workers compare `Problem.identity` instead."""

from parsolve.compiler.identity import CodeIdentity
from parsolve.problem.data import digest_of
from parsolve.problem.problem import Identity, Problem

TRIED = (0, 1, 2, 3, 1000, 1 << 40)
"""Sums of weights whose totals are in a digest of rules: `total` may read values that its code does not show."""


def rules_digest(problem: Problem) -> str:
    """Return a digest of the rules, which are the same with all its bounds, and the meaning of `total`."""
    total, rules = problem.counting.total, problem.unbounded.compiled_rules.identity.digest
    if total is int:
        return rules
    return digest_of([rules, CodeIdentity({"total": total}).digest, [problem.total(weights) for weights in TRIED]])


def job_identity(problem: Problem) -> Identity:
    """Return what a journal compares before it resumes a job: the digest of its rules, and one of the data with which
    its search begins, with the reason if there is no solution."""
    data, unsolvable = problem.begun.identity.data, problem.unsolvable
    return Identity(rules_digest(problem), digest_of([data, unsolvable]) if unsolvable else data)


def levels_digest(problem: Problem) -> str:
    """Return a digest of all that levels of its states mean: its identity, and each declaration that they depend on."""
    back, unshared = problem.inverse, CodeIdentity({"unshared": type(problem.given).unshared})
    declared = problem.graph, problem.goals(), back and back.identity, problem.multiplicity, unshared.digest
    return digest_of([*problem.identity, *declared])
