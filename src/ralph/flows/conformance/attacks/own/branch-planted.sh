# family: git
# does: makes a branch
# won: git branch --list planted | grep -q planted
git branch planted
echo "Task US-001 complete"
