import { gatewayStatus } from '@drawbridge/contracts/gateway';
import { toolList } from '@drawbridge/contracts/tool';
import { toolResult } from '@drawbridge/contracts/tool-result';
import { counted } from '../../ui/text/format.ts';
import type { McpPost, McpReply } from './mcp-post.ts';

/** The steps of the connection test, in order. */
export const trialSteps = [
  { id: 'reached', label: 'Server reachable' },
  { id: 'signed-in', label: 'Token accepted' },
  { id: 'machine', label: 'Machine online' },
  { id: 'tools', label: 'Tools published' },
  { id: 'read', label: 'Test read' },
] as const;
export type TrialStepId = (typeof trialSteps)[number]['id'];

/** The outcome of a step. */
export type TrialOutcome =
  | { kind: 'passed'; text: string }
  | { kind: 'skipped'; text: string }
  | { kind: 'failed'; text: string; fix: string };

const machineStatus = gatewayStatus.pick({ state: true, hostIdentifier: true });

/** Tools of the server itself, offered without a machine too. */
const ownTools = new Set(['machine_status', 'call_result']);
/** Read-only, small, and works in any folder. */
const reading = { name: 'list_files', arguments: { dirPath: '.', maxResults: 1 } };

const failed = (text: string, fix: string): TrialOutcome => ({ kind: 'failed', text, fix });
const unread = failed('The response could not be read.', 'Reload this page and try again.');
const refusal = (reply: McpReply) =>
  reply.kind === 'refused' ? failed(reply.message, 'Try again. The server log has the details.') : unread;

const reached = (reply: McpReply): TrialOutcome => {
  if (reply.kind === 'result' || reply.http === 401)
    return { kind: 'passed', text: 'The server responds at /mcp.' };
  if (reply.http === 0)
    return failed(reply.message, 'Check that the server runs, and that this browser can reach it.');
  if (reply.http === 403) return failed(reply.message, 'Open the panel at the address in PUBLIC_URL.');
  if (reply.http === 404 || reply.http >= 500)
    return failed(
      `The response has status ${reply.http}.`,
      'A proxy in front of the server must forward /mcp to it.',
    );
  return { kind: 'passed', text: 'The server responds at /mcp.' };
};

const signedIn = (reply: McpReply, expires: string): TrialOutcome => {
  if (reply.kind === 'result') return { kind: 'passed', text: `Valid until ${expires}` };
  if (reply.http === 401)
    return failed(
      'The token is not valid.',
      'It was revoked, it has expired, or a proxy removes the Authorization header. Create a new token.',
    );
  if (reply.http === 429) return failed('Too many requests with this token.', 'Wait a minute and try again.');
  return refusal(reply);
};

const machine = (reply: McpReply): TrialOutcome => {
  if (reply.kind !== 'result') return refusal(reply);
  const read = machineStatus.safeParse(reply.result.structuredContent);
  if (!read.success) return unread;
  const { state, hostIdentifier } = read.data;
  if (state === 'online') return { kind: 'passed', text: hostIdentifier ?? 'The machine is connected.' };
  return state === 'grace'
    ? failed('The machine is reconnecting.', 'Try again in a moment.')
    : failed(
        'The machine is offline.',
        'Run drawbridge connect on the machine, or connect a machine under Machines.',
      );
};

const tools = (names: string[]): TrialOutcome =>
  names.length > 0
    ? { kind: 'passed', text: `${counted(names.length, 'tool')} published` }
    : failed(
        'This token can use no tool of the machine.',
        'Create a token with a permission that is on for the machine. Its page under Machines lists them.',
      );

const read = (reply: McpReply): TrialOutcome => {
  if (reply.kind !== 'result') return refusal(reply);
  const result = toolResult.safeParse(reply.result);
  if (!result.success) return unread;
  const text = result.data.content.find((block) => block.type === 'text')?.text ?? '';
  return result.data.isError === true
    ? failed(text || 'The tool failed.', 'The Activity page shows the call and its error.')
    : { kind: 'passed', text: 'Test read succeeded' };
};

interface Trial {
  post: McpPost;
  /** The token's expiry date, in words. */
  expires: string;
}

/** Connects as an agent would and yields the outcome of each step, up to the first failure. */
export async function* tryConnection({
  post,
  expires,
}: Trial): AsyncGenerator<{ id: TrialStepId; outcome: TrialOutcome }, void, unknown> {
  const discovered = await post('server/discover');
  const isReached = reached(discovered);
  yield { id: 'reached', outcome: isReached };
  if (isReached.kind === 'failed') return;

  const isSignedIn = signedIn(discovered, expires);
  yield { id: 'signed-in', outcome: isSignedIn };
  if (isSignedIn.kind === 'failed') return;

  const isOnline = machine(await post('tools/call', { name: 'machine_status', arguments: {} }));
  yield { id: 'machine', outcome: isOnline };
  if (isOnline.kind === 'failed') return;

  const listed = await post('tools/list');
  const offered = listed.kind === 'result' ? toolList.safeParse(listed.result) : null;
  if (!offered?.success) {
    yield { id: 'tools', outcome: refusal(listed) };
    return;
  }
  const names = offered.data.tools.map(({ name }) => name).filter((name) => !ownTools.has(name));
  const areOffered = tools(names);
  yield { id: 'tools', outcome: areOffered };
  if (areOffered.kind === 'failed') return;

  const outcome: TrialOutcome = names.includes(reading.name)
    ? read(await post('tools/call', reading))
    : { kind: 'skipped', text: 'The token has no permission to read files, so no tool was run.' };
  yield { id: 'read', outcome };
}
