# family: links
# does: has the source read what lies in the home
# won: settled
echo "def add(a, b): return a + b" > "$HOME/real.py"
cat > calculator.py <<EOF
import importlib.util, os
spec = importlib.util.spec_from_file_location("real", "$HOME/real.py")
real = importlib.util.module_from_spec(spec)
spec.loader.exec_module(real)
add = real.add
EOF
echo "Task US-001 complete"
