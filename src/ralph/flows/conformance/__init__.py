"""Misbehaving agents, small repositories for them, and a judge who looks from outside.

Any harness that takes an agent, a plan and a check can be run against them, Ralph first of all.
"""
