import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';

/** What the main agent of a run has said so far, from the frames of its chat: empty lines between steps. */
export const createWrittenText = (runId: string) => {
  let main: string | null = null;
  const steps = new Map<number, string>();
  const put = (step: number, text: string, offset: number) => {
    const known = steps.get(step) ?? '';
    // A piece behind a gap is part of its step once that is stored.
    if (offset <= known.length) steps.set(step, known.slice(0, offset) + text);
  };

  /** Null where the frame has no new text. */
  return (frame: ThreadFrame): string | null => {
    if (frame.type === 'reset') return null;
    if (frame.type === 'run-sync') {
      const own = frame.now.partial.filter(({ agentId, kind }) => agentId === main && kind === 'text');
      for (const { step, text } of own) put(step, text, 0);
    } else {
      const { event } = frame;
      if (event.runId !== runId) return null;
      if (event.type === 'agent-spawned' && event.payload.kind === 'main') main = event.agentId;
      if (main === null || event.agentId !== main) return null;
      if (event.type === 'text-delta') put(event.payload.step, event.payload.text, event.payload.offset);
      else if (event.type === 'text-block') put(event.payload.step, event.payload.text, 0);
      else return null;
    }
    const said = [...steps].toSorted(([one], [other]) => one - other).map(([, text]) => text);
    return said.filter((text) => text.trim() !== '').join('\n\n') || null;
  };
};
