"""incognote policy: the shipped policies, and what each label becomes under one."""

from typing import Annotated

import typer

from incognote.cli.options import json_option
from incognote.cli.output import check_pages, write_json, write_text

policy = typer.Typer(name="policy", help="Show what a policy does with each kind of PHI.", no_args_is_help=True, rich_markup_mode=None)


@policy.command("list")
def list_policies() -> None:
    """List the shipped policies.

    Example: incognote policy list
    """
    from incognote.replace import load_policy, policy_names

    width = max(map(len, policy_names()))
    for name in policy_names():
        print(f"{name:<{width}}  {load_policy(name).title}")


@policy.command("show")
def show_policy(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A shipped policy, or a TOML file.")],
    json: Annotated[str | None, json_option("the policy")] = None,
) -> None:
    """Show what each label becomes in each mode.

    Example: incognote policy show safe-harbor
    """
    from incognote.replace import load_policy
    from incognote.replace.preview import describe_policy

    check_pages({"--json": json}, files=[name])
    description = describe_policy(load_policy(name))
    if json:
        write_json(description.as_dict(), json)
    else:
        write_text(description.as_table(), "-")
