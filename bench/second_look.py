"""Whether reading again, exactly, the notes that int8 is unsure of would pay: how many that would be.

    python bench/second_look.py [--model FOLDER] [--notes 300] [--runtime onnx]

A note is as sure as its least sure token: the margin between its two likeliest tags. Notes are read again from the least sure on, until
so many as are wanted have the spans of the exact runtime (`onnx-fine`).
"""

import argparse

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--runtime", default="onnx")
    options = parser.parse_args()

    from incognote.corpora.synthetic import synthesize
    from incognote.encoders import find_source
    from incognote.encoders.tagger import EncoderTagger

    texts = [document.text for document in synthesize(options.notes, seed=options.seed, part="test")]
    quick, exact = (EncoderTagger(find_source(options.model), device="cpu", runtime=name) for name in (options.runtime, "onnx-fine"))
    notes = quick.tokenizer.tokenize(texts)
    margins, wrong = [], []
    for text, note, one, two in zip(texts, notes, quick.logits(notes), exact.logits(notes), strict=True):
        best = np.sort(one, axis=1)[:, -2:]
        margins.append(float((best[:, 1] - best[:, 0]).min(initial=np.inf)))
        wrong.append(quick.decode(text, note, one) != exact.decode(text, note, two))
    left = sum(wrong) - np.cumsum(np.array(wrong)[np.argsort(margins)])
    print(f"{len(texts)} notes, {options.runtime}: {1 - sum(wrong) / len(texts):.4f} alike as they are")
    for wanted in (0.99, 0.995, 1.0):
        again = int(np.argmax(left <= (1 - wanted) * len(texts) + 1e-9)) + 1
        print(f"{wanted:.3f} alike when {again / len(texts):.2f} of them are read again", flush=True)


if __name__ == "__main__":
    main()
