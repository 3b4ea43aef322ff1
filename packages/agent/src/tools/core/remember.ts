import { memorySection } from '@drawbridge/contracts/agent/memory';
import { z } from 'zod';
import { changeMemory, memoryOf, memoryRow } from '../../memory/working-memory.ts';
import { isThreadTainted } from '../../rows/load.ts';
import { put } from '../../rows/store.ts';
import { approvalOf } from '../common/approval.ts';
import { coreTool, textResult } from '../common/tool.ts';

const input = z.strictObject({
  section: memorySection,
  mode: z.enum(['add', 'replace', 'remove']),
  text: z.string().max(500),
});

/** What the agent knows of the person across threads; asks first where its context holds outside text. */
export const remember = coreTool({
  name: 'remember',
  description:
    'Keep a lasting fact about the person or their work for later threads, or remove one. Only what they said or would want kept.',
  input,
  effect: 'own',
  action: 'remember',
  run: async (use) => {
    const { ctx, args, agent, thread } = use;
    const memory = await memoryOf(ctx.store, thread.userId);
    if (!memory.enabled) return textResult('The person has switched memory off.', 'failed');
    const gate = await approvalOf(use, {
      action: 'remember',
      grant: null,
      message: args.mode === 'remove' ? 'Forget this?' : 'Remember this?',
      text: args.text,
      severity: 'info',
      // Another agent of the thread may have read something from outside meanwhile.
      always: agent.tainted || (await isThreadTainted(ctx, agent)),
    });
    if (gate.type !== 'approved') return gate.outcome;
    const changed = changeMemory(memory.sections, args);
    if (!changed.ok) return textResult(changed.problem, 'failed');
    return {
      ...textResult(args.mode === 'remove' ? 'Forgotten.' : 'Remembered.'),
      writes: [
        ...gate.writes,
        put('agentMemory', memoryRow(memory, { sections: changed.sections, now: ctx.clock.now() })),
      ],
    };
  },
});
