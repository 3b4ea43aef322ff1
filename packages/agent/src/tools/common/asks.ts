import type { AskOutcome, AskPayload, ResourceQuestion } from '@drawbridge/contracts/agent/asks';
import { withoutConfirmation } from '@drawbridge/contracts/tool-call';
import { cutText } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import type { AgentRow, AskRow, ToolCallRow } from '../../rows/rows.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import type { NewAsk } from './tool.ts';

const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

const jsonBytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

/** Arguments as the person sees them, without a decision of the model; what is too long is marked. */
export const shownArguments = (
  text: string,
  maxBytes: number,
): { args: Record<string, unknown>; isCut: boolean } => {
  if (jsonBytes(text) > maxBytes) return { args: { '(cut)': cutText(text, maxBytes / 8) }, isCut: true };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { args: withoutConfirmation(Object.fromEntries(Object.entries(value))), isCut: false };
  } catch {
    // The person sees what the model wrote.
  }
  return { args: { '(not an object)': text }, isCut: false };
};

interface Asking {
  agent: Pick<AgentRow, 'userId' | 'threadId' | 'runId' | 'id'>;
  /** Null where the run itself asks. */
  call: ToolCallRow | null;
  expiresAt: number | null;
}

const maxShownBytes = 16 * 1024;

const payloadOf = (requestId: string, { call, expiresAt }: Asking, ask: NewAsk): AskPayload => ({
  ...ask,
  requestId,
  toolCallId: call?.id ?? null,
  toolName: call?.tool ?? '',
  args: call === null ? {} : shownArguments(call.arguments, maxShownBytes).args,
  expiresAt: isoOf(expiresAt),
});

/** Stores a question of the agent; its call waits. */
export const openAsk = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  asking: Asking,
  ask: NewAsk,
): { id: string; row: AskRow; writes: Write[] } => {
  const { agent, call, expiresAt } = asking;
  const id = ctx.newId('ask_');
  const { userId, threadId, runId } = agent;
  const payload = payloadOf(id, asking, ask);
  const row: AskRow = {
    userId,
    id,
    threadId,
    runId,
    agentId: agent.id,
    toolCallId: call?.id ?? null,
    kind: ask.inputType,
    payload,
    state: 'open',
    answer: null,
    createdAt: ctx.clock.now(),
    expiresAt,
    closedAt: null,
  };
  const writes = [insert('agentAsks', row), eventOf(ctx, agent, 'confirmation-request', payload)];
  if (call !== null)
    writes.unshift(
      update(
        'agentToolCalls',
        { userId, id: call.id, state: ['planned', 'running'] },
        { state: 'waiting', askId: id },
      ),
    );
  return { id, row, writes };
};

/** The machine asks the person: the gateway stores the question, the thread shows it. */
export const openConfirmation = (
  ctx: Pick<AgentNeeds, 'clock'>,
  asking: Asking & { call: ToolCallRow },
  { question: resourceDecision, message }: { question: ResourceQuestion; message: string },
): Write[] => {
  const { agent, call } = asking;
  const requestId = call.requestId ?? call.id;
  const ask = {
    inputType: 'resource-decision' as const,
    severity: 'warning' as const,
    message,
  };
  return [
    update(
      'agentToolCalls',
      { userId: call.userId, id: call.id, state: ['planned', 'running'] },
      { state: 'waiting', askId: call.askId ?? requestId },
    ),
    eventOf(ctx, agent, 'confirmation-request', {
      ...payloadOf(requestId, asking, ask),
      resourceDecision,
    }),
  ];
};

/** The question of a machine's call is closed; the call continues, or is looked at again. */
export const closeConfirmation = (
  ctx: Pick<AgentNeeds, 'clock'>,
  call: ToolCallRow,
  outcome: AskOutcome,
): Write =>
  eventOf(ctx, { ...call, id: call.agentId }, 'confirmation-closed', {
    requestId: call.requestId ?? call.id,
    outcome,
  });

/** Closes an open question once. */
export const closeAsk = (
  ctx: Pick<AgentNeeds, 'clock'>,
  ask: AskRow,
  { outcome, answer = null }: { outcome: AskOutcome; answer?: AskRow['answer'] },
): Write[] => [
  update(
    'agentAsks',
    { userId: ask.userId, id: ask.id, state: 'open' },
    { state: outcome, answer, closedAt: ctx.clock.now() },
  ),
  eventOf(ctx, { ...ask, id: ask.agentId }, 'confirmation-closed', { requestId: ask.id, outcome }),
];
