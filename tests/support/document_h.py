"""The example of a ralph.yaml in document H, which has to load as it is."""

from __future__ import annotations

DOCUMENT_H = """\
repo:
  root: .
  branch_prefix: "ralph/"
tasks:
  backend: "local"
  path: ".ralph/tasks"
  parent_id_file: ".ralph/parent-task-id"
memory:
  progress_file: ".ralph/progress.md"
  archive_dir: ".ralph/archive"
claude:
  # Claude Code CLI invocation
  command: ["claude", "code"]
  # optional preset/profile if Claude supports it in your environment
  args: []
verification:
  commands:
    - ["npm", "run", "typecheck"]
    - ["npm", "test"]
loop:
  max_iterations: 50
  max_minutes_per_iteration: 20
  gutter:
    max_same_failure: 3
    max_churn_commits: 2
safety:
  sandbox: true
  allowed_commands:
    - "npm"
    - "go"
    - "git"
"""
