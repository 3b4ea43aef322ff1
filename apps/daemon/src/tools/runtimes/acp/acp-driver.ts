import { createTimer, type Clock } from '@drawbridge/kit';
import { runtimeErrors, type LiveSession, type RunningProgram, type TurnEnd } from '../driver.ts';
import {
  ended,
  initialized,
  loadedSession,
  newSession,
  nothing,
  permissionRequest,
  sessionUpdate,
  type Incoming,
  type ModeState,
} from './frames.ts';
import { createPeer, RpcError } from './json-rpc.ts';
import { createTurn, type Turn } from './turn.ts';

export interface AcpNeeds {
  clock: Clock;
  /** Starts the program; `line` gets what it writes. */
  start(line: (text: string) => void): Promise<RunningProgram>;
  cwd: string;
  /** The session to continue, by the program's own id; null for a new one. */
  resume: string | null;
  /** The mode in which it asks before it acts; null for a program that has none and is told otherwise. */
  mode: string | null;
}

const startMs = 30_000;
/** For the program to end a cancelled turn; after that everything is killed. */
const cancelMs = 1_000;
/** Without a frame, an open request or a running action. */
const silenceMs = 10 * 60_000;
const authRequired = -32_000;

const toError = (error: unknown): Error => {
  if (!(error instanceof RpcError)) return error instanceof Error ? error : runtimeErrors.failed();
  const make = error.code === authRequired ? runtimeErrors.signIn : runtimeErrors.failed;
  return make({ message: `The coding agent refused: ${error.message.slice(0, 500)}` });
};

/** Rejects with the reason of its end where the program ends first. */
const unlessEnded = async <T>(program: RunningProgram, work: Promise<T>): Promise<T> => {
  const end = program.ended.then((why): never => {
    throw runtimeErrors.failed({ message: `The coding agent ended: ${why}` });
  });
  try {
    return await Promise.race([work, end]);
  } catch (error) {
    throw toError(error);
  }
};

const within = async <T>(clock: Clock, work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(startMs, () =>
    late.reject(runtimeErrors.unavailable({ message: 'The coding agent did not answer within 30 s' })),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
};

type Peer = ReturnType<typeof createPeer>;

const openSession = async (peer: Peer, { cwd, resume }: AcpNeeds) => {
  const { protocolVersion, agentCapabilities } = await peer.call(
    'initialize',
    {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    },
    initialized,
  );
  if (protocolVersion !== 1)
    throw runtimeErrors.unavailable({ message: `It speaks version ${protocolVersion} of ACP, not 1` });
  const place = { cwd, mcpServers: [] };
  if (resume === null) return peer.call('session/new', place, newSession);
  if (agentCapabilities?.loadSession !== true)
    throw runtimeErrors.unavailable({ message: 'This coding agent cannot continue a session' });
  const loaded = await peer.call('session/load', { ...place, sessionId: resume }, loadedSession);
  return { sessionId: resume, modes: loaded?.modes };
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
export const openAcp = async (needs: AcpNeeds): Promise<LiveSession> => {
  const { clock, mode } = needs;
  let turn: Turn | undefined;
  const silence = createTimer(clock);

  const onNotification = ({ method, params }: Incoming) => {
    if (method !== 'session/update') return;
    const { data } = sessionUpdate.safeParse(params);
    if (data) turn?.update(data.update);
  };
  const onRequest = ({ method, params }: Incoming) => {
    const { data } = permissionRequest.safeParse(params);
    return method === 'session/request_permission' && data && turn ? turn.permission(data) : undefined;
  };
  const peer = createPeer({
    send: (line) => program.send(line),
    request: onRequest,
    notification: onNotification,
  });
  const watch = () => {
    if (turn === undefined) return;
    silence.start(silenceMs, () => {
      if (turn?.isBusy() === true) return watch();
      turn?.fail(runtimeErrors.failed({ message: 'The coding agent said nothing for 10 min' }));
    });
  };
  const program = await needs.start((text) => {
    watch();
    peer.line(text);
  });
  void program.ended.then((why) => peer.close(runtimeErrors.failed({ message: why })));

  const opened = await within(clock, unlessEnded(program, openSession(peer, needs)));
  const { sessionId } = opened;
  await within(clock, unlessEnded(program, setMode(peer, opened, mode)));

  const run = async (prompt: string, signal: AbortSignal, failed: Promise<never>): Promise<TurnEnd> => {
    const params = { sessionId, prompt: [{ type: 'text', text: prompt }] };
    let cancelGrace = () => {};
    const cancel = () => {
      peer.notify('session/cancel', { sessionId });
      cancelGrace = clock.after(cancelMs, program.kill);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const prompted = unlessEnded(program, peer.call('session/prompt', params, ended));
      const { stopReason } = await Promise.race([prompted, failed]);
      return { stopReason, tokens: turn?.tokens() ?? null };
    } finally {
      signal.removeEventListener('abort', cancel);
      cancelGrace();
    }
  };

  return {
    native: sessionId,
    turn: async (prompt, events, signal) => {
      signal.throwIfAborted();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => undefined);
      turn = createTurn({ events, mode, fail: failed.reject });
      watch();
      try {
        return await run(prompt, signal, failed.promise);
      } finally {
        turn = undefined;
        silence.cancel();
      }
    },
  };
};
