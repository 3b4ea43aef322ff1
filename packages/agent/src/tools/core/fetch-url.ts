import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { parseUrl } from '@drawbridge/kit';
import { z } from 'zod';
import { WebError } from '../../ports.ts';
import type { Write } from '../../store-port.ts';
import { deniedBy, grantOf, hasGrant } from '../approval.ts';
import { urlWarnings } from '../domain-access.ts';
import { coreTool, textResult, type NewAsk, type ToolUse } from '../tool.ts';

const anyHost = 'fetch-url:*';
const grantKey = (url: URL) => `fetch-url:${url.hostname}`;

/** Whether the person has written the name of that host in this thread. */
const isNamedByPerson = async ({ ctx, thread }: ToolUse, host: string): Promise<boolean> => {
  const where = { userId: thread.userId, threadId: thread.id, history: 'main', role: 'user' as const };
  const messages = await ctx.store.find('agentMessages', where);
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === 'text' && part.text.toLowerCase().includes(host)),
  );
};

const askFor = (url: URL, warnings: string[]): NewAsk => ({
  inputType: 'domain-access',
  severity: warnings.length > 0 ? 'warning' : 'info',
  message: `Fetch a page from ${url.host}?`,
  domainAccess: { url: url.href, host: url.host, warnings },
});

type Access = { type: 'open'; writes: Write[] } | { type: 'ask'; ask: NewAsk } | { type: 'denied' };

const grantsOf = (use: ToolUse, url: URL, answer: AskAnswer): Write[] => {
  if (answer.kind !== 'domainAccessApprove') return [];
  switch (answer.domainAccessAction) {
    case 'allow_once':
      return [];
    case 'allow_domain':
      return [grantOf(use, grantKey(url))];
    case 'allow_all':
      return [grantOf(use, anyHost)];
    default:
      answer.domainAccessAction satisfies never;
      return [];
  }
};

/** A URL that could carry data out is asked for in spite of a grant. */
const accessTo = async (use: ToolUse, url: URL, answer: AskAnswer | null): Promise<Access> => {
  if (answer !== null)
    return answer.kind === 'domainAccessApprove'
      ? { type: 'open', writes: grantsOf(use, url, answer) }
      : { type: 'denied' };
  const { policy } = await use.ctx.config();
  if (policy.fetchUrl === 'blocked') return { type: 'denied' };
  const warnings = urlWarnings(url);
  if (warnings.length > 0) {
    if (!(await isNamedByPerson(use, url.hostname)))
      warnings.push('You have not named this host in the conversation.');
    return { type: 'ask', ask: askFor(url, warnings) };
  }
  if (policy.fetchUrl === 'always_allow' || (await hasGrant(use, [grantKey(url), anyHost])))
    return { type: 'open', writes: [] };
  const isNamed = await isNamedByPerson(use, url.hostname);
  return {
    type: 'ask',
    ask: askFor(url, isNamed ? [] : ['You have not named this host in the conversation.']),
  };
};

const input = z.strictObject({
  url: z.string().max(2_048),
  max_chars: z.number().int().min(1_000).max(100_000).default(30_000),
  offset: z.number().int().min(0).default(0),
});

const pageText = (page: { url: string; title: string; markdown: string }, from: number, length: number) => {
  const part = page.markdown.slice(from, from + length);
  const next = from + part.length;
  const more = next < page.markdown.length ? `\n\n[next_offset: ${next}]` : '';
  return `${page.title}\n${page.url}\n\n${part}${more}`;
};

/** Reads a public page as markdown; the person decides about each host. */
export const fetchUrl = coreTool({
  name: 'fetch-url',
  description:
    'Read a public web page as markdown. The person is asked about hosts that they have not allowed.',
  input,
  effect: 'read',
  action: 'fetchUrl',
  run: async (use) => {
    const { ctx, args, answer, signal } = use;
    const url = parseUrl(args.url);
    if (url === undefined) return textResult('This is not a URL.', 'failed');
    const access = await accessTo(use, url, answer);
    if (access.type === 'denied') return deniedBy();
    if (access.type === 'ask') return access;
    try {
      const mayFollow = (target: URL) => target.host === url.host;
      const got = await ctx.web.fetch(url.href, { mayFollow, signal });
      if (got.kind === 'redirect')
        return {
          type: 'result',
          outcome: 'ok',
          parts: [{ type: 'text', text: `The page redirects to ${got.url}. Fetch that URL to follow it.` }],
          source: url.host,
          writes: access.writes,
        };
      const text = pageText(got.page, args.offset, args.max_chars);
      return {
        type: 'result',
        outcome: 'ok',
        parts: [{ type: 'text', text }],
        source: url.host,
        writes: access.writes,
      };
    } catch (error) {
      if (error instanceof WebError) return textResult(error.message, 'failed');
      throw error;
    }
  },
});
