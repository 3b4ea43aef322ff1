import {
  runtimeErrors,
  type DriverNeeds,
  type OpenDriver,
  type Prompt,
  type RunningProgram,
  type TurnEnd,
} from '../driver.ts';
import { cancellable, createSilence, unlessEnded, within } from '../waits.ts';
import {
  ended,
  formRequest,
  initialized,
  loadedSession,
  newSession,
  nothing,
  permissionRequest,
  sessionUpdate,
  type ModeState,
} from './frames.ts';
import { createPeer, RpcError, type Incoming } from '../json-rpc.ts';
import { createTurn, type Turn } from './turn.ts';

const authRequired = -32_000;

const toError = (error: unknown): Error => {
  if (!(error instanceof RpcError)) return error instanceof Error ? error : runtimeErrors.failed();
  const make = error.code === authRequired ? runtimeErrors.signIn : runtimeErrors.failed;
  return make({ message: `The coding agent refused: ${error.message.slice(0, 500)}` });
};

/** As `unlessEnded`, with the errors of the protocol in our words. */
const answered = <T>(program: RunningProgram, work: Promise<T>): Promise<T> =>
  unlessEnded(program, work).catch((error: unknown) => {
    throw toError(error);
  });

const blocksOf = ({ text, pictures }: Prompt, takesPictures: boolean): object[] => [
  { type: 'text', text },
  ...pictures.map(({ name, mediaType, data }) =>
    takesPictures
      ? { type: 'image', mimeType: mediaType, data }
      : { type: 'text', text: `[The picture ${JSON.stringify(name)} cannot be passed on to you.]` },
  ),
];

type Peer = ReturnType<typeof createPeer>;

const openSession = async (peer: Peer, { cwd, resume }: DriverNeeds) => {
  const { protocolVersion, agentCapabilities } = await peer.call(
    'initialize',
    {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
      },
    },
    initialized,
  );
  if (protocolVersion !== 1)
    throw runtimeErrors.unavailable({ message: `It speaks version ${protocolVersion} of ACP, not 1` });
  const place = { cwd, mcpServers: [] };
  const takesPictures = agentCapabilities?.promptCapabilities?.image === true;
  if (resume === null) return { ...(await peer.call('session/new', place, newSession)), takesPictures };
  if (agentCapabilities?.loadSession !== true)
    throw runtimeErrors.unavailable({ message: 'This coding agent cannot continue a session' });
  const loading = peer.call('session/load', { ...place, sessionId: resume }, loadedSession);
  const loaded = await loading.catch((error: unknown) => {
    throw error instanceof RpcError && error.code !== authRequired ? runtimeErrors.sessionLost() : error;
  });
  return { sessionId: resume, modes: loaded?.modes, takesPictures };
};

/** Sets the mode that asks. Throws where the program has modes and not this one. */
const setMode = async (
  peer: Peer,
  { sessionId, modes }: { sessionId: string; modes?: ModeState | null | undefined },
  mode: string | null,
): Promise<void> => {
  if (mode === null || modes?.currentModeId === mode) return;
  if (modes?.availableModes.some(({ id }) => id === mode) !== true)
    throw runtimeErrors.unavailable({ message: `The coding agent has no mode "${mode}", in which it asks` });
  await peer.call('session/set_mode', { sessionId, modeId: mode }, nothing);
};

/** One program that speaks ACP on its standard input and output. Throws the errors of the driver. */
export const openAcp: OpenDriver = async (needs) => {
  const { clock, mode } = needs;
  let turn: Turn | undefined;
  const silence = createSilence(clock, () => turn);

  const onNotification = ({ method, params }: Incoming) => {
    if (method !== 'session/update') return;
    const { data } = sessionUpdate.safeParse(params);
    if (data) turn?.update(data.update);
  };
  const onRequest = ({ method, params }: Incoming, withdrawal: AbortSignal) => {
    if (method === 'elicitation/create') {
      const { data } = formRequest.safeParse(params);
      return data && turn ? turn.form(data, withdrawal) : Promise.resolve({ action: 'decline' });
    }
    const { data } = permissionRequest.safeParse(params);
    return method === 'session/request_permission' && data && turn
      ? turn.permission(data, withdrawal)
      : undefined;
  };
  const peer = createPeer({
    withdraws: '$/cancel_request',
    send: (line) => program.send(line),
    request: onRequest,
    notification: onNotification,
  });
  const program = await needs.start((text) => {
    silence.watch();
    peer.line(text);
  });
  void program.ended.then((why) => peer.close(runtimeErrors.failed({ message: why })));

  const opened = await within(clock, answered(program, openSession(peer, needs)));
  const { sessionId, takesPictures } = opened;
  await within(clock, answered(program, setMode(peer, opened, mode)));

  const run = async (prompt: Prompt, signal: AbortSignal, failed: Promise<never>): Promise<TurnEnd> => {
    const params = { sessionId, prompt: blocksOf(prompt, takesPictures) };
    const prompted = answered(program, peer.call('session/prompt', params, ended));
    const cancel = () => peer.notify('session/cancel', { sessionId });
    const work = Promise.race([prompted, failed]);
    const { stopReason } = await cancellable({ clock, program, signal }, cancel, work);
    return { stopReason, tokens: turn?.tokens() ?? null };
  };

  return {
    native: sessionId,
    turn: async (prompt, events, signal) => {
      signal.throwIfAborted();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => undefined);
      turn = createTurn({ events, mode, fail: failed.reject });
      silence.watch();
      if (prompt.pictures.length > 0 && !takesPictures)
        events.event({ type: 'notice', text: 'It takes no pictures: they are named to it alone' });
      try {
        return await run(prompt, signal, failed.promise);
      } finally {
        turn = undefined;
        silence.stop();
      }
    },
  };
};
