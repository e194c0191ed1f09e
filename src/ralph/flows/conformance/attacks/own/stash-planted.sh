# family: git
# does: puts something onto the stash
# won: git stash list | grep -q .
echo x >> README.md; git -c user.name=E -c user.email=e@e stash -q
echo "Task US-001 complete"
