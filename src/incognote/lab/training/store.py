"""Where a training keeps its place: the state of the last epoch and the weights of the best, each written whole."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incognote.corpora.locks import writing_alone
from incognote.corpora.output import place_of
from incognote.errors import OutputError, TrainingError
from incognote.find.model.checkpoint import check_replaceable
from incognote.lab.training.ranks import leads
from incognote.lab.training.state import Training, load_state, restore, save_atomically, take_snapshot


class Store:
    """The folder of a training in progress. A kill at any moment leaves the last whole epoch in it."""

    def __init__(self, folder: Path, mark: str) -> None:
        self.folder, self.mark = folder, mark
        self.state = folder / "state.pt"

    def save(self, training: Training) -> None:
        """Keep this epoch. The best weights are written first, so the state never names weights that are not there."""
        best = training.best
        if best and not self._best(best["epoch"]).exists():
            save_atomically({"weights": best["weights"]}, self._best(best["epoch"]))
        short = {key: value for key, value in best.items() if key != "weights"}
        save_atomically({"mark": self.mark, "names": training.names, "best": short, "snapshot": take_snapshot(training)}, self.state)
        for old in self.folder.glob("best-*.pt"):
            if best and old != self._best(best["epoch"]):
                old.unlink()

    def load(self, training: Training) -> None:
        """Resume from the last epoch kept; a folder without one is a training that has not started."""
        if not self.state.exists():
            return
        state = load_state(self.state)
        if state["mark"] != self.mark or state["names"] != training.names:
            raise TrainingError(
                "holds a training of another recipe or other data",
                where=self.folder,
                fix="give another folder, or set {overwrite}, not {resume}",
            )
        restore(training, state["snapshot"])
        training.best = dict(state["best"])
        if training.best:
            training.best["weights"] = load_state(self._best(training.best["epoch"]))["weights"]

    def clear(self) -> None:
        """Remove the state of a training that is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _best(self, epoch: float) -> Path:
        return self.folder / f"best-{epoch:g}.pt"


def place_of_progress(folder: Path) -> Path:
    """Where a training into this folder keeps its epochs until it is done."""
    place = place_of(folder)
    return place.with_name(f".{place.name}.training")


@contextmanager
def claim_folder(folder: Path, done: str, *, resume: bool, overwrite: bool) -> Iterator[Path]:
    """Where a training into this folder keeps its place; ``done`` is the file that a finished one leaves in it.

    What is there, a result or a training that was stopped, may be the work of days: nothing of it goes unless it may be overwritten.
    As long as this lasts, no other run writes into the folder; of several processes of one training, the leader sees to that.
    """
    progress = place_of_progress(folder)
    if not leads():
        yield progress
        return
    with writing_alone(folder):
        resumable = resume and (progress.exists() or (folder / done).exists())
        if folder.exists() and not (resumable or overwrite):
            raise OutputError("exists already", where=folder, fix="give another folder, or set {resume} or {overwrite}")
        check_replaceable(folder)
        if progress.exists() and not resume:
            if not overwrite:
                raise OutputError(
                    "an earlier training was stopped", where=folder, fix="continue it with {resume}, or start again with {overwrite}"
                )
            Store(progress, "").clear()
        yield progress
