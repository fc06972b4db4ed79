"""Forecasts of games: are 538's probabilities calibrated, and better in one sport than another?

    python examples/game_forecasts.py [FOLDER]

FiveThirtyEight's forecasts of NBA, NFL and MLB games (CC-BY-4.0), from the folder
$CALIBRANT_DATA/forecasts/fivethirtyeight. On the command line: calibrant score nba_games.csv
"""

import sys
from pathlib import Path

import polars
from data_folder import data_file

import calibrant as cb
from calibrant.plots import save_figure

games = data_file("forecasts/fivethirtyeight")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

files = {name: games / f"{name.lower()}_games.csv" for name in ("NBA", "NFL", "MLB")}
decided = polars.col("prob1_outcome") != 0.5  # seven games of the NFL ended in a draw
sports = {
    name: cb.read(polars.read_csv(file, infer_schema_length=None).filter(decided))
    for name, file in files.items()
}
for name, pairs in sports.items():
    print(f"{name}, {len(pairs)} games: {cb.score(pairs)}, {cb.score(pairs, cb.Brier())}")
    print(f"  {cb.test(pairs)}\n  {cb.describe(pairs).sentence}")
curves = {name: cb.curve(pairs, cb.LocalLikelihood()) for name, pairs in sports.items()}
print(f"The curves are in {save_figure(cb.plot(curves), folder / 'game_forecasts.png').name}.")
