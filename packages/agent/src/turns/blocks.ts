import { cutText } from '@drawbridge/kit';
import type { AgentNeeds } from '../ports/needs.ts';
import { eventOf } from '../rows/events.ts';
import { agentLimits } from '../rows/limits.ts';
import type { MessagePart } from '../rows/parts.ts';
import type { AgentRow } from '../rows/rows.ts';
import type { Write } from '../rows/store.ts';

const textLength = 32_000;

/** The text of a step in which the model said and did nothing. */
export const noAnswer = '(no answer)';

/** Parts that an event can carry; a model without an answer has said so. */
export const storedParts = (parts: readonly MessagePart[], hasCalls: boolean): MessagePart[] => {
  if (parts.length === 0 && !hasCalls) return [{ type: 'text', text: noAnswer }];
  return parts.flatMap((part): MessagePart[] => {
    if (part.type !== 'text' || part.text.length <= textLength) return [part];
    const first = cutText(part.text, textLength);
    return [
      { type: 'text', text: first },
      ...storedParts([{ type: 'text', text: part.text.slice(first.length) }], hasCalls),
    ];
  });
};

/** What the thread shows of the parts of the agent's next step. */
export const blockEvents = (
  ctx: Pick<AgentNeeds, 'clock'>,
  agent: Pick<AgentRow, 'userId' | 'threadId' | 'runId' | 'id' | 'steps'>,
  parts: readonly MessagePart[],
): Write[] => {
  const step = agent.steps + 1;
  return parts.flatMap((part) => {
    if (part.type === 'text') return [eventOf(ctx, agent, 'text-block', { text: part.text, step })];
    if (part.type === 'reasoning' && part.text !== '')
      return [
        eventOf(ctx, agent, 'reasoning-block', {
          text: cutText(part.text, agentLimits.shownReasoning),
          step,
        }),
      ];
    return [];
  });
};
