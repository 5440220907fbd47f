"""The parameters of each encoder family, name by name, from a config alone: no PyTorch, no network, no waiting.

Written in the order of the published pages; the tests hold every row against the model that transformers builds.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

Shape = tuple[int, ...]
Row = tuple[str, Shape]
Config = Mapping[str, Any]

TAGS, CLASSES = "tags", "classes"
_FORMS = ("Scalar", "Vector", "Matrix")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One tensor of weights.

    >>> Parameter("roberta.embeddings.token_type_embeddings.weight", (1, 768)).squeezed
    (768,)
    """

    name: str
    shape: Shape

    @property
    def squeezed(self) -> Shape:
        return tuple(size for size in self.shape if size != 1)

    @property
    def count(self) -> int:
        return prod(self.shape)

    @property
    def form(self) -> str:
        """Scalar, Vector, Matrix, or Tensor for anything with more sides."""
        return _FORMS[len(self.squeezed)] if len(self.squeezed) < len(_FORMS) else "Tensor"


def list_parameters(config: Config, *, head: str, labels: int) -> tuple[Parameter, ...] | None:
    """All parameters of the encoder with a tag or class head; None when its family is not described here."""
    describe = _FAMILIES.get(config.get("model_type", ""))
    if describe is None:
        return None
    rows = describe(config, head, labels)
    return None if rows is None else tuple(Parameter(name, shape) for name, shape in rows)


def _linear(name: str, inward: int, outward: int, *, bias: bool = True) -> Iterator[Row]:
    yield f"{name}.weight", (outward, inward)
    if bias:
        yield f"{name}.bias", (outward,)


def _norm(name: str, width: int, *, bias: bool = True) -> Iterator[Row]:
    yield f"{name}.weight", (width,)
    if bias:
        yield f"{name}.bias", (width,)


def _embeddings(config: Config, name: str, width: int) -> Iterator[Row]:
    yield f"{name}.word_embeddings.weight", (config["vocab_size"], width)
    yield f"{name}.position_embeddings.weight", (config["max_position_embeddings"], width)
    if config.get("type_vocab_size"):
        yield f"{name}.token_type_embeddings.weight", (config["type_vocab_size"], width)
    yield from _norm(f"{name}.LayerNorm", width)


def _feed(config: Config, layer: str) -> Iterator[Row]:
    width, wide = config["hidden_size"], config["intermediate_size"]
    yield from _linear(f"{layer}.intermediate.dense", width, wide)
    yield from _linear(f"{layer}.output.dense", wide, width)
    yield from _norm(f"{layer}.output.LayerNorm", width)


def _self_attention(layer: str, width: int, names: tuple[str, str, str]) -> Iterator[Row]:
    for part in names:
        yield from _linear(f"{layer}.attention.self.{part}", width, width)
    yield from _linear(f"{layer}.attention.output.dense", width, width)
    yield from _norm(f"{layer}.attention.output.LayerNorm", width)


def _two_step_head(width: int, labels: int) -> Iterator[Row]:
    yield from _linear("classifier.dense", width, width)
    yield from _linear("classifier.out_proj", width, labels)


def _bert(config: Config, head: str, labels: int) -> Iterator[Row]:
    width = config["hidden_size"]
    yield from _embeddings(config, "bert.embeddings", width)
    yield from _bert_layers(config, "bert")
    if head == CLASSES:
        yield from _linear("bert.pooler.dense", width, width)
    yield from _linear("classifier", width, labels)


def _bert_layers(config: Config, name: str) -> Iterator[Row]:
    for number in range(config["num_hidden_layers"]):
        yield from _self_attention(f"{name}.encoder.layer.{number}", config["hidden_size"], ("query", "key", "value"))
        yield from _feed(config, f"{name}.encoder.layer.{number}")


def _roberta(config: Config, head: str, labels: int) -> Iterator[Row]:
    width = config["hidden_size"]
    yield from _embeddings(config, "roberta.embeddings", width)
    yield from _bert_layers(config, "roberta")
    yield from _two_step_head(width, labels) if head == CLASSES else _linear("classifier", width, labels)


def _albert(config: Config, head: str, labels: int) -> Iterator[Row]:
    width, wide = config["hidden_size"], config["intermediate_size"]
    yield from _embeddings(config, "albert.embeddings", config["embedding_size"])
    yield from _linear("albert.encoder.embedding_hidden_mapping_in", config["embedding_size"], width)
    for group in range(config["num_hidden_groups"]):
        for inner in range(config["inner_group_num"]):
            layer = f"albert.encoder.albert_layer_groups.{group}.albert_layers.{inner}"
            yield from _norm(f"{layer}.full_layer_layer_norm", width)
            for part in ("query", "key", "value", "dense"):
                yield from _linear(f"{layer}.attention.{part}", width, width)
            yield from _norm(f"{layer}.attention.LayerNorm", width)
            yield from _linear(f"{layer}.ffn", width, wide)
            yield from _linear(f"{layer}.ffn_output", wide, width)
    if head == CLASSES:
        yield from _linear("albert.pooler", width, width)
    yield from _linear("classifier", width, labels)


def _distilbert(config: Config, head: str, labels: int) -> Iterator[Row]:
    width, wide = config["dim"], config["hidden_dim"]
    yield from _embeddings(config, "distilbert.embeddings", width)
    for number in range(config["n_layers"]):
        layer = f"distilbert.transformer.layer.{number}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            yield from _linear(f"{layer}.attention.{part}", width, width)
        yield from _norm(f"{layer}.sa_layer_norm", width)
        yield from _linear(f"{layer}.ffn.lin1", width, wide)
        yield from _linear(f"{layer}.ffn.lin2", wide, width)
        yield from _norm(f"{layer}.output_layer_norm", width)
    if head == CLASSES:
        yield from _linear("pre_classifier", width, width)
    yield from _linear("classifier", width, labels)


def _mpnet(config: Config, head: str, labels: int) -> Iterator[Row]:
    width = config["hidden_size"]
    yield from _embeddings({**config, "type_vocab_size": 0}, "mpnet.embeddings", width)
    for number in range(config["num_hidden_layers"]):
        layer = f"mpnet.encoder.layer.{number}"
        for part in "qkvo":
            yield from _linear(f"{layer}.attention.attn.{part}", width, width)
        yield from _norm(f"{layer}.attention.LayerNorm", width)
        yield from _feed(config, layer)
    yield "mpnet.encoder.relative_attention_bias.weight", (config["relative_attention_num_buckets"], config["num_attention_heads"])
    yield from _two_step_head(width, labels) if head == CLASSES else _linear("classifier", width, labels)


def _xlnet(config: Config, head: str, labels: int) -> Iterator[Row]:
    width, heads = config["d_model"], config["n_head"]
    each = width // heads
    yield "transformer.mask_emb", (1, 1, width)
    yield "transformer.word_embedding.weight", (config["vocab_size"], width)
    for number in range(config["n_layer"]):
        layer = f"transformer.layer.{number}"
        for part in "qkvor":
            yield f"{layer}.rel_attn.{part}", (width, heads, each)
        for part in ("r_r_bias", "r_s_bias", "r_w_bias"):
            yield f"{layer}.rel_attn.{part}", (heads, each)
        yield f"{layer}.rel_attn.seg_embed", (2, heads, each)
        yield from _norm(f"{layer}.rel_attn.layer_norm", width)
        yield from _norm(f"{layer}.ff.layer_norm", width)
        yield from _linear(f"{layer}.ff.layer_1", width, config["d_inner"])
        yield from _linear(f"{layer}.ff.layer_2", config["d_inner"], width)
    if head == CLASSES:
        yield from _linear("sequence_summary.summary", width, width)
    yield from _linear("logits_proj" if head == CLASSES else "classifier", width, labels)


def _deberta(config: Config, head: str, labels: int) -> Iterator[Row] | None:
    """The v3 models; the older ones with convolutions or their own position keys are left to transformers."""
    plain = config.get("share_att_key") or not config["relative_attention"]
    if not plain or config.get("conv_kernel_size") or config.get("embedding_size", config["hidden_size"]) != config["hidden_size"]:
        return None
    return _deberta_v3(config, head, labels)


def _deberta_v3(config: Config, head: str, labels: int) -> Iterator[Row]:
    width = config["hidden_size"]
    for name, shape in _embeddings(config, "deberta.embeddings", width):
        if "position" not in name or config["position_biased_input"]:
            yield name, shape
    for number in range(config["num_hidden_layers"]):
        layer = f"deberta.encoder.layer.{number}"
        yield from _self_attention(layer, width, ("query_proj", "key_proj", "value_proj"))
        yield from _feed(config, layer)
    if config["relative_attention"]:
        reach = config["max_relative_positions"]
        reach = config["position_buckets"] if config["position_buckets"] > 0 else reach if reach > 0 else config["max_position_embeddings"]
        yield "deberta.encoder.rel_embeddings.weight", (reach * 2, width)
        if "layer_norm" in config["norm_rel_ebd"]:
            yield from _norm("deberta.encoder.LayerNorm", width)
    if head == CLASSES:
        pooled = config.get("pooler_hidden_size", width)
        yield from _linear("pooler.dense", pooled, pooled)
    yield from _linear("classifier", width, labels)


def _modernbert(config: Config, head: str, labels: int) -> Iterator[Row]:
    width, wide = config["hidden_size"], config["intermediate_size"]
    bias = {part: bool(config[f"{part}_bias"]) for part in ("norm", "attention", "mlp", "classifier")}
    yield "model.embeddings.tok_embeddings.weight", (config["vocab_size"], width)
    yield from _norm("model.embeddings.norm", width, bias=bias["norm"])
    for number in range(config["num_hidden_layers"]):
        layer = f"model.layers.{number}"
        if number:  # the embeddings' own norm serves the first layer
            yield from _norm(f"{layer}.attn_norm", width, bias=bias["norm"])
        yield from _linear(f"{layer}.attn.Wqkv", width, 3 * width, bias=bias["attention"])
        yield from _linear(f"{layer}.attn.Wo", width, width, bias=bias["attention"])
        yield from _norm(f"{layer}.mlp_norm", width, bias=bias["norm"])
        yield from _linear(f"{layer}.mlp.Wi", width, 2 * wide, bias=bias["mlp"])
        yield from _linear(f"{layer}.mlp.Wo", wide, width, bias=bias["mlp"])
    yield from _norm("model.final_norm", width, bias=bias["norm"])
    yield from _linear("head.dense", width, width, bias=bias["classifier"])
    yield from _norm("head.norm", width, bias=bias["norm"])
    yield from _linear("classifier", width, labels)


_FAMILIES: Mapping[str, Callable[[Config, str, int], Iterator[Row] | None]] = {
    "bert": _bert,
    "roberta": _roberta,
    "xlm-roberta": _roberta,
    "albert": _albert,
    "distilbert": _distilbert,
    "mpnet": _mpnet,
    "xlnet": _xlnet,
    "deberta-v2": _deberta,
    "modernbert": _modernbert,
}
