"""The study of language models, which asks whether they are as sure as they should be."""

from collections.abc import Mapping
from pathlib import Path

from calibrant.structures.evals.evals import Evals
from calibrant.studies.language_models import chain_tables, figures, logs, stated, truthful
from calibrant.studies.language_models.plan import LanguageModelsPlan
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Study
from calibrant.studies.writing import run_study


def run_language_models(
    plan: LanguageModelsPlan, folder: str | Path, progress: Progress = QUIET
) -> Study:
    """Read the logs and judge every kind of confidence; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: LanguageModelsPlan, progress: Progress) -> Draft:
    places = {
        name: logs.find_logs(name, files)
        for name, files in (
            (logs.STATED, plan.stated),
            (logs.CHAINS, plan.chains),
            (logs.TRUTHFUL, plan.truthful),
        )
    }
    said = {model: logs.read_stated(path) for model, path in places[logs.STATED].items()}
    drawn = {model: logs.read_chains(path, model) for model, path in places[logs.CHAINS].items()}
    known = {
        model: logs.read_truthful(path, model) for model, path in places[logs.TRUTHFUL].items()
    }
    progress.say(f"{sum(map(len, said.values()))} answers of {len(said)} models to MMLU-Pro")
    told, surely = stated.models(said, progress), stated.sure(said, plan.sure)
    paired, subjects = stated.comparisons(said), stated.subjects(said, progress)
    by_number = chain_tables.by_number(drawn, plan.counts, progress)
    together, forecasts = chain_tables.all_chains(by_number), chain_tables.forecasts(drawn)
    true = truthful.truthful(known)
    return Draft(
        title="Language models: can you believe how sure they are?",
        sections=[
            told,
            surely,
            paired,
            subjects,
            together,
            forecasts,
            chain_tables.repeated(drawn),
            by_number,
            true,
        ],
        findings=[
            *stated.findings(told, surely, paired, plan.sure),
            *chain_tables.findings(together, forecasts),
            *truthful.findings(true),
        ],
        facts={
            "study": "language-models",
            "set aside": _set_aside(said),
            "score": told.rows[0].judged.calibration.score,
            "signature": told.rows[0].judged.calibration.signature,
            "sources": ", ".join(logs.SOURCES.values()),
        },
        figures=[
            figures.draw_stated(said),
            figures.draw_subjects(subjects),
            figures.draw_chains(drawn),
            figures.draw_numbers(by_number),
        ],
    )


def _set_aside(evals: Mapping[str, Evals]) -> str:
    """How many answers could not be scored, by model."""
    found = {model: sum(each.set_aside().values()) for model, each in evals.items()}
    return ", ".join(f"{many} of {model}" for model, many in found.items() if many) or "nothing"
