import { z } from 'zod';
import { approvalOf, runApproved } from '../common/approval.ts';
import { coreTool, textResult } from '../common/tool.ts';

export const webSearch = coreTool({
  name: 'web-search',
  description: 'Search the web. Read a page with fetch-url.',
  input: z.strictObject({
    query: z.string().min(1).max(400),
    count: z.number().int().min(1).max(20).default(5),
  }),
  effect: 'read',
  action: 'webSearch',
  run: async (use) => {
    const { ctx, args, thread, signal } = use;
    const gate = await approvalOf(use, {
      action: 'webSearch',
      grant: 'web-search',
      message: 'Search the web?',
      text: args.query,
      severity: 'info',
    });
    if (gate.type !== 'approved') return gate.outcome;
    return runApproved(use, gate.writes, async () => {
      const hits = await ctx.search.search(thread.userId, args.query, { count: args.count, signal });
      if (hits.length === 0) return textResult('No results.');
      const text = hits.map(({ title, url, snippet }) => `${title}\n${url}\n${snippet}`).join('\n\n');
      return { ...textResult(text), source: 'web search' };
    });
  },
});
