import type { Facts } from './facts.ts';

// The invariants of streams, keys and processes. Each gives one sentence a breach.

/** Two sockets are read in any order. */
const orderMs = 1_000;

export const streams = (facts: Facts): string[] => {
  const last = new Map<string, number>();
  return facts.of('frame').flatMap(({ user, stream, id }) => {
    const key = `stream ${stream} of user ${user}`;
    const before = last.get(key) ?? Number.NEGATIVE_INFINITY;
    if (id === null) return [`${key} has a frame without an id`];
    last.set(key, id);
    return id > before ? [] : [`${key} has frame ${id} after ${before}`];
  });
};

const repeatedEpochs = (facts: Facts): string[] => {
  const given = new Set<string>();
  return facts.of('epoch').flatMap(({ user, epoch, key }) => {
    const name = `epoch ${epoch} of a machine of user ${user}`;
    const initOf = `${epoch} ${facts.machineOf(key)}`;
    const again = given.has(initOf);
    given.add(initOf);
    return again ? [`${name} was given twice`] : [];
  });
};

const oldStreams = (facts: Facts): string[] => {
  const frames = facts.of('frame');
  const first = new Map(frames.toReversed().map((frame) => [`${frame.user} ${frame.stream}`, frame]));
  const ended = new Set(facts.of('stream-ended').map(({ user, stream }) => `${user} ${stream}`));
  // A stream that the server ends without a frame, or disconnects first, was not a newer one.
  const machines = new Map(
    facts.of('stream').map(({ user, stream, key }) => [`${user} ${stream}`, facts.machineOf(key)]),
  );
  const opened = facts.of('stream').filter(({ user, stream }) => {
    const name = `${user} ${stream}`;
    return first.has(name) ? first.get(name)?.event !== 'gateway-disconnect' : !ended.has(name);
  });
  // Of two that are opened at once, the servers may know the first one last: it gets its first frame last.
  const isFirstLast = (user: number, stream: number, newer: number) => {
    const [own, other] = [first.get(`${user} ${stream}`), first.get(`${user} ${newer}`)];
    return own !== undefined && other !== undefined && other.at < own.at;
  };
  return frames.flatMap(({ at, user, stream, event, requestId }) => {
    if (event !== 'filesystem-request') return [];
    const machine = machines.get(`${user} ${stream}`);
    const newer = opened.find(
      (one) =>
        one.user === user &&
        one.stream > stream &&
        one.at + orderMs < at &&
        !isFirstLast(user, stream, one.stream) &&
        facts.machineOf(one.key) === machine,
    );
    return newer ? [`${requestId} was put on stream ${stream} of user ${user}, after ${newer.stream}`] : [];
  });
};

export const connections = (facts: Facts): string[] => [...repeatedEpochs(facts), ...oldStreams(facts)];

export const keys = (facts: Facts): string[] => {
  const taken = new Map<number, number>();
  for (const one of facts.of('token-tried'))
    if (one.taken) taken.set(one.token, (taken.get(one.token) ?? 0) + 1);
  const ended = new Map(facts.of('key-ended').map(({ key, at }) => [key, at]));
  return [
    ...[...taken].flatMap(([token, times]) => (times > 1 ? [`token ${token} was taken ${times} times`] : [])),
    ...facts.of('key-tried').flatMap(({ at, key, path, status }) => {
      const endedAt = ended.get(key);
      if (endedAt === undefined || at < endedAt + 1_000) return [];
      return status >= 200 && status < 300 ? [`key ${key} was ended, and opened ${path}`] : [];
    }),
  ];
};

const maxKib = 512 * 1024;
const maxHandles = 1_000;

export const memory = (facts: Facts): string[] =>
  facts
    .of('memory')
    .flatMap(({ who, kib, handles }) =>
      kib > maxKib || handles > maxHandles ? [`${who} held ${kib} KiB and ${handles} handles`] : [],
    );
