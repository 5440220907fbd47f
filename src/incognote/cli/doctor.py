"""incognote doctor: the processor and packages of this machine, and the runtime that each model gets."""

import os
from typing import Annotated, Any

from incognote.cli.options import Models, RuntimeName, json_option
from incognote.cli.output import check_pages, write_json
from incognote.models import choose_models

# The instruction sets that matter for speed.
_INSTRUCTIONS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_tile", "amx_int8", "amx_bf16", "asimd", "i8mm", "bf16")


def doctor(
    model: Models = None,
    runtime: RuntimeName = "auto",
    json: Annotated[str | None, json_option("the findings")] = None,
) -> None:
    """Show this machine's runtimes, and which one a model gets.

    Prints the processor, the usable cores and the packages. auto is torch on a GPU; otherwise onnx, if it is validated for the model or
    tags a short text as full precision does; otherwise onnx-fp32. Checks run in their own process, and their results are cached.

    Example: incognote doctor --model models/mine
    """
    check_pages({"--json": json})
    findings = _examine()
    findings["models"] = [_choose(name, runtime) for name in choose_models(model)]
    if json is not None:
        write_json(findings, json)
    if json != "-":
        _print(findings)


def _examine() -> dict[str, Any]:
    from incognote.find.model.choice import uses_gpu
    from incognote.find.model.choice_cache import cache_folder
    from incognote.find.model.machine import count_cores, cpu_flags, cpu_name, has_gpu, installed_packages, read_quota
    from incognote.find.model.runtimes.loading import AUTO, NAMES, missing_package

    flags, cache = cpu_flags(), cache_folder()
    return {
        "processor": cpu_name(),
        "instructions": [flag for flag in _INSTRUCTIONS if flag in flags],
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


def _print(findings: dict[str, Any]) -> None:
    print(f"processor     {findings['processor']}")
    print(f"instructions  {', '.join(findings['instructions']) or 'unknown'} (as reported; a check shows whether they work)")
    quota = "no quota" if findings["quota"] is None else f"a quota of {findings['quota']:.2f}"
    print(f"cores         {findings['cores']} used of {findings['host_cores']} ({quota})")
    usable = "yes" if findings["gpu_usable"] else "a driver is installed, but PyTorch is missing or finds no GPU"
    print(f"GPU           {usable if findings['gpu'] else 'no'}")
    print(f"packages      {', '.join(f'{name} {version}' for name, version in findings['packages'].items())}")
    for name, lacking in findings["runtimes"].items():
        print(f"  {name:14}{f'{lacking} is not installed' if lacking else 'installed'}")
    print(f"cache         {findings['cache'] or 'none: no home folder'}")
    for choice in findings["models"]:
        print(f"\n{choice['model']}: {choice['runtime']}, {choice['reason']}")
        for check in choice["checks"]:
            same = "works" if check["agreement"] is None else f"works, {100 * check['agreement']:.2f} % of tags the same"
            print(f"  {check['runtime']:10}  {check['fault'] or same}")
    if not findings["models"]:
        print("\nrules alone, no model")
