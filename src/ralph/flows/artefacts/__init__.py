"""Spec, interview, execution: a project's files under `.artefacts/NAME/`."""
