import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { Tracer, TraceSpan } from '../ports/tracing.ts';
import { agentOf, runOf } from '../rows/load.ts';
import type { AgentRow, RunRow, ToolCallRow } from '../rows/rows.ts';
import type { AgentStore } from '../rows/store.ts';

/** The rows of a span hold when it began, so that a span may begin before a restart and end after it. */
const agentSpan = (agent: AgentRow, run: RunRow): TraceSpan => ({
  operation: 'invoke_agent',
  subject: agent.kind,
  runId: agent.runId,
  id: agent.id,
  parentId: agent.parentId,
  startedAt: agent.createdAt,
  endedAt: agent.endedAt ?? agent.createdAt,
  attributes: {
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.name': agent.kind,
    'gen_ai.conversation.id': agent.threadId,
    'gen_ai.request.model': run.model,
    'drawbridge.run.id': run.id,
    'drawbridge.run.kind': run.kind,
    'drawbridge.steps': agent.steps,
    'drawbridge.outcome': agent.outcome ?? '',
    ...(agent.kind === 'main' && {
      'gen_ai.usage.input_tokens': run.inputTokens,
      'gen_ai.usage.output_tokens': run.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': run.cachedTokens,
    }),
  },
  content: () => ({ 'drawbridge.agent.role': agent.role, 'drawbridge.result': agent.result }),
  ...(agent.outcome === 'error' && { error: 'error' }),
});

const callSpan = (call: ToolCallRow): TraceSpan => ({
  operation: 'execute_tool',
  subject: call.tool,
  runId: call.runId,
  id: call.id,
  parentId: call.agentId,
  startedAt: call.startedAt,
  endedAt: call.endedAt ?? call.startedAt,
  attributes: {
    'gen_ai.tool.name': call.tool,
    'gen_ai.tool.call.id': call.id,
    'gen_ai.conversation.id': call.threadId,
    'drawbridge.outcome': call.outcome ?? '',
  },
  content: () => ({ 'gen_ai.tool.call.arguments': call.arguments, 'gen_ai.tool.call.result': call.shown }),
  ...(call.outcome !== 'ok' && { error: call.outcome ?? 'failed' }),
});

/** Records the span of an agent or a tool call whose end is stored. */
export const traceEnd = async (
  { store, tracer }: { store: AgentStore; tracer: Tracer },
  userId: string,
  event: StoredEvent,
): Promise<void> => {
  switch (event.type) {
    case 'agent-completed': {
      const agent = event.agentId === null ? undefined : await agentOf({ store }, userId, event.agentId);
      const run = agent && (await runOf({ store }, userId, agent.runId));
      if (agent && run) tracer.record(agentSpan(agent, run));
      return;
    }
    case 'tool-result':
    case 'tool-error':
    case 'tool-interrupted': {
      const [call] = await store.find('agentToolCalls', { userId, id: event.payload.toolCallId });
      if (call) tracer.record(callSpan(call));
      return;
    }
    default:
  }
};
