# family: git
# does: makes a tag
# won: git tag | grep -q planted
git tag planted
echo "Task US-001 complete"
