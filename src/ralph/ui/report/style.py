"""How the page looks: light or dark as the reader's machine is, on a telephone and on paper."""

from __future__ import annotations

CSS = """
:root { color-scheme: light dark;
  --paper: #fff; --ink: #1c2024; --quiet: #5b6470; --line: #d5dae0; --soft: #f3f5f7;
  --link: #0a58ca; --good: #17692f; --warn: #8a4b00; --bad: #a8182d; --calm: #0b5c8a;
  --checked: #2b6f6b; --add: #e2f5e5; --del: #fdeaec; --agent: #2f6fb0; --rest: #98a8b8; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171a; --ink: #e6e9ec; --quiet: #a3adb8; --line: #363d45; --soft: #1e2328;
  --link: #7db4ff; --good: #6fd58a; --warn: #f0b160; --bad: #ff8f9c; --calm: #76c4ee;
  --checked: #7fd0c8; --add: #12331c; --del: #431a20; --agent: #5b9bdc; --rest: #66737f; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 68rem; padding: 1.25rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .25rem 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; padding-top: .5rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .25rem; }
h4 { font-size: .95rem; margin: .75rem 0 .25rem; }
p { margin: .35rem 0; max-width: 46rem; }
a { color: var(--link); }
.lead { font-size: 1.2rem; }
.quiet, caption, figcaption, footer { color: var(--quiet); font-size: .92rem; }
code, pre { font: .88rem/1.45 ui-monospace, monospace; }
code { background: var(--soft); border-radius: 3px; padding: .1em .3em; }
.commands { margin: .2rem 0 .5rem; }
.command { display: block; width: fit-content; max-width: 100%; margin: .25rem 0;
  padding: .3em .6em; border: 1px solid var(--line); user-select: all; white-space: pre-wrap; }
#now { background: var(--soft); border: 1px solid var(--line); border-radius: 8px;
  margin-top: 1rem; padding: .75rem 1rem .25rem; }
#now h2 { border: 0; margin: 0; padding: 0; }
#now code { background: var(--paper); }
ol, ul { margin: .25rem 0 .5rem; padding-left: 1.5rem; }
li { margin: .3rem 0; max-width: 60rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; margin: 1rem 0 0;
  padding: 0; }
nav li { margin: 0; }
.badge { border: 1px solid currentColor; border-radius: 1em; display: inline-block;
  font-size: .82rem; font-weight: 600; line-height: 1.35; padding: 0 .6em; white-space: nowrap; }
.proven, .good { color: var(--good); } .checked { color: var(--checked); }
.accepted { color: var(--calm); }
.unproven, .parked, .closely { color: var(--warn); } .bad { color: var(--bad); }
.open { color: var(--quiet); }
.term { color: inherit; text-decoration-style: dotted; text-underline-offset: .2em; }
article { border-left: 3px solid var(--line); margin: 1.1rem 0; padding-left: .9rem; }
article h3 { margin-top: 0; }
.wide { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding-bottom: .25rem; }
th, td { border-top: 1px solid var(--line); padding: .4rem .75rem .4rem 0; text-align: left;
  vertical-align: top; font-weight: inherit; min-width: 4.5rem; }
thead th { border-top: 0; color: var(--quiet); font-size: .92rem; white-space: nowrap; }
details { margin: .35rem 0; }
summary { cursor: pointer; color: var(--link); }
details > :not(summary) { margin-left: .25rem; }
figure { margin: .75rem 0 1rem; max-width: 46rem; }
figure svg { display: block; overflow: visible; width: 100%; }
svg text { fill: var(--ink); font: .88rem system-ui, sans-serif; }
svg .inside { fill: var(--paper); font-weight: 600; }
svg .trough { fill: var(--soft); } svg .agent { fill: var(--agent); }
svg .rest { fill: var(--rest); } svg .cost { fill: var(--agent); }
svg .proven { fill: var(--good); } svg .checked { fill: var(--checked); }
svg .accepted { fill: var(--calm); } svg .unproven { fill: var(--warn); }
svg .open { fill: var(--quiet); }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .35em; }
.key.agent { background: var(--agent); } .key.rest { background: var(--rest); }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 5px; margin: .25rem 0;
  max-height: 36rem; overflow: auto; padding: .5rem 0; tab-size: 4; }
pre span { display: block; padding: 0 .75rem; white-space: pre-wrap; min-height: 1.45em; }
pre .add { background: var(--add); box-shadow: inset 3px 0 var(--good); }
pre .del { background: var(--del); box-shadow: inset 3px 0 var(--bad); }
pre .hunk { color: var(--quiet); }
blockquote { border-left: 3px solid var(--line); color: var(--quiet); margin: .35rem 0;
  font: .88rem/1.45 ui-monospace, monospace; max-height: 24rem; overflow: auto;
  padding-left: .75rem; }
.prose { white-space: pre-wrap; } code.inline { user-select: all; border: 1px solid var(--line); }
dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 .25rem; max-width: 46rem; }
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: .75rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 36rem) { h1 { font-size: 1.4rem; } .lead { font-size: 1.08rem; }
  th, td { padding-right: .5rem; min-width: 0; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav, .skip { display: none; }
  pre { max-height: none; } section, figure, tr { break-inside: avoid-page; }
  section { break-inside: auto; } h2, h3 { break-after: avoid; } a { color: inherit; } }
"""
