"""`Evals`: attempts of language models at questions."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError, option
from calibrant.pairs import Pairs
from calibrant.pairs.shares import without_shares
from calibrant.structures.evals.agreement import Shares, agreement, majority
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.averaging import Averaged, averaged
from calibrant.structures.evals.choices import Choices, choices_of
from calibrant.structures.evals.kinds import BY_OPTION, BY_QUESTION, KINDS, SCALAR, check_kind
from calibrant.structures.evals.options import Options

if TYPE_CHECKING:
    import polars

    from calibrant.structures.evals.attempts import Attempts

SHARES = ("agreement", "majority")  # kinds that count other attempts
FROM_TOKENS = ("token", "sequence", "perplexity")  # kinds that temperature may have changed
UNPARSED = "unparsed"  # the reason of attempts without an answer that could be read
NOTHING: Mapping[str, str] = {}
LENGTHS = {"choice_per_character": "option_characters", "choice_per_byte": "option_bytes"}


class Part(NamedTuple):
    """The attempts of one model at one task."""

    model: str
    task: str
    evals: "Evals"


class Evals:
    """Attempts of language models at questions: what was answered, what is true, how sure.

    Each row is one attempt. Attempts that cannot be scored stay in the table, with the reason in
    the column `aside`, and are never counted as wrong.

    Attributes
    ----------
    frame
        A polars data frame with the columns model, task, question, group (document or category),
        epoch, answer, gold, correct, aside, one column for each kind of confidence that is one
        number, and lists of the options of multiple-choice questions.
    notes
        What was read, and what deserves attention, in words.
    settings
        What the reader was told and numbers depend on; signatures contain it.
    """

    def __init__(
        self,
        frame: "polars.DataFrame",
        notes: Sequence[str] = (),
        settings: Mapping[str, str] = NOTHING,
    ) -> None:
        self.frame = frame
        self.notes = tuple(notes)
        self.settings = dict(settings)

    @classmethod
    def of(
        cls, attempts: "Attempts", notes: Sequence[str] = (), settings: Mapping[str, str] = NOTHING
    ) -> "Evals":
        """The attempts that a reader collected."""
        return cls(attempts.frame(), notes, settings)

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        models, tasks = (self.frame[name].n_unique() for name in ("model", "task"))
        kinds = ", ".join(self.kinds) or "no confidence"
        return f"Evals({len(self)} attempts, models: {models}, tasks: {tasks}; {kinds})"

    @cached_property
    def scored(self) -> "polars.DataFrame":
        """The attempts that are known to be right or wrong."""
        import polars as pl

        return self.frame.filter(pl.col("aside").is_null() & pl.col("correct").is_not_null())

    @property
    def accuracy(self) -> float:
        """The share of right answers among the scored attempts; NaN if there are none."""
        mean = self.scored["correct"].mean()
        return float("nan") if mean is None else float(mean)  # type: ignore[arg-type]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of confidence that these attempts have."""
        frame = self.scored
        found = {kind for kind in SCALAR if frame[kind].null_count() < frame.height}
        listed = frame.filter(frame["option_loglik"].is_not_null())
        if listed.height:
            found.add("choice")
            if listed["option_correct"].null_count() < listed.height:
                found.add("choice_all")
            if listed["option_characters"].null_count() < listed.height:
                found |= {"choice_per_character", "choice_per_byte"}
        repeated = frame.select("model", "task", "question").is_duplicated().any()
        if repeated and "choice_all" in found and self._averaged.row.size:
            found.add("averaged")
        for kind in SHARES if repeated else ():
            if self._shares(kind, normalise).row.size:
                found.add(kind)
        return tuple(kind for kind in KINDS if kind in found)

    def parts(self) -> list[Part]:
        """The attempts of each model at each task."""
        names = self.frame.select("model", "task").unique()
        if names.height == 1:  # nothing to copy, and what is known of the attempts is kept
            model, task = names.row(0)
            return [Part(str(model), str(task), self)]
        return [
            Part(str(model), str(task), Evals(part, self.notes, self.settings))
            for (model, task), part in self.frame.group_by(["model", "task"], maintain_order=True)
        ]

    def set_aside(self) -> dict[str, int]:
        """How many attempts cannot be scored, by reason."""
        counts = self.frame["aside"].drop_nulls().value_counts(sort=True)
        return {str(reason): int(many) for reason, many in counts.iter_rows()}

    def with_unparsed_wrong(self) -> "Evals":
        """The same attempts, where answers that could not be parsed count as wrong."""
        import polars as pl

        unparsed = pl.col("aside").eq_missing(UNPARSED)
        frame = self.frame.with_columns(
            correct=pl.when(unparsed).then(pl.lit(False)).otherwise(pl.col("correct")),
            aside=pl.when(unparsed).then(None).otherwise(pl.col("aside")),
        )
        return Evals(frame, self.notes, self.settings | {"unparsed": "wrong"})

    def stated_settings(self, kind: str) -> list[str]:
        """The settings that numbers of this kind depend on, as signatures show them."""
        found = [f"unparsed={each}" for name, each in self.settings.items() if name == "unparsed"]
        if kind in FROM_TOKENS:
            found.append(f"logprobs={self.settings.get('logprobs', 'unstated')}")
        return found

    def without_confidence(self, kind: str) -> int:
        """How many scored attempts have no confidence of this kind, and are behind none."""
        rows = self._rows_of(kind)
        if kind in BY_QUESTION:
            asked = set(_keys(rows))
            return sum(each not in asked for each in _keys(self.scored))
        return len(self.scored) - rows.height

    def pairs(
        self,
        kind: str,
        *,
        group: str | None = "group",
        normalised: Callable[[str], str] = normalise,
    ) -> Pairs:
        """Pairs of "was the answer right?" and the confidence of this kind.

        Parameters
        ----------
        kind
            The kind of confidence; see `kinds`.
        group
            "group" groups attempts by document or category if the log has them, else by question;
            "question" always by question. None treats attempts as independent.
        normalised
            For agreement: the function that makes equal answers equal.
        """
        self._check_has(kind)
        if group not in ("group", "question", None):
            raise ParameterError(
                f'{option("group")} must be "group", "question" or None, but it is {group!r}.'
            )
        if kind in SHARES:
            shares, frame = self._shares(kind, normalised), self.scored
            used = frame[shares.row.tolist()]
            return Pairs.from_draws(
                used["correct"].to_numpy(),
                shares.same,
                shares.others,
                group=_groups(used, group or "question"),
            )
        frame = self._rows_of(kind)
        if kind in SCALAR:
            found = Pairs(frame["correct"].to_numpy(), frame[kind].to_numpy(), **_by(frame, group))
            return without_shares(found)  # models state round numbers
        if kind == "choice":
            q = _options(frame).chosen().q
            return Pairs(frame["correct"].to_numpy(), q, **_by(frame, group))
        if kind == "averaged":
            pooled = self._averaged.options.chosen()
            return Pairs(pooled.correct, pooled.q, **_by(frame, group))
        options = _options(frame)
        if kind == "choice_all":
            owner = options.owner
            groups = _groups(frame, "question" if group is None else group)
            return Pairs(
                options.correct, options.probabilities(), group=[groups[i] for i in owner.tolist()]
            )
        chosen = options.chosen(_lengths(frame, kind))
        return Pairs(chosen.correct, chosen.q, **_by(frame, group))

    def shares(self, kind: str) -> Pairs:
        """Agreement or majority as predictions: (same + ½) / (others + 1), never 0 or 1.

        Its share of other attempts is what an attempt is predicted by. How well shares would be
        calibrated without the noise of few attempts is what `pairs` is for.
        """
        self._check_has(kind)
        found = self._shares(kind, normalise)
        used = self.scored[found.row.tolist()]
        q = (found.same + 0.5) / (found.others + 1)
        return Pairs(used["correct"].to_numpy(), q, group=_groups(used, "group"))

    def choices(self, kind: str = "choice") -> tuple[Choices, list[str]]:
        """The probabilities of all options, where one is right; and the group of each question.

        With the kind "averaged", those are means over the attempts at a question.
        """
        mean = kind == "averaged"
        frame = self._rows_of("averaged" if mean else "choice_all")
        found = choices_of(self._averaged.options if mean else _options(frame))
        return found, _groups(frame[found.question.tolist()], "group")

    def _check_has(self, kind: str) -> None:
        if check_kind(kind) not in self.kinds:
            raise InputError(
                f"No attempt has a confidence of the kind {kind}. "
                f"These attempts have: {', '.join(self.kinds) or 'none'}."
            )

    def _rows_of(self, kind: str) -> "polars.DataFrame":
        """The scored attempts that have a confidence of this kind."""
        frame = self.scored
        if kind in SCALAR:
            return frame.filter(frame[kind].is_not_null())
        if kind in SHARES:
            rows: polars.DataFrame = frame[self._shares(kind, normalise).row.tolist()]
            return rows
        if kind == "averaged":
            best: polars.DataFrame = self._rows_of("choice_all")[self._averaged.row.tolist()]
            return best
        needed = {"choice": ["option_loglik"], "choice_all": ["option_correct"]}
        return frame.drop_nulls(needed.get(kind, ["option_correct", LENGTHS.get(kind, "gold")]))

    @cached_property
    def _averaged(self) -> Averaged:
        """The mean probabilities of options, over attempts that list them."""
        frame = self._rows_of("choice_all")
        return averaged(_keys(frame), _options(frame))

    def _shares(self, kind: str, normalised: Callable[[str], str]) -> Shares:
        frame = self.scored
        keys, answers = _keys(frame), frame["answer"].to_list()
        if kind == "majority":
            return majority(keys, frame["epoch"].to_list(), answers, normalised)
        return agreement(keys, answers, normalised)

    def to_frame(self) -> "polars.DataFrame":
        """The attempts, with the confidence in the chosen option and whether it is correct."""
        import polars as pl

        frame = self.frame.with_row_index("_row")
        for kind in BY_OPTION:
            needed = [LENGTHS[kind], "option_correct"] if kind in LENGTHS else ["option_loglik"]
            rows = frame.drop_nulls(needed)
            if not rows.height:
                continue
            chosen = _options(rows).chosen(_lengths(rows, kind))
            values = {"_row": rows["_row"], kind: pl.Series(chosen.q)}
            if kind != "choice":  # its own answer may be another one
                values[kind.replace("choice", "correct")] = pl.Series(chosen.correct)
            frame = frame.join(pl.DataFrame(values), on="_row", how="left", maintain_order="left")
        return frame.drop("_row")

    def answers(self, kind: str) -> "polars.DataFrame":
        """One row for each pair of this kind: who answered what, y, q, and the group.

        Shares of agreement are counts: `yes` of `draws` other attempts agree.
        """
        import polars as pl

        self._check_has(kind)
        frame = self._rows_of(kind)
        told = frame.select("model", "task", "question", "group", "epoch", "answer", "gold")
        told = told.with_columns(group=pl.Series(_groups(frame, "group"), dtype=pl.String))
        if kind in SHARES:
            shares = self._shares(kind, normalise)
            return told.with_columns(
                y=frame["correct"], yes=pl.Series(shares.same), draws=pl.Series(shares.others)
            )
        if kind in SCALAR:
            return told.with_columns(y=frame["correct"], q=frame[kind])
        if kind == "averaged":
            pooled, chose = self._averaged.options.chosen(), pl.Series(self._averaged.chose)
            return told.with_columns(
                epoch=pl.lit(1, told["epoch"].dtype),  # a single row for each question
                answer=pl.when(chose).then("answer"),  # perhaps no attempt chose that option
                y=pl.Series(pooled.correct),
                q=pl.Series(pooled.q),
            )
        options = _options(frame)
        if kind == "choice_all":
            every: polars.DataFrame = told[options.owner.tolist()]
            place = np.arange(options.loglik.size) - options.start[options.owner]
            return every.with_columns(
                option=pl.Series(place),
                y=pl.Series(options.correct),
                q=pl.Series(options.probabilities()),
            )
        chosen = options.chosen(_lengths(frame, kind))
        y = frame["correct"] if kind == "choice" else pl.Series(chosen.correct)
        return told.with_columns(y=y, q=pl.Series(chosen.q))

    def save(self, path: str | Path, kind: str | None = None) -> None:
        """Write the attempts to a file (Parquet, JSON lines, CSV).

        With a kind, the file has a row for each pair of that kind, and every command reads it.
        """
        from calibrant.tables.writing import write_frame

        write_frame(self.to_frame() if kind is None else self.answers(kind), path)


def _keys(frame: "polars.DataFrame") -> list[tuple[str, str, str]]:
    """What attempts at the same question by the same model share."""
    return list(zip(frame["model"], frame["task"], frame["question"], strict=True))


def _by(frame: "polars.DataFrame", group: str | None) -> dict[str, list[str]]:
    """The groups as an argument of Pairs; none if every attempt is a question of its own."""
    if group is None:
        return {}
    groups = _groups(frame, group)
    return {"group": groups} if len(set(groups)) < len(groups) else {}


def _groups(frame: "polars.DataFrame", group: str) -> list[str]:
    """The group of each attempt: its document or category, or its question."""
    import polars as pl

    asked = pl.concat_str(["task", "question"], separator="/")
    chosen = asked if group == "question" else pl.coalesce("group", asked)
    names: list[str] = frame.select(chosen).to_series().to_list()
    return names


def _options(frame: "polars.DataFrame") -> Options:
    """The options of these attempts in one array."""
    counts = frame["option_loglik"].list.len().to_numpy()
    loglik = frame["option_loglik"].explode().to_numpy()
    known = frame["option_correct"].null_count() == 0
    correct = frame["option_correct"].explode().to_numpy() if known else np.zeros(loglik.size, bool)
    return Options(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), loglik, correct)


def _lengths(frame: "polars.DataFrame", kind: str) -> NDArray[np.float64] | None:
    if kind not in LENGTHS:
        return None
    return frame[LENGTHS[kind]].explode().to_numpy().astype(np.float64)
