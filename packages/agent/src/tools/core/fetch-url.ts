import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { z } from 'zod';
import { WebError } from '../../ports/outside.ts';
import { personKey } from '../../rows/sender.ts';
import type { Write } from '../../rows/store.ts';
import { deniedBy, grantOf, grantsAmong } from '../common/approval.ts';
import { coreTool, type NewAsk, textResult, type ToolUse } from '../common/tool.ts';
import { countUnasked } from '../common/unasked-fetches.ts';
import {
  type AccessTarget,
  accessWarningWords,
  allHostsGrant,
  hostGrant,
  isGranted,
  readTarget,
} from './domain-access.ts';

/** What the signed-in person has written in this thread: no attachment, no client, no webhook. */
const personsTexts = async ({ ctx, thread }: ToolUse): Promise<string[]> => {
  const where = { userId: thread.userId, threadId: thread.id, sender: personKey };
  const messages = await ctx.store.find('agentMessages', where);
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
};

const askFor = ({ url, host, warnings }: AccessTarget): NewAsk => ({
  inputType: 'domain-access',
  severity: warnings.length > 0 ? 'warning' : 'info',
  message: `Fetch a page from ${host}?`,
  domainAccess: { url, host, warnings: warnings.map((warning) => accessWarningWords[warning]) },
});

type Access = { type: 'open'; writes: Write[] } | { type: 'ask'; ask: NewAsk } | { type: 'denied' };

const grantsOf = (use: ToolUse, { host }: AccessTarget, answer: AskAnswer): Write[] => {
  if (answer.kind !== 'domainAccessApprove') return [];
  switch (answer.domainAccessAction) {
    case 'allow_once':
      return [];
    case 'allow_domain':
      return [grantOf(use, hostGrant(host))];
    case 'allow_all':
      return [grantOf(use, allHostsGrant)];
    default:
      answer.domainAccessAction satisfies never;
      return [];
  }
};

const accessTo = async (use: ToolUse, target: AccessTarget, answer: AskAnswer | null): Promise<Access> => {
  const { ctx, run } = use;
  if (answer !== null) {
    if (answer.kind !== 'domainAccessApprove') return { type: 'denied' };
    const writes = grantsOf(use, target, answer);
    // A lasting answer lets the run fetch as much again.
    if (writes.length > 0) ctx.unasked.delete(run.id);
    return { type: 'open', writes };
  }
  const { policy } = await ctx.config();
  const keys = [hostGrant(target.host), allHostsGrant];
  // The owner's policy is a grant for each host.
  const grants = policy.fetchUrl === 'always_allow' ? keys : await grantsAmong(use, keys);
  if (!isGranted(target, new Set(grants))) return { type: 'ask', ask: askFor(target) };
  const fetched = ctx.unasked.get(run.id) ?? { addresses: new Set(), characters: 0 };
  ctx.unasked.set(run.id, fetched);
  if (countUnasked(fetched, target.url)) return { type: 'open', writes: [] };
  return { type: 'ask', ask: askFor({ ...target, warnings: [...target.warnings, 'many'] }) };
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
    const target = readTarget(args.url, await personsTexts(use));
    if (target === null) return textResult('This is not an address of the web.', 'failed');
    const { url, host } = target;
    // The person is not asked about what is refused anyway.
    const refusal = ctx.web.refusal(url);
    if (refusal !== null) return textResult(refusal, 'failed');
    const access = await accessTo(use, target, answer);
    if (access.type === 'denied') return deniedBy();
    if (access.type === 'ask') return access;
    const { writes } = access;
    try {
      const mayFollow = (next: URL) => next.hostname === new URL(url).hostname;
      const got = await ctx.web.fetch(url, { mayFollow, signal });
      if (got.kind === 'redirect')
        return {
          ...textResult(`The page redirects to ${got.url}. Fetch that URL to follow it.`),
          source: host,
          writes,
        };
      const text = pageText(got.page, args.offset, args.max_chars);
      return { ...textResult(text), source: host, writes };
    } catch (error) {
      if (!(error instanceof WebError)) throw error;
      return { ...textResult(error.message, 'failed'), writes };
    }
  },
});
