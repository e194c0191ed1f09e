"""What a run does, for a collector of OpenTelemetry's: spans and metrics, only on request.

Ids, kinds and figures leave the machine here. No prompt, no word of an agent, no path, no sentence.
"""
