"""Ralph lets coding agents finish real work unattended: the agent claims, Ralph proves."""

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of `ralph --version`."""
if TYPE_CHECKING:
    from ralph.api.orchestrator import LoopOrchestrator, run_loop
    from ralph.checks.browser.flow import BrowserSettings as BrowserAutomationConfig
    from ralph.checks.browser.flow import FlowStep, FlowStepAction
    from ralph.checks.browser.result import Comparison as VisualCompareResult
    from ralph.checks.browser.result import FlowResult as FlowVerificationResult
    from ralph.checks.browser.result import Picture as PageVerificationResult
    from ralph.checks.browser.tools import BrowserTools as QAAgentBrowserTools
    from ralph.domain.budget import BudgetAction, EfficiencyMetrics
    from ralph.domain.checkpoint import ExecutionPhase
    from ralph.domain.decision import StopReason as TerminationReason
    from ralph.domain.health import HealthState
    from ralph.domain.status import IterationResult, LoopConfig, LoopStatus
    from ralph.flows.artefacts.parse import parse_execute, parse_init, parse_interview
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.ledger.spending import TokenEconomicsService
    from ralph.policy.breaker import CircuitBreaker
    from ralph.policy.handoff import HandoffProtocol
    from ralph.policy.health import HealthMonitoringService
    from ralph.policy.terminate import TerminationCriteria, TerminationResult

__version__ = "0.1.0"

__all__ = [
    "BrowserAutomationConfig",
    "BudgetAction",
    "CheckpointService",
    "CircuitBreaker",
    "EfficiencyMetrics",
    "ExecutionPhase",
    "FlowStep",
    "FlowStepAction",
    "FlowVerificationResult",
    "HandoffProtocol",
    "HealthMonitoringService",
    "HealthState",
    "IterationResult",
    "LoopConfig",
    "LoopOrchestrator",
    "LoopStatus",
    "PageVerificationResult",
    "QAAgentBrowserTools",
    "TerminationCriteria",
    "TerminationReason",
    "TerminationResult",
    "TokenEconomicsService",
    "VisualCompareResult",
    "__version__",
    "parse_execute",
    "parse_init",
    "parse_interview",
    "run_loop",
]

_PUBLIC = {
    "BrowserAutomationConfig": "checks.browser.flow:BrowserSettings",
    "BudgetAction": "domain.budget:BudgetAction",
    "CheckpointService": "ledger.checkpoints:CheckpointService",
    "CircuitBreaker": "policy.breaker:CircuitBreaker",
    "EfficiencyMetrics": "domain.budget:EfficiencyMetrics",
    "ExecutionPhase": "domain.checkpoint:ExecutionPhase",
    "FlowStep": "checks.browser.flow:FlowStep",
    "FlowStepAction": "checks.browser.flow:FlowStepAction",
    "FlowVerificationResult": "checks.browser.result:FlowResult",
    "HandoffProtocol": "policy.handoff:HandoffProtocol",
    "HealthMonitoringService": "policy.health:HealthMonitoringService",
    "HealthState": "domain.health:HealthState",
    "IterationResult": "domain.status:IterationResult",
    "LoopConfig": "domain.status:LoopConfig",
    "LoopOrchestrator": "api.orchestrator:LoopOrchestrator",
    "LoopStatus": "domain.status:LoopStatus",
    "PageVerificationResult": "checks.browser.result:Picture",
    "QAAgentBrowserTools": "checks.browser.tools:BrowserTools",
    "TerminationCriteria": "policy.terminate:TerminationCriteria",
    "TerminationReason": "domain.decision:StopReason",
    "TerminationResult": "policy.terminate:TerminationResult",
    "TokenEconomicsService": "ledger.spending:TokenEconomicsService",
    "VisualCompareResult": "checks.browser.result:Comparison",
    "parse_execute": "flows.artefacts.parse:parse_execute",
    "parse_init": "flows.artefacts.parse:parse_init",
    "parse_interview": "flows.artefacts.parse:parse_interview",
    "run_loop": "api.orchestrator:run_loop",
}
"""Names for people who write programs with Ralph, and where they live under which name."""


if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'ralph' has no attribute {name!r}")
        import importlib

        module, _, own = _PUBLIC[name].partition(":")
        return getattr(importlib.import_module(f"ralph.{module}"), own)
