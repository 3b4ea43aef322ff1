import { gatewayStatus, restSchemas, toolResult } from '@drawbridge/contracts';
import type { McpPost, McpReply } from './mcp-post.ts';

/** The steps of a trial, in their order. */
export const trialSteps = [
  { id: 'reached', label: 'The server is reached' },
  { id: 'signed-in', label: 'The token is taken' },
  { id: 'machine', label: 'The machine is online' },
  { id: 'tools', label: 'Tools are offered' },
  { id: 'read', label: 'A tool that reads is run' },
] as const;
export type TrialStepId = (typeof trialSteps)[number]['id'];

/** How a step went; `fix` says what to do about one that failed. */
export type TrialOutcome =
  | { kind: 'passed'; text: string }
  | { kind: 'skipped'; text: string }
  | { kind: 'failed'; text: string; fix: string };

const machineStatus = gatewayStatus.pick({ state: true, hostIdentifier: true });

/** Tools of the server itself, which are offered without a machine too. */
const ownTools = new Set(['machine_status', 'call_result']);
/** Only reads, takes no name that must exist, and is small. */
const reading = { name: 'list_files', arguments: { dirPath: '.', maxResults: 1 } };

const failed = (text: string, fix: string): TrialOutcome => ({ kind: 'failed', text, fix });
const unread = failed('The answer could not be read.', 'Reload this page, and try again.');
const refusal = (reply: McpReply) =>
  reply.kind === 'refused' ? failed(reply.message, 'Try again; the log of the server says more.') : unread;

const reached = (reply: McpReply): TrialOutcome => {
  if (reply.kind === 'result' || reply.http === 401) return { kind: 'passed', text: 'It answers at /mcp.' };
  if (reply.http === 0)
    return failed(reply.message, 'Check that it runs, and that this browser can reach it.');
  if (reply.http === 403) return failed(reply.message, 'Open the panel at the address in PUBLIC_URL.');
  if (reply.http === 404 || reply.http >= 500)
    return failed(
      `Something answers with ${reply.http}.`,
      'A proxy in front of the server must pass /mcp on to it.',
    );
  return { kind: 'passed', text: 'It answers at /mcp.' };
};

const signedIn = (reply: McpReply): TrialOutcome => {
  if (reply.kind === 'result') return { kind: 'passed', text: 'It holds.' };
  if (reply.http === 401)
    return failed(
      'The token does not hold.',
      'It was revoked, has run out, or a proxy takes the header Authorization away. Make a new one.',
    );
  if (reply.http === 429) return failed('The token is used too often.', 'Wait a minute, and try again.');
  return refusal(reply);
};

const machine = (reply: McpReply): TrialOutcome => {
  if (reply.kind !== 'result') return refusal(reply);
  const read = machineStatus.safeParse(reply.result.structuredContent);
  if (!read.success) return unread;
  const { state, hostIdentifier } = read.data;
  if (state === 'online') return { kind: 'passed', text: hostIdentifier ?? 'It is connected.' };
  return state === 'grace'
    ? failed('It has lost its connection just now.', 'It comes back by itself: try again in a moment.')
    : failed('No machine is connected.', 'Start the daemon on it, or connect a machine on the page Machine.');
};

const tools = (names: string[]): TrialOutcome =>
  names.length > 0
    ? { kind: 'passed', text: names.length === 1 ? 'One tool.' : `${names.length} tools.` }
    : failed(
        'The token sees no tool of the machine.',
        'Make one with a group that the machine offers; the page Machine shows them.',
      );

const read = (reply: McpReply): TrialOutcome => {
  if (reply.kind !== 'result') return refusal(reply);
  const result = toolResult.safeParse(reply.result);
  if (!result.success) return unread;
  const text = result.data.content.find((block) => block.type === 'text')?.text ?? '';
  return result.data.isError === true
    ? failed(text || 'The tool failed.', 'The page Activity shows the call, and why it ended so.')
    : { kind: 'passed', text: 'The folder of the machine was listed.' };
};

/**
 * Goes the whole way that an agent goes, and gives each step's outcome as soon as it is known. Ends after the first one
 * that failed.
 */
export async function* tryConnection(
  post: McpPost,
): AsyncGenerator<{ id: TrialStepId; outcome: TrialOutcome }, void, unknown> {
  const discovered = await post('server/discover');
  const isReached = reached(discovered);
  yield { id: 'reached', outcome: isReached };
  if (isReached.kind === 'failed') return;

  const isSignedIn = signedIn(discovered);
  yield { id: 'signed-in', outcome: isSignedIn };
  if (isSignedIn.kind === 'failed') return;

  const isOnline = machine(await post('tools/call', { name: 'machine_status', arguments: {} }));
  yield { id: 'machine', outcome: isOnline };
  if (isOnline.kind === 'failed') return;

  const listed = await post('tools/list');
  const offered = listed.kind === 'result' ? restSchemas.Tools.safeParse(listed.result) : null;
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
    : { kind: 'skipped', text: 'The token may not read files: no tool was run.' };
  yield { id: 'read', outcome };
}
