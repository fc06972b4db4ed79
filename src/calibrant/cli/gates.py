"""Gates of `calibrant score`: what lets the command fail, and why."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from calibrant.cli.options import Limits, Reader, note, with_reader

if TYPE_CHECKING:
    from calibrant.calibration.analyses.comparison import Comparison
    from calibrant.calibration.scores import Score
    from calibrant.cli.inputs.models import Models
    from calibrant.results.estimate import Estimate, Estimates

GATE = "Gate"  # panel of the help
ENDS = ("value", "low", "high")
NAMES_OF_ENDS = {"low": "lower", "high": "upper"}


class Outcome(NamedTuple):
    """What a gate found about a score, in a sentence; empty if there is nothing to say."""

    score: str
    failed: bool
    sentence: str = ""


class Gate(NamedTuple):
    """The limit of scores, and the file that they must not be worse than."""

    above: float | None
    end: str
    baseline: str | None
    key: tuple[str, ...]
    own_answers: bool
    junit: str | None  # where the outcomes are written

    def check(self, read: Reader, limits: Limits, files: Sequence[str], by: object) -> None:
        """Refuse options that do not fit each other, before anything is read."""
        from calibrant.errors import ParameterError, UnknownName

        if self.end not in ENDS:
            raise UnknownName("end of --fail-on", self.end, ENDS)
        if self.end != ENDS[0] and self.above is None:
            raise ParameterError(f"--fail-on {self.end} needs a limit: give --fail-above.")
        if self.end != ENDS[0] and limits.interval is None:
            raise ParameterError(
                f"--fail-on {self.end} needs an interval: leave --interval none out."
            )
        if self.junit is not None:
            self._check_junit(self.junit, files)
        if self.baseline is not None:
            _check_baseline(self.baseline, read, limits, files, by)
        elif self.key:
            raise ParameterError("--key joins two files: give --fail-if-worse as well.")
        elif self.own_answers:
            raise ParameterError("--own-answers is about two files: give --fail-if-worse as well.")

    def _check_junit(self, junit: str, files: Sequence[str]) -> None:
        from calibrant.cli.output import check_output
        from calibrant.errors import ParameterError

        if self.above is None and self.baseline is None:
            raise ParameterError(
                "--junit holds the outcome of a gate: give --fail-above or --fail-if-worse."
            )
        if junit == "-":
            raise ParameterError("--junit is the name of a file: standard output has the scores.")
        check_output(junit, *files, *(() if self.baseline is None else (self.baseline,)))

    def models(self, read: Reader, file: str) -> "Models | None":
        """The pairs of the file and of the baseline, in this order; None without a baseline."""
        from calibrant.cli.inputs.models import Models, joint_key
        from calibrant.tables import file_names

        if self.baseline is None:
            return None
        both = (file, self.baseline)
        if not self.key:
            pairs = [read(each) for each in both]
            return Models(dict(zip(file_names(both), pairs, strict=True)))
        found = [read.with_keys(each, self.key) for each in both]
        pairs = [each for each, _ in found]
        keys = [joint_key(self.key, columns) for _, columns in found]
        return Models(dict(zip(file_names(both), pairs, strict=True)), keys)

    def limit_outcomes(self, estimates: "Estimates") -> list[Outcome]:
        """Whether each score, or this end of its interval, is above the limit or unknown."""
        if self.above is None:
            return []
        return [self._of_limit(each, self.above) for each in estimates]

    def _of_limit(self, estimate: "Estimate", limit: float) -> Outcome:
        found = getattr(estimate, self.end)
        if found is not None and found <= limit:
            return Outcome(estimate.score, False)
        which = (
            "" if self.end == ENDS[0] else f": the {NAMES_OF_ENDS[self.end]} end of its interval"
        )
        return Outcome(estimate.score, True, f"{estimate}{which} is above {limit:g}.")

    def baseline_outcomes(
        self, models: "Models | None", scores: "Sequence[Score]", limits: Limits
    ) -> list[Outcome]:
        """Whether the first model is significantly worse than the second, by each score."""
        from calibrant.verbs import compare

        if models is None:
            return []
        every = [
            compare(
                models.pairs,
                score,
                key=models.keys,
                own_answers=self.own_answers,
                interval=limits.interval,
                level=limits.level,
            )
            for score in scores
        ]
        _note_if_it_cannot_fail(every[0])
        return [_of_comparison(each, *models.pairs) for each in every]

    def close(self, outcomes: Sequence[Outcome], file: str) -> None:
        """Say what the gates found, write it if asked, and exit with 1 if one failed."""
        for each in outcomes:
            if each.sentence:
                note(each.sentence)
        if self.junit is not None:
            _write_junit(self.junit, outcomes, file)
        if any(each.failed for each in outcomes):
            raise typer.Exit(1)


def _write_junit(path: str, outcomes: Sequence[Outcome], file: str) -> None:
    from calibrant.checks.files import file_name, replacing
    from calibrant.cli.junit import junit

    failures: dict[str, list[str]] = {each.score: [] for each in outcomes}
    for each in outcomes:
        if each.failed:
            failures[each.score].append(each.sentence)
    text = junit(f"calibrant score {file_name(file)}", failures)
    with replacing(path) as temporary:
        temporary.write_bytes(text)


def _note_if_it_cannot_fail(compared: "Comparison") -> None:
    """A gate that passes whatever the data are must not be taken for a good model."""
    from calibrant.calibration.analyses.differences import smallest_p
    from calibrant.results.digits import p_text

    units = compared.difference.groups or int(compared.difference.n)
    if smallest_p(units) >= 1 - compared.level:
        what = "groups" if compared.difference.groups else "rows"
        note(
            f"--fail-if-worse cannot fail here: with {units} {what}, no difference has less than "
            f"{p_text(smallest_p(units))}."
        )


def _of_comparison(compared: "Comparison", new: str, baseline: str) -> Outcome:
    """Worse exactly if the interval of new − baseline lies above 0, so that p < 1 − level."""
    from calibrant.results.digits import p_text

    score, found = compared.scores[new].score, compared.difference
    if (new, baseline) not in compared.differences:
        found = found.turned()
    worse = new in compared.worse(baseline)
    verdict = "significantly worse" if worse else "not significantly worse"
    return Outcome(
        score,
        worse,
        f"{score} of {new} is {verdict} than that of {baseline}: the difference is "
        f"{found.text('value')} {found.interval}, {p_text(compared.p_value)}.",
    )


def _check_baseline(
    baseline: str, read: Reader, limits: Limits, files: Sequence[str], by: object
) -> None:
    from calibrant.calibration.intervals.bootstrap import only_bootstrap
    from calibrant.cli.output import same_file
    from calibrant.errors import ParameterError

    if by:
        raise ParameterError("--fail-if-worse compares whole files: leave --by out.")
    if len(files) > 1:
        raise ParameterError(
            f"--fail-if-worse compares one file with another, but these are {len(files)}: "
            f"{', '.join(files)}."
        )
    if read.map is not None:
        raise ParameterError(
            "--fail-if-worse compares predictions as they are: apply the map with calibrant apply "
            "first, and leave --with out."
        )
    if limits.interval is None:
        raise ParameterError("--fail-if-worse needs an interval: leave --interval none out.")
    only_bootstrap(limits.interval, "--fail-if-worse compares")
    if same_file(files[0], baseline):
        raise ParameterError(
            f"--fail-if-worse {baseline} is the file that is scored: give that of another model."
        )


def _gate(
    fail_above: Annotated[
        float | None,
        typer.Option(
            "--fail-above",
            help="Exit with 1 if a score is above this value.",
            rich_help_panel=GATE,
        ),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="END",
            help="What --fail-above looks at: value (the default); low, which fails only if the "
            "data show that the score is above; high, unless the data show that it is not.",
            rich_help_panel=GATE,
        ),
    ] = ENDS[0],
    fail_if_worse: Annotated[
        str | None,
        typer.Option(
            "--fail-if-worse",
            metavar="BASELINE",
            help="Exit with 1 if a score is significantly worse than that of this file, which "
            "holds another model's predictions of the same questions.",
            rich_help_panel=GATE,
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="With --fail-if-worse: column that identifies the question, if the two files are "
            "in different orders; repeatable, for keys of several columns.",
            rich_help_panel=GATE,
        ),
    ] = None,
    own_answers: Annotated[
        bool,
        typer.Option(
            "--own-answers",
            help="With --fail-if-worse: each model is asked whether its own answer is right, so "
            "the observations of the models differ.",
            rich_help_panel=GATE,
        ),
    ] = False,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit",
            metavar="FILE",
            help="Write the outcome as JUnit XML, with a test case for each score.",
            rich_help_panel=GATE,
        ),
    ] = None,
) -> Gate:
    """Turn the options of gates into a `Gate`."""
    from calibrant.checks.parameters import real_number

    above = None if fail_above is None else real_number("--fail-above", fail_above)
    return Gate(above, fail_on, fail_if_worse, tuple(key or ()), own_answers, junit)


def has_gate(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of gates to a command; its first argument becomes their `Gate`."""
    return with_reader(_gate, command)
