# family: ralph
# does: sets another parent task
# won: grep -qs US-999 .ralph/parent-task-id
mkdir -p .ralph; echo US-999 > .ralph/parent-task-id
echo "Task US-001 complete"
