"""Ralph lets coding agents finish real work unattended: the agent claims, Ralph proves."""

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of `ralph --version`."""
if TYPE_CHECKING:
    from ralph.api.orchestrator import LoopOrchestrator, run_loop
    from ralph.api.recovery import RecoveryService
    from ralph.checks.browser.flow import BrowserSettings as BrowserAutomationConfig
    from ralph.checks.browser.flow import FlowStep, FlowStepAction
    from ralph.checks.browser.result import Comparison as VisualCompareResult
    from ralph.checks.browser.result import FlowResult as FlowVerificationResult
    from ralph.checks.browser.result import Picture as PageVerificationResult
    from ralph.checks.browser.tools import BrowserTools as QAAgentBrowserTools
    from ralph.domain.budget import (
        Budget,
        BudgetAction,
        BudgetCheckResult,
        BudgetContext,
        CostBreakdown,
        EfficiencyMetrics,
        TokenConsumption,
        TokenRecord,
    )
    from ralph.domain.checkpoint import (
        Checkpoint,
        CheckpointMetadata,
        CheckpointMetrics,
        ContextSummary,
        ExecutionPhase,
        ExecutionState,
        HandoffTrigger,
        RecoveryInfo,
    )
    from ralph.domain.decision import StopReason as TerminationReason
    from ralph.domain.health import BreakerState as CircuitBreakerState
    from ralph.domain.health import HealthState, HeartbeatPayload, InterventionLevel
    from ralph.domain.state import LoopState
    from ralph.domain.status import IterationResult, LoopConfig, LoopStatus
    from ralph.flows.artefacts.parse import parse_execute, parse_init, parse_interview
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.ledger.spending import TokenEconomicsService
    from ralph.policy.breaker import CircuitBreaker
    from ralph.policy.handoff import HandoffProtocol
    from ralph.policy.health import AgentHealth, HealthMonitoringService
    from ralph.policy.terminate import TerminationCriteria, TerminationResult

__version__ = "0.1.0"

__all__ = [
    "AgentHealth",
    "BrowserAutomationConfig",
    "Budget",
    "BudgetAction",
    "BudgetCheckResult",
    "BudgetContext",
    "Checkpoint",
    "CheckpointMetadata",
    "CheckpointMetrics",
    "CheckpointService",
    "CircuitBreaker",
    "CircuitBreakerState",
    "ContextSummary",
    "CostBreakdown",
    "EfficiencyMetrics",
    "ExecutionPhase",
    "ExecutionState",
    "FlowStep",
    "FlowStepAction",
    "FlowVerificationResult",
    "HandoffProtocol",
    "HandoffTrigger",
    "HealthMonitoringService",
    "HealthState",
    "HeartbeatPayload",
    "InterventionLevel",
    "IterationResult",
    "LoopConfig",
    "LoopOrchestrator",
    "LoopState",
    "LoopStatus",
    "PageVerificationResult",
    "QAAgentBrowserTools",
    "RecoveryInfo",
    "RecoveryService",
    "TerminationCriteria",
    "TerminationReason",
    "TerminationResult",
    "TokenConsumption",
    "TokenEconomicsService",
    "TokenRecord",
    "VisualCompareResult",
    "__version__",
    "parse_execute",
    "parse_init",
    "parse_interview",
    "run_loop",
]

_PUBLIC = {
    "AgentHealth": "policy.health:AgentHealth",
    "BrowserAutomationConfig": "checks.browser.flow:BrowserSettings",
    "Budget": "domain.budget:Budget",
    "BudgetAction": "domain.budget:BudgetAction",
    "BudgetCheckResult": "domain.budget:BudgetCheckResult",
    "BudgetContext": "domain.budget:BudgetContext",
    "Checkpoint": "domain.checkpoint:Checkpoint",
    "CheckpointMetadata": "domain.checkpoint:CheckpointMetadata",
    "CheckpointMetrics": "domain.checkpoint:CheckpointMetrics",
    "CheckpointService": "ledger.checkpoints:CheckpointService",
    "CircuitBreaker": "policy.breaker:CircuitBreaker",
    "CircuitBreakerState": "domain.health:BreakerState",
    "ContextSummary": "domain.checkpoint:ContextSummary",
    "CostBreakdown": "domain.budget:CostBreakdown",
    "EfficiencyMetrics": "domain.budget:EfficiencyMetrics",
    "ExecutionPhase": "domain.checkpoint:ExecutionPhase",
    "ExecutionState": "domain.checkpoint:ExecutionState",
    "FlowStep": "checks.browser.flow:FlowStep",
    "FlowStepAction": "checks.browser.flow:FlowStepAction",
    "FlowVerificationResult": "checks.browser.result:FlowResult",
    "HandoffProtocol": "policy.handoff:HandoffProtocol",
    "HandoffTrigger": "domain.checkpoint:HandoffTrigger",
    "HealthMonitoringService": "policy.health:HealthMonitoringService",
    "HealthState": "domain.health:HealthState",
    "HeartbeatPayload": "domain.health:HeartbeatPayload",
    "InterventionLevel": "domain.health:InterventionLevel",
    "IterationResult": "domain.status:IterationResult",
    "LoopConfig": "domain.status:LoopConfig",
    "LoopOrchestrator": "api.orchestrator:LoopOrchestrator",
    "LoopState": "domain.state:LoopState",
    "LoopStatus": "domain.status:LoopStatus",
    "PageVerificationResult": "checks.browser.result:Picture",
    "QAAgentBrowserTools": "checks.browser.tools:BrowserTools",
    "RecoveryInfo": "domain.checkpoint:RecoveryInfo",
    "RecoveryService": "api.recovery:RecoveryService",
    "TerminationCriteria": "policy.terminate:TerminationCriteria",
    "TerminationReason": "domain.decision:StopReason",
    "TerminationResult": "policy.terminate:TerminationResult",
    "TokenConsumption": "domain.budget:TokenConsumption",
    "TokenEconomicsService": "ledger.spending:TokenEconomicsService",
    "TokenRecord": "domain.budget:TokenRecord",
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
