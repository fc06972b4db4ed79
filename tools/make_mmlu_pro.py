"""Makes mmlu-pro.parquet: `python tools/make_mmlu_pro.py`.

Keeps of each attempt of the language-models study at MMLU-Pro: the model, the number of the
question, its category, whether the answer is right (nothing if it could not be read), the stated
confidence, and the mean probability of the tokens, to six decimals. Numbers only, no text.
"""

from pathlib import Path

import polars as pl

from calibrant.checks.files import replacing
from calibrant.studies.language_models.logs import STATED, find_logs, read_stated
from calibrant.studies.language_models.plan import LANGUAGE_MODELS

SHIPPED = Path(__file__).parents[1] / "src" / "calibrant" / "data" / "mmlu-pro.parquet"


def attempts(model: str, path: Path) -> pl.DataFrame:
    """What is kept of one log."""
    return read_stated(path).frame.select(
        model=pl.lit(model),
        task=pl.lit("MMLU-Pro"),
        question=pl.col("question").cast(pl.Int16),
        category="group",
        correct=pl.col("correct").cast(pl.Int8),
        stated="stated",
        tokens=pl.col("perplexity").round(6),
    )


def main() -> None:
    """Write the file."""
    logs = find_logs(STATED, LANGUAGE_MODELS.stated)
    frame = pl.concat([attempts(model, path) for model, path in logs.items()])
    with replacing(SHIPPED) as temporary:
        frame.write_parquet(temporary, compression_level=19)
    print(f"{SHIPPED.name}: {frame.height} attempts, {SHIPPED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
