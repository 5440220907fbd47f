"""The figures of a measurement as one page with a plot."""

from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """:root{--ink:#1c2530;--soft:#5b6775;--line:#dfe4ea;--page:#f6f7f9;--card:#fff;--mark:#0b6e66;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaef;--soft:#9aa7b5;--line:#2e3742;--page:#13181e;--card:#1b222a;--mark:#5fd0c3}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:880px;margin:0 auto;padding:32px 20px}
h1{font-size:26px;margin:0}h2{font-size:17px;margin:28px 0 8px}p{color:var(--soft)}svg{width:100%;background:var(--card);border-radius:10px}
svg text{fill:var(--ink);font-size:13px}svg .n{fill:var(--soft)}svg rect{fill:var(--mark)}"""


def render_speed(result: Mapping[str, Any]) -> str:
    """The page: the headline, the stages, and the contestants where there were two."""
    speeds = {"incognote": result["tokens_per_second"]} if "tokens" in result else {}
    if "ratio" in result:
        medians = result["median_tokens_per_second"]
        speeds = {"incognote, model alone": medians["ours"], f"{result['against']['name']}": medians["rival"]}
    guess = result["estimate"]
    lead = (
        f"{result['notes']:,} notes on {result['cores']} cores with {escape(result['runtime'])}: "
        f"{result['notes_per_second']:,.1f} notes and {result['words_per_second']:,.0f} words a second; "
        f"{guess['notes']:,} such notes take {guess['hours']:,.1f} hours."
    )
    shares = {stage: 100 * share for stage, share in result["share"].items()}
    race = f"<h2>Subword tokens a second</h2>{_bars(speeds, ',.0f')}" if speeds else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>incognote bench</title><style>{_STYLE}</style></head>'
        f"<body><main><h1>How fast notes are scrubbed here</h1><p>{lead}</p>"
        f"<h2>Where the time goes, percent</h2>{_bars(shares, '.1f')}{race}</main></body></html>"
    )


def _bars(values: Mapping[str, float], form: str) -> str:
    most = max(values.values(), default=0) or 1
    rows = []
    for at, (name, value) in enumerate(values.items()):
        y, wide = 14 + 26 * at, 440 * value / most
        rows.append(f'<text x="12" y="{y + 12}">{escape(name)}</text><rect x="190" y="{y}" width="{wide:.1f}" height="16" rx="4"/>')
        rows.append(f'<text class="n" x="{200 + wide:.1f}" y="{y + 12}">{value:{form}}</text>')
    return f'<svg viewBox="0 0 740 {26 * len(values) + 20}" role="img">{"".join(rows)}</svg>'
