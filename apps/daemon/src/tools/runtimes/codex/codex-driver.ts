import { z } from 'zod';
import { runtimeErrors, type DriverNeeds, type OpenDriver, type TurnEnd } from '../driver.ts';
import { createPeer, RpcError, type Incoming } from '../json-rpc.ts';
import { cancellable, createSilence, unlessEnded, within } from '../waits.ts';
import {
  accountRead,
  asksFirst,
  notification,
  openedThread,
  posture,
  request,
  startedTurn,
  type TurnCompleted,
} from './frames.ts';
import { createTurn, type Turn } from './turn.ts';

/** What would act without a question, or write to a program that runs. */
const switchedOff = [
  ...['unified_exec_tty', 'web_search_request', 'image_generation', 'view_image', 'guardian_approval'],
  ...['hooks', 'plugins', 'remote_plugin', 'apps', 'tool_suggest', 'skill_mcp_dependency_install'],
  ...['browser_use', 'browser_use_external', 'in_app_browser', 'computer_use'],
  ...['shell_snapshot', 'memories', 'goals', 'workspace_dependencies'],
];

/** It asks about everything, and settings of the folder are not loaded. */
const strict = (cwd: string): string[] => [
  ...switchedOff.flatMap((feature) => ['--disable', feature]),
  // It may ask its person, who answers in the chat.
  ...['--enable', 'default_mode_request_user_input'],
  ...['-c', 'web_search="disabled"'],
  ...['-c', `projects={${JSON.stringify(cwd)}={trust_level="untrusted"}}`],
];

const instructions = 'Delete and move files with commands: of patches, those changes are refused here.';
const unknownThread = /no rollout found|not found/i;

const toError = (error: unknown): Error => {
  if (!(error instanceof RpcError)) return error instanceof Error ? error : runtimeErrors.failed();
  return runtimeErrors.failed({ message: `The coding agent refused: ${error.message.slice(0, 500)}` });
};

type Peer = ReturnType<typeof createPeer>;

const openThread = async (peer: Peer, { cwd, resume, instructionsOf }: DriverNeeds): Promise<string> => {
  const clientInfo = { name: 'drawbridge', title: 'Drawbridge', version: '1' };
  await peer.call('initialize', { clientInfo }, z.unknown());
  peer.notify('initialized', {});
  const { account, requiresOpenaiAuth } = await peer.call('account/read', {}, accountRead);
  if (account === null && requiresOpenaiAuth) throw runtimeErrors.signIn();
  const developerInstructions = [instructions, await instructionsOf('AGENTS.md')].join('\n\n').trim();
  const settings = { cwd, ...posture, developerInstructions };
  const opening =
    resume === null
      ? peer.call('thread/start', settings, openedThread)
      : peer.call('thread/resume', { ...settings, threadId: resume }, openedThread);
  const opened = await opening.catch((error: unknown) => {
    const isLost = resume !== null && error instanceof RpcError && unknownThread.test(error.message);
    throw isLost ? runtimeErrors.sessionLost() : error;
  });
  if (!asksFirst(opened) || opened.sandbox.type !== 'readOnly')
    throw runtimeErrors.unavailable({ message: 'The coding agent has no mode in which it asks' });
  return opened.thread.id;
};

const toEnd = ({ status, error }: TurnCompleted, isCancelled: boolean, tokens: number | null): TurnEnd => {
  if (isCancelled || status === 'interrupted') return { stopReason: 'cancelled', tokens };
  if (status === 'completed') return { stopReason: 'end_turn', tokens };
  const make = error?.codexErrorInfo === 'unauthorized' ? runtimeErrors.signIn : runtimeErrors.failed;
  throw make({ message: `The coding agent failed: ${(error?.message ?? status).slice(0, 500)}` });
};

/** Codex by its app-server, on its standard input and output. Throws the errors of the driver. */
export const openCodex: OpenDriver = async (needs) => {
  const { clock, cwd } = needs;
  let turn: Turn | undefined;
  const silence = createSilence(clock, () => turn);

  const peer = createPeer({
    withdraws: 'serverRequest/resolved',
    send: (line) => program.send(line),
    request: (incoming: Incoming, withdrawal) => {
      const { data } = request.safeParse(incoming);
      return data && turn ? turn.answer(data, withdrawal) : undefined;
    },
    notification: (incoming) => {
      const { data } = notification.safeParse(incoming);
      if (data) turn?.notification(data);
    },
  });
  const program = await needs.start((text) => {
    silence.watch();
    peer.line(text);
  }, strict(cwd));
  void program.ended.then((why) => peer.close(runtimeErrors.failed({ message: why })));
  const answered = <T>(work: Promise<T>): Promise<T> =>
    unlessEnded(program, work).catch((error: unknown) => {
      throw toError(error);
    });

  const native = await within(clock, answered(openThread(peer, needs)));

  return {
    native,
    turn: async (prompt, events, signal) => {
      signal.throwIfAborted();
      const over = Promise.withResolvers<TurnCompleted>();
      over.promise.catch(() => undefined);
      const threadId = native;
      const said = (text: string) => ({ type: 'text', text, text_elements: [] });
      const tell = (text: string) => {
        const told = started.then(({ turn: { id: expectedTurnId } }) =>
          peer.call('turn/steer', { threadId, expectedTurnId, input: [said(text)] }, z.unknown()),
        );
        told.catch(() => undefined);
      };
      const open = createTurn({ events, native, tell, fail: over.reject, ended: over.resolve });
      turn = open;
      silence.watch();
      const input = [
        said(prompt.text),
        ...prompt.pictures.map(({ mediaType, data }) => ({
          ...{ type: 'image', url: `data:${mediaType};base64,${data}` },
        })),
      ];
      const started = peer.call('turn/start', { threadId, input }, startedTurn);
      const interrupt = () => {
        const interrupted = started.then(({ turn: { id: turnId } }) =>
          peer.call('turn/interrupt', { threadId, turnId }, z.unknown()),
        );
        interrupted.catch(() => undefined);
      };
      const work = answered(Promise.all([over.promise, started]));
      try {
        const [ended] = await cancellable({ clock, program, signal }, interrupt, work);
        return toEnd(ended, signal.aborted, open.tokens());
      } finally {
        turn = undefined;
        silence.stop();
      }
    },
  };
};
