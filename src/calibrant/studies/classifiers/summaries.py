"""The gains of recalibration over tasks, and the results of the study in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from calibrant.results.estimate import Estimate
from calibrant.studies.classifiers.gains import METHODS, TEXT, GainRow
from calibrant.studies.classifiers.judged import SHOWN, ShapeRow
from calibrant.studies.sections import Section


class Tally(NamedTuple):
    """How a method fares on several tasks."""

    rows: Sequence[GainRow]

    @property
    def better(self) -> int:
        """On how many tasks it lowers the Brier score significantly."""
        return sum(each.change.high is not None and each.change.high < 0 for each in self.rows)

    @property
    def worse(self) -> int:
        """On how many tasks it raises the Brier score significantly."""
        return sum(each.change.low is not None and each.change.low > 0 for each in self.rows)

    @property
    def share(self) -> float:
        """The mean change in per cent."""
        return sum(each.share for each in self.rows) / len(self.rows)

    @property
    def words(self) -> str:
        """Such as "−12 % (4 better, 1 worse)"."""
        sign = "−" if self.share < 0 else "+"
        counts = [f"{self.better} better"] * (self.better > 0)
        counts += [f"{self.worse} worse"] * (self.worse > 0)
        return f"{sign}{abs(self.share):.1f} % ({', '.join(counts) or 'unclear'})"


class SummaryRow(NamedTuple):
    """All methods for one classifier and size, over the tasks that have so many items."""

    classifier: str
    size: int
    tasks: int
    tallies: Mapping[str, Tally]

    @property
    def words(self) -> dict[str, str]:
        """The words of each method."""
        return {name: each.words for name, each in self.tallies.items()}


def summary(rows: Sequence[GainRow]) -> Section[SummaryRow]:
    """The mean change in per cent over tasks, and on how many of them it is significant."""
    places = dict.fromkeys((row.classifier, row.size) for row in rows)
    order = list(dict.fromkeys(row.classifier for row in rows))
    told = []
    for classifier, size in sorted(places, key=lambda place: (order.index(place[0]), place[1])):
        mine = [row for row in rows if (row.classifier, row.size) == (classifier, size)]
        tallies = {name: Tally([row for row in mine if row.method == name]) for name in METHODS}
        told.append(SummaryRow(classifier, size, len({row.task for row in mine}), tallies))
    return Section(
        name="gains",
        title="What recalibration gains, over tasks",
        columns={
            "classifier": "classifier",
            "size": "calibration items",
            "tasks": "tasks",
            "words": "{}",
        },
        rows=told,
        text="The mean change of the Brier score in per cent, over the tasks with so many "
        "calibration items. In brackets, on how many tasks the 95 % interval of the change, paired "
        f"by document, lies below 0 (better) or above 0 (worse). {TEXT}",
    )


def findings(largest: Sequence[ShapeRow], gained: Section[SummaryRow]) -> Iterator[str]:
    """Which classifiers are calibrated as they come, and what each method gains."""
    for classifier in dict.fromkeys(row.classifier for row in largest):
        yield _shape_words(classifier, [row for row in largest if row.classifier == classifier])
    for size in sorted({row.size for row in gained.rows}):
        yield _method_words(size, [row for row in gained.rows if row.size == size])


def _shape_words(classifier: str, rows: Sequence[ShapeRow]) -> str:
    many = {each: sum(each in row.shape.words for row in rows) for each in SHOWN}
    told = [f"{each} on {count}" for each, count in many.items() if count]
    calibrated = len(rows) - sum(any(each in row.shape.words for each in SHOWN) for row in rows)
    told += [f"no miscalibration shown on {calibrated}"] * (calibrated > 0)
    scores, slopes = (
        _range([getattr(row.shape, name) for row in rows]) for name in ("calibration", "slope")
    )
    tasks = f"{len(rows)} task" + "s" * (len(rows) > 1)
    return (
        f"{classifier}, {tasks}, as it comes: {', '.join(told)}. CalibScore {scores}, Cox slope "
        f"{slopes}."
    )


def _range(estimates: Sequence[Estimate]) -> str:
    low, high = (end(estimates, key=lambda each: each.value) for end in (min, max))
    return low.text("value") if low is high else f"{low.text('value')} to {high.text('value')}"


def _method_words(size: int, rows: Sequence[SummaryRow]) -> str:
    told = []
    for name in METHODS:
        better, worse = (
            sum(getattr(row.tallies[name], way) for row in rows) for way in ("better", "worse")
        )
        told.append(f"{name} {better} and {worse}")
    return (
        f"Maps learnt from {size} items, in {sum(row.tasks for row in rows)} combinations of "
        f"classifier and task: significant gains and losses of {'; '.join(told)}."
    )
