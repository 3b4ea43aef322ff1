import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../text/parse-json.ts';
import { runtimeErrors, type OpenDriver, type TurnEnd } from '../driver.ts';
import { cancellable, createSilence, unlessEnded, within } from '../waits.ts';
import { frame, type Frame, type Message } from './frames.ts';
import { gate, gateName } from './gate.ts';
import { toolNames } from './to-action.ts';
import { createTurn, type Turn } from './turn.ts';

/** No settings, extensions, skills and MCP servers of any folder; the gate is the last argument. */
const strict = [
  ...['--mode', 'rpc', '--offline', '--no-extensions', '--no-approve', '--no-context-files'],
  ...['--no-skills', '--no-prompt-templates', '--no-themes', '--tools', toolNames.join(',')],
];

/** As text: a text that is the path of a file would be read. */
const guideArguments = (guide: string): string[] =>
  guide === '' ? [] : ['--append-system-prompt', `Instructions of this folder:\n${guide}`];

const signedOut = /api key|\/login|unauthorized|authenticat|\b401\b/i;

const failure = (why: string): Error => {
  const make = signedOut.test(why) ? runtimeErrors.signIn : runtimeErrors.failed;
  return make({ message: `The coding agent failed: ${why.slice(0, 500)}` });
};

const toEnd = (last: Message | undefined, isCancelled: boolean, tokens: number | null): TurnEnd => {
  if (isCancelled) return { stopReason: 'cancelled', tokens };
  if (last?.stopReason === 'error') throw failure(last.errorMessage ?? 'its model failed');
  return { stopReason: 'end_turn', tokens };
};

const dialogs = new Set(['input', 'confirm', 'select', 'editor']);

/** Pi by its records, on its standard input and output. Throws the errors of the driver. */
export const openPi: OpenDriver = async ({ clock, start, resume, instructionsOf }) => {
  let turn: Turn | undefined;
  const silence = createSilence(clock, () => turn);
  const native = resume ?? randomUUID();
  const guarded = Promise.withResolvers<void>();
  const state = Promise.withResolvers<(Frame & { type: 'response' })['data']>();
  const send = (body: object) => program.send(JSON.stringify(body));

  const onRequest = async ({ id, ...request }: Frame & { type: 'extension_ui_request' }) => {
    if (request.method === 'setStatus' && request.statusKey === gateName) return guarded.resolve();
    if (!dialogs.has(request.method)) return;
    const isGate = request.method === 'input' && request.title === gateName;
    const value = isGate ? await turn?.permission(request.placeholder ?? '') : undefined;
    send({ type: 'extension_ui_response', id, ...(value === undefined ? { cancelled: true } : { value }) });
  };
  const onLine = (text: string) => {
    silence.watch();
    const given = parseJson(frame, text);
    if (given === undefined) return;
    if (given.type === 'extension_ui_request') return void onRequest(given);
    if (given.type === 'extension_error') return turn?.fail(failure(given.error));
    if (given.type !== 'response') return turn?.frame(given);
    if (given.command === 'get_state') return state.resolve(given.data);
    if (given.command === 'prompt' && !given.success) turn?.fail(failure(given.error ?? 'it refused'));
  };

  const guide = await instructionsOf('AGENTS.md');
  const args = [...strict, ...guideArguments(guide), '--session-id', native, '--extension'];
  const program = await start(onLine, args, gate);
  send({ type: 'get_state' });
  const opened = unlessEnded(program, Promise.all([state.promise, guarded.promise]));
  const [known] = await within(clock, opened);
  if (resume !== null && (known?.messageCount ?? 0) === 0) throw runtimeErrors.sessionLost();

  return {
    native,
    turn: async ({ text, pictures }, events, signal) => {
      signal.throwIfAborted();
      const over = Promise.withResolvers<void>();
      over.promise.catch(() => undefined);
      const open = createTurn({ events, fail: over.reject, ended: over.resolve });
      turn = open;
      silence.watch();
      const images = pictures.map(({ mediaType: mimeType, data }) => ({ type: 'image', mimeType, data }));
      try {
        send({ type: 'prompt', message: text, ...(images.length > 0 && { images }) });
        const abort = () => send({ type: 'abort' });
        await cancellable({ clock, program, signal }, abort, unlessEnded(program, over.promise));
        return toEnd(open.last(), signal.aborted, open.tokens());
      } finally {
        turn = undefined;
        silence.stop();
      }
    },
  };
};
