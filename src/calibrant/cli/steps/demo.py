"""`calibrant demo`."""

from typing import Annotated

import typer

from calibrant.cli.options import note


def demo_command(
    output: Annotated[
        str, typer.Option("-o", "--output", help="Figure to write: .png, .svg or .pdf.")
    ] = "calibrant-demo.png",
) -> None:
    """Show what calibrant does, on seven language models and three taggers of tweets."""
    from calibrant.plots.files import figure_format
    from calibrant.results.tabular import text_table
    from calibrant.studies.demo import language_models
    from calibrant.studies.demo.taggers import READ_ME, run_demo

    figure_format(output)
    note(language_models.ASK)
    typer.echo(text_table(*language_models.believe().table()))
    note(f"\n{language_models.READ_ME}\n")
    note("Three taggers on 500 tweets: is this word a verb? 7152 questions each ...")
    demo = run_demo(output)
    typer.echo(text_table(*demo.table()))
    note(f"\n{READ_ME}\n\nThe curves are in {demo.figure}.")
