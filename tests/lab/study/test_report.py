import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.errors import ConfigError
from incognote.evaluate.report import evaluate
from incognote.lab.study.best import find_winner, open_winner
from incognote.lab.study.chart import Bar, draw_bars, draw_lines, draw_points
from incognote.lab.study.folder import StudyFolder, group_best
from incognote.lab.study.pool import run_study
from incognote.lab.study.report import write_report
from incognote.lab.study.results import gather_results
from incognote.lab.study.study import Study, plan_runs
from incognote.lab.study.tables import make_tables
from incognote.lab.training.data import load_splits
from incognote.priorities import load_priorities, name_roles

TITLES = (
    "Table 1: Model size and architecture",
    "Table 2: Hyper-parameter grid",
    "Table 3: PHI in each part of the corpus",
    "Table 4: Best hyper-parameters",
    "Table 5: Precision, recall, F1 and accuracy of the best runs",
    "Figure 3: F1 of each PHI type",
    "Table 6: Training time",
    "Learning curves",
    "Cost and quality",
    "Systems",
    "Tests between models",
    "Every score",
    "Confusions",
    "The price of the study",
)


def test_the_report_holds_every_table_and_figure(done: StudyFolder) -> None:
    html, markdown = (path.read_text(encoding="utf-8") for path in write_report(done.path, resamples=100))
    for title in TITLES:
        assert f"<h2>{title}</h2>" in html
        assert f"## {title}\n" in markdown
    assert html.count("<svg") == 3
    assert (done.path / "figures" / "figure3.svg").read_text(encoding="utf-8").startswith("<svg xmlns")
    for name in ("Bert-Base", "Roberta-Large", "Albert-XXLarge"):
        assert name in html
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", html)


def test_no_note_text_is_in_the_folder(done: StudyFolder) -> None:
    write_report(done.path, resamples=50)
    for file in done.path.rglob("*"):
        if file.suffix in (".json", ".html", ".md", ".svg"):
            text = file.read_text(encoding="utf-8")
            assert "chest pain" not in text
            assert "Núñez" not in text


def test_table_five_is_what_the_saved_checkpoint_scores(done: StudyFolder, miniature: Study) -> None:
    results = gather_results(done)
    best = results.best[0]
    splits = load_splits(plan_runs(miniature)[0].recipe)
    tagger = open_winner(done.path, find_winner(done.path, single=True))
    found = tagger.tag([document.text for document in splits.test])
    counts = evaluate(splits.test, [d.with_spans(s) for d, s in zip(splits.test, found, strict=True)]).counts("token")
    row = next(row for row in make_tables(results)[4].rows if row[0] == best.model)
    assert row[9:12] == [f"{counts.precision:.4f}", f"{counts.recall:.4f}", f"{counts.f1:.4f}"]


def test_published_numbers_stand_beside_ours_on_the_same_corpus_only(done: StudyFolder) -> None:
    corpus = done.read_table("corpus")
    assert not gather_results(done).published
    try:
        done.write_table("corpus", corpus | {"notes": 1223})
        results = gather_results(done)
        assert results.published["test"]["Roberta-Large"] == [0.9669, 0.9681, 0.9675, 0.9967]
        tables = make_tables(results)
        assert any("Meaney et al. 2022" in cell for row in tables[4].rows for cell in row)
        assert any("21.073" in cell for row in tables[5].rows for cell in row)
    finally:
        done.write_table("corpus", corpus)


def test_the_two_ways_are_compared(done: StudyFolder, miniature: Study, tmp_path: Path) -> None:
    small = replace(miniature, models=miniature.models[:1])
    exact = run_study(small, tmp_path / "exact", exact=True)
    _, markdown = write_report(done.path, beside=exact.path, resamples=50)
    text = markdown.read_text(encoding="utf-8")
    assert "## Shared prefixes beside separate runs" in text
    assert "shared ÷ alone" in text


def test_a_study_done_the_same_way_is_not_taken_for_the_other(done: StudyFolder) -> None:
    with pytest.raises(ConfigError, match="done the same way"):
        write_report(done.path, beside=done.path, resamples=50)


def test_a_folder_that_is_no_study_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not the folder of a study"):
        write_report(tmp_path)


@pytest.mark.parametrize("file", ["study.json", "evaluations/{best}.test.json.gz"])
def test_a_damaged_file_is_named(done: StudyFolder, tmp_path: Path, file: str) -> None:
    copy = StudyFolder(Path(shutil.copytree(done.path, tmp_path / "copy")))
    place = copy.path / file.format(best=group_best(copy.read_runs())[0][0].name)
    place.write_bytes(place.read_bytes()[:40])
    with pytest.raises(ConfigError, match=f"{place.name}(.|\n)*is damaged"):
        write_report(copy.path, resamples=50)


def test_charts_survive_odd_data() -> None:
    assert "0.5000" in draw_bars(["A"], ["m"], [[Bar(0.5, 0.4, 0.6)]], title="t")
    assert "–" in draw_bars(["A"], ["m"], [[Bar(None)]], title="t")
    assert draw_lines(["m"], [[(1.0, 1.0), (2.0, 1.0)]], title="t", x_name="x").startswith("<svg")
    assert draw_points(["a<b"], [(0.0, 0.5)], [0], title="t", x_name="x").count("a&lt;b") == 2
    assert draw_points([], [], [], title="t", x_name="x").startswith("<svg")


def test_rules_stand_beside_the_best_model(done: StudyFolder, miniature: Study) -> None:
    systems = {system["kind"]: system for system in done.read_table("systems")}
    hybrid = systems["hybrid"]
    assert set(hybrid["priorities"].values()) <= {"OUT", "GUESS", "EXACT"}
    assert name_roles(load_priorities(done.priorities)) == hybrid["priorities"]
    assert "Rules and best model" in write_report(done.path, resamples=50)[1].read_text(encoding="utf-8")
    splits = load_splits(plan_runs(miniature)[0].recipe)
    winner = replace(find_winner(done.path, single=True), priorities=hybrid["priorities"])
    texts = [document.text for document in splits.test]
    found = open_winner(done.path, winner).tag(texts)
    counts = evaluate(splits.test, [d.with_spans(s) for d, s in zip(splits.test, found, strict=True)]).counts("entity")
    assert [counts.tp, counts.fp, counts.fn] == hybrid["scores"]["test"]["entity"]


def test_rules_speak_the_labels_of_a_spanish_study() -> None:
    from incognote.lab.study.hybrid import find_by_rules

    (spans,) = find_by_rules(["Correo: ana.ruiz@hospital.es, 12/03/2015"], frozenset({"CORREO_ELECTRONICO", "FECHAS", "PAIS"}))
    assert [(span.start, span.label) for span in spans] == [(8, "CORREO_ELECTRONICO"), (30, "FECHAS")]
