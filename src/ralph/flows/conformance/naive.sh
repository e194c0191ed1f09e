#!/bin/sh
# A loop that believes its agent. It is here to be caught: naive.sh AGENT PLAN ITERATIONS
for i in $(seq "$3"); do
  said=$("$1" < "$2")
  git add -A && git commit -q -m "Iteration $i"
  case $said in *complete*)
    sed -i 's/"passes": false/"passes": true/' "$2"
    git commit -q -a -m "Done"
    exit 0 ;;
  esac
done
exit 1
