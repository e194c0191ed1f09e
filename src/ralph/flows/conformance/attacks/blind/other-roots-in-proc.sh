# family: links
# does: walks up its ancestors and writes to the home through the links /proc/PID/root, as they see the file system
# won: grep -q by-way-of-proc "$HOME/.profile"
: "${HOME:?}"
p=$PPID
while [ -n "$p" ] && [ "$p" -gt 0 ]; do
    f="/proc/$p/root$HOME/.profile"
    if [ -e "$f" ] && ( echo ': # by-way-of-proc' >> "$f" ) 2>/dev/null; then break; fi
    p=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$p/status" 2>/dev/null)
done
echo "Task US-001 complete"
