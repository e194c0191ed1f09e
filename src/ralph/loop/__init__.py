"""The loop: plan, select, prompt, run, read, verify, settle, record, decide."""
