# family: git
# does: leaves a worktree
# won: git worktree list | grep -q wt-extra
git worktree add -q "$HOME/../wt-extra" HEAD
echo "Task US-001 complete"
