"""incognote doctor: what this machine has for running models, what was chosen, and why."""

import os
from typing import Annotated, Any

import typer

from incognote.cli.options import RuntimeName, json_option
from incognote.cli.output import check_pages, write_json
from incognote.models import choose_models

# The instruction sets that decide how fast a model runs.
_DECISIVE = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_tile", "amx_int8", "amx_bf16", "asimd", "i8mm", "bf16")


def doctor(
    model: Annotated[
        list[str] | None, typer.Option(help="default (the shipped model), none, a checkpoint folder or a hub name; its runtime is shown.")
    ] = None,
    runtime: RuntimeName = "auto",
    json: Annotated[str | None, json_option("the findings")] = None,
) -> None:
    """Show the processor, the cores that may be used, the packages, and which runtime a model gets and why.

    auto takes torch where it finds a GPU. Otherwise it takes onnx, if that is validated with the model or tags a short text as full
    precision does, and else onnx-fp32. What has to be checked runs in a process of its own; the outcome is cached.

    Example: incognote doctor --model models/mine
    """
    check_pages({"--json": json})
    findings = _examine()
    findings["models"] = [_choose(name, runtime) for name in choose_models(model)]
    if json is not None:
        write_json(findings, json)
    if json != "-":
        _tell(findings)


def _examine() -> dict[str, Any]:
    from incognote.find.model.choice import uses_gpu
    from incognote.find.model.choice_cache import cache_folder
    from incognote.find.model.machine import count_cores, cpu_flags, cpu_name, has_gpu, installed_packages, read_quota
    from incognote.find.model.runtimes.loading import AUTO, NAMES, missing_package

    flags, cache = cpu_flags(), cache_folder()
    return {
        "processor": cpu_name(),
        "instructions": [flag for flag in _DECISIVE if flag in flags],
        "host_cores": os.cpu_count(),
        "quota": read_quota(),
        "cores": count_cores(),
        "gpu": has_gpu(),
        "gpu_usable": uses_gpu(),
        "packages": installed_packages(),
        "runtimes": {name: missing_package(name) for name in NAMES if name != AUTO},
        "cache": None if cache is None else str(cache),
    }


def _choose(name: str, runtime: str) -> dict[str, Any]:
    from dataclasses import asdict

    from incognote.find.model import find_source
    from incognote.find.model.tagger import EncoderTagger

    tagger = EncoderTagger(find_source(name), runtime=runtime).open()
    return {"model": name, **asdict(tagger.choice)}


def _tell(findings: dict[str, Any]) -> None:
    print(f"processor     {findings['processor']}")
    print(f"instructions  {', '.join(findings['instructions']) or 'unknown'} (as named; a check shows whether they work)")
    quota = "no quota" if findings["quota"] is None else f"a quota of {findings['quota']:.2f}"
    print(f"cores         {findings['cores']} used of {findings['host_cores']} ({quota})")
    usable = "yes" if findings["gpu_usable"] else "there is a driver, but PyTorch is missing or finds no card"
    print(f"GPU           {usable if findings['gpu'] else 'no'}")
    print(f"packages      {', '.join(f'{name} {version}' for name, version in findings['packages'].items())}")
    for name, lacking in findings["runtimes"].items():
        print(f"  {name:14}{f'{lacking} is not installed' if lacking else 'installed'}")
    print(f"cache         {findings['cache'] or 'none: there is no home folder'}")
    for choice in findings["models"]:
        print(f"\n{choice['model']}: {choice['runtime']}, {choice['reason']}")
        for check in choice["checks"]:
            same = "works" if check["agreement"] is None else f"works, {100 * check['agreement']:.2f} % of tags the same"
            print(f"  {check['runtime']:10}  {check['fault'] or same}")
    if not findings["models"]:
        print("\nrules alone: there is no model to run")
