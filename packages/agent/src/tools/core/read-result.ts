import { z } from 'zod';
import { coreTool, textResult } from '../common/tool.ts';

const longest = 20_000;

/** The part of an earlier result that was cut. */
export const readResult = coreTool({
  name: 'read-result',
  description: 'Read more of a tool result that was cut. The id stands where it was cut.',
  input: z.strictObject({
    id: z.string().max(64),
    offset: z.number().int().min(0).default(0),
    length: z.number().int().min(1).max(longest).default(longest),
  }),
  effect: 'read',
  run: async ({ ctx, args, thread }) => {
    const where = { userId: thread.userId, id: args.id, threadId: thread.id };
    const [call] = await ctx.store.find('agentToolCalls', where);
    if (call?.result == null) return textResult('There is no result with this id.', 'failed');
    const whole = call.whole ?? call.shown;
    const text = whole.slice(args.offset, args.offset + args.length);
    const end = args.offset + text.length;
    const more = end < whole.length ? `\n[${whole.length - end} characters more from offset ${end}]` : '';
    return { ...textResult(text + more), source: call.tool };
  },
});
