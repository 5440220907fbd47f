"""GPU training throughput of the paper's six encoders at 512 tokens: our loop beside the Hugging Face Trainer, same machine, same run.

    python bench/train_throughput.py [--minutes 5] [--ways …] [--out FILE.json] [--tiny]

Random weights from the shapes we know, random notes, a head of 41 tags. The Trainer runs with its defaults and with bf16=True, at the
paper's batch; our loop runs at the paper's batch and at a larger one. Each way has a process of its own; the first steps are not timed.
`--tiny` does the same with toy shapes on any machine, to try the script. A way that has no time left is left out and said to be.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

# Model, the paper's batch, a batch that fills the GPU.
MODELS = (
    ("roberta-large", 12, 64),
    ("bert-large", 12, 64),
    ("roberta-base", 35, 128),
    ("bert-base", 35, 128),
    ("albert-base", 35, 128),
    ("albert-xxlarge", 6, 16),
)
# Way, and whether it is the Trainer; ours differ in how weights and batches are kept.
WAYS = ("trainer-fp32", "trainer-bf16", "ours-bf16-weights-large-batch", "ours-bf16-large-batch", "ours-bf16-weights-paper-batch")
LENGTH, LABELS, SECONDS = 512, 41, 4.0


def build(name: str, tiny: bool):
    import torch
    from transformers import AutoConfig, AutoModelForTokenClassification

    from incognote.lab.encoders.architectures import config_for

    table = config_for(name)
    family = table.pop("model_type")
    if tiny:
        table |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100}
    if family == "roberta":
        table["max_position_embeddings"] = LENGTH + 2
    torch.manual_seed(0)
    return AutoModelForTokenClassification.from_config(AutoConfig.for_model(family, **table, num_labels=LABELS))


def random_notes(count: int, vocabulary: int, length: int):
    import numpy as np

    random = np.random.default_rng(0)
    return random.integers(5, vocabulary, (count, length)), random.integers(0, LABELS, (count, length))


def time_trainer(name: str, batch: int, *, bf16: bool, tiny: bool) -> dict:
    import tempfile

    import torch
    from transformers import Trainer, TrainerCallback, TrainingArguments

    model = build(name, tiny)
    length = 32 if tiny else LENGTH
    ids, labels = random_notes(256, model.config.vocab_size, length)
    data = [{"input_ids": i, "attention_mask": [1] * length, "labels": lab} for i, lab in zip(ids, labels, strict=True)]
    marks = {}

    class Clock(TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            if state.global_step == 3:
                sync()
                marks["start"], marks["step"] = time.perf_counter(), 3
            # Reading the clock of a GPU that is behind would flatter it, so it is made to catch up now and then.
            elif state.global_step > 3 and state.global_step % 5 == 0:
                sync()
                marks["end"], marks["last"] = time.perf_counter(), state.global_step
                if marks["end"] - marks["start"] > SECONDS:
                    control.should_training_stop = True

    def sync():
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=batch,
            max_steps=12 if tiny else 400,
            bf16=bf16,
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=not torch.cuda.is_available(),
        )
        Trainer(model=model, args=arguments, train_dataset=data, callbacks=[Clock()]).train()
    steps, seconds = marks["last"] - marks["step"], marks["end"] - marks["start"]
    return {"samples_per_second": steps * batch / seconds, "steps_per_second": steps / seconds, "batch": batch}


class RandomNotes:
    """A Task whose notes are random numbers: what is timed is the loop."""

    def __init__(self, model, count: int, length: int) -> None:
        import torch

        self.model, self.lengths = model, [length] * count
        ids, labels = random_notes(count, model.config.vocab_size, length)
        self.ids, self.labels = torch.from_numpy(ids), torch.from_numpy(labels)

    def collate(self, indices):
        return {"input_ids": self.ids[indices], "labels": self.labels[indices]}

    def weigh(self, indices):
        return len(indices) * self.lengths[0]

    def forward(self, model, batch):
        return model(input_ids=batch["input_ids"]).logits

    def loss(self, logits, batch, *, smoothing):
        import torch

        return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), batch["labels"].flatten(), reduction="sum")


def time_ours(name: str, batch: int, precision: str, *, tiny: bool) -> dict:
    import torch

    from incognote.lab.training.batches import plan_epoch
    from incognote.lab.training.ranks import Ranks
    from incognote.lab.training.recipe import Recipe
    from incognote.lab.training.state import begin
    from incognote.lab.training.step import take_step

    task = RandomNotes(build(name, tiny), 4 * batch, 32 if tiny else LENGTH)
    recipe = Recipe(model=name, batch=batch, precision="fp32" if tiny else precision, compile="no" if tiny else "yes")
    training = begin(task, recipe, Ranks())
    task.model.train()
    plan = plan_epoch(task.lengths, batch=batch, seed=0, epoch=0)
    started = time.perf_counter()
    for indices in [plan[step % len(plan)] for step in range(4)]:
        take_step(training, indices, 1.0)
    sync = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    sync()
    warm = time.perf_counter() - started
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS and not (tiny and steps >= 8):
        for indices in plan:
            take_step(training, indices, 1.0)
            steps += 1
        sync()
    seconds = time.perf_counter() - start
    memory = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    return {
        "samples_per_second": steps * batch / seconds,
        "steps_per_second": steps / seconds,
        "batch": batch,
        "warm_up_seconds": warm,
        "peak_gib": memory,
    }


def work(way: str, tiny: bool, end: float) -> None:
    """One way over all models, a JSON line each; runs in a process of its own."""
    import gc

    import torch

    for name, paper, large in MODELS:
        if time.time() > end:
            print(json.dumps({"way": way, "model": name, "left_out": "no time left"}), flush=True)
            continue
        try:
            if way.startswith("trainer"):
                row = time_trainer(name, 2 if tiny else paper, bf16=way.endswith("bf16") and not tiny, tiny=tiny)
            else:
                batch = 2 if tiny else (paper if way.endswith("paper-batch") else large)
                row = time_ours(name, batch, "bf16-weights" if "weights" in way else "bf16", tiny=tiny)
        except Exception as error:  # noqa: BLE001 - one model that fails must not hide the others
            row = {"failed": f"{type(error).__name__}: {str(error)[:200]}"}
        print(json.dumps({"way": way, "model": name, **row}), flush=True)
        gc.collect()
        torch._dynamo.reset()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        work(options.way, options.tiny, options.end)
        return
    began = time.time()
    rows = []
    # Shares of the time: the Trainer's ways compile nothing and need less.
    shares = [1.0 if way.startswith("trainer") else 2.5 for way in options.ways]
    for at, way in enumerate(options.ways):
        end = began + 60 * options.minutes * 0.97 * sum(shares[: at + 1]) / sum(shares)
        command = [sys.executable, __file__, "--way", way, "--end", str(end), *(["--tiny"] if options.tiny else [])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "TOKENIZERS_PARALLELISM": "false"})
        for line in process.stdout:
            if line.startswith('{"way"'):
                rows.append(json.loads(line))
                print(line.rstrip(), flush=True)
        process.wait()
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({"device": device(), "rows": rows}, indent=1))
    print_table(rows)


def device() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def print_table(rows: list[dict]) -> None:
    """Samples per second, and ours as multiples of the Trainer's."""
    found = {(row["model"], row["way"]): row.get("samples_per_second") for row in rows}
    print(f"\nsamples per second on {device()}, {LENGTH} tokens\n")
    print("| model | " + " | ".join(WAYS) + " | best of ours ÷ default | best of ours ÷ bf16 |")
    print("|---" * (len(WAYS) + 3) + "|")
    for name, _, _ in MODELS:
        values = [found.get((name, way)) for way in WAYS]
        best = max((value for value in values[2:] if value), default=None)
        ratios = [f"{best / base:.1f}" if best and base else "–" for base in values[:2]]
        print(f"| {name} | " + " | ".join(f"{value:.1f}" if value else "–" for value in values) + f" | {ratios[0]} | {ratios[1]} |")


if __name__ == "__main__":
    main()
