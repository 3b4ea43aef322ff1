import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../../text/parse-json.ts';
import { runtimeErrors, type OpenDriver, type Prompt, type TurnEnd } from '../driver.ts';
import { cancellable, createSilence, unlessEnded, within } from '../waits.ts';
import { frame, toolRequest, type Frame } from './frames.ts';
import { createTurn, type Turn } from './turn.ts';

const mode = 'default';
/** For its record of the conversation, which it writes at its end. */
const closeMs = 1_000;

/** It asks about everything; no settings, hooks, plugins and MCP servers of any folder are loaded. */
const strict = [
  ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  ...['--include-partial-messages', '--permission-prompt-tool', 'stdio', '--permission-mode', mode],
  ...['--setting-sources', '', '--strict-mcp-config'],
  // While it plans it would let a model decide about commands.
  ...['--settings', JSON.stringify({ disableAutoMode: 'disable', useAutoModeDuringPlan: false })],
];

/** Instructions are no settings: they start nothing. */
const instructionsOf = (cwd: string): string[] => {
  const path = join(cwd, 'CLAUDE.md');
  return existsSync(path) ? ['--append-system-prompt-file', path] : [];
};

const contentOf = ({ text, pictures }: Prompt): object[] => [
  { type: 'text', text },
  ...pictures.map(({ mediaType, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data },
  })),
];

const unknownSession = /no conversation found/i;
const signedOut = /not logged in|\/login|invalid api key|authenticat/i;

const toEnd = (result: Frame & { type: 'result' }, isCancelled: boolean, tokens: number | null): TurnEnd => {
  if (isCancelled) return { stopReason: 'cancelled', tokens };
  if (result.is_error !== true && result.subtype === 'success')
    return { stopReason: result.stop_reason ?? 'end_turn', tokens };
  const words = (result.result ?? result.errors?.join('; ') ?? result.subtype).slice(0, 500);
  const make = signedOut.test(words) ? runtimeErrors.signIn : runtimeErrors.failed;
  throw make({ message: `The coding agent failed: ${words}` });
};

/** Claude Code on its standard input and output. */
export const openClaude: OpenDriver = async ({ clock, start, cwd, resume }) => {
  let turn: (Turn & { ended(result: Frame & { type: 'result' }): void }) | undefined;
  const silence = createSilence(clock, () => turn);
  const initialized = Promise.withResolvers<void>();
  const native = resume ?? randomUUID();
  const asked = new Map<string, AbortController>();
  let hasActed = false;
  let isLost = false;

  /** As `unlessEnded`: one that does not know its conversation says so, and ends. */
  const unlessLost = <T>(work: Promise<T>): Promise<T> =>
    unlessEnded(program, work).catch((error: unknown) => {
      throw isLost ? runtimeErrors.sessionLost() : error;
    });

  const send = (body: object) => program.send(JSON.stringify(body));
  const control = (request: object) => send({ type: 'control_request', request_id: randomUUID(), request });

  const onRequest = async ({ request_id, request }: Frame & { type: 'control_request' }) => {
    const { data } = toolRequest.safeParse(request);
    const withdrawal = new AbortController();
    asked.set(request_id, withdrawal);
    const answer = data && turn ? await turn.permission(data, withdrawal.signal) : undefined;
    asked.delete(request_id);
    if (withdrawal.signal.aborted) return;
    const response = answer
      ? { subtype: 'success', request_id, response: answer }
      : { subtype: 'error', request_id, error: 'not supported' };
    send({ type: 'control_response', response });
  };
  const onLine = (text: string) => {
    silence.watch();
    const given = parseJson(frame, text);
    if (given === undefined) return;
    if (given.type === 'control_response') return initialized.resolve();
    if (given.type === 'result') {
      isLost = resume !== null && !hasActed && (given.errors ?? []).some((one) => unknownSession.test(one));
      return isLost ? turn?.fail(runtimeErrors.sessionLost()) : turn?.ended(given);
    }
    hasActed ||= given.type !== 'system';
    if (given.type === 'control_request') return void onRequest(given);
    if (given.type === 'control_cancel_request') return asked.get(given.request_id)?.abort();
    turn?.frame(given);
  };

  const session = resume === null ? ['--session-id', native] : ['--resume', native];
  const program = await start(onLine, [...strict, ...session, ...instructionsOf(cwd)]);
  control({ subtype: 'initialize' });
  await within(clock, unlessLost(initialized.promise));

  return {
    native,
    close: () => {
      program.close();
      const late = new Promise<void>((resolve) => clock.after(closeMs, resolve));
      return Promise.race([program.ended.then(() => undefined), late]);
    },
    turn: async (prompt, events, signal) => {
      signal.throwIfAborted();
      const over = Promise.withResolvers<Frame & { type: 'result' }>();
      over.promise.catch(() => undefined);
      const open = createTurn({ events, mode, fail: over.reject });
      turn = { ...open, ended: over.resolve };
      silence.watch();
      try {
        send({
          type: 'user',
          message: { role: 'user', content: contentOf(prompt) },
          parent_tool_use_id: null,
        });
        const work = unlessLost(over.promise);
        const interrupt = () => control({ subtype: 'interrupt' });
        const result = await cancellable({ clock, program, signal }, interrupt, work);
        return toEnd(result, signal.aborted, open.tokens());
      } finally {
        turn = undefined;
        silence.stop();
      }
    },
  };
};
