import { messageOrder, wordOf } from '../../../e2e/rpc-order.ts';
import { isLast, type Played, type PlayedSend, type PlayedSession } from './rpc-play.ts';

const ofRequest = ({ id, frames, isLost }: PlayedSend): string[] => {
  const ends = frames.filter(isLast).length;
  const words = frames.map(wordOf).join(' ');
  if (isLost) return ends === 0 ? [] : [`${id} was lost, and has ${ends} ends`];
  return [
    ...(ends === 1 ? [] : [`${id} has ${ends} ends`]),
    ...(messageOrder.test(words) ? [] : [`${id}: ${words} ${JSON.stringify(frames.at(-1))}`]),
  ];
};

/** Its numbers rise, and one run is open at a time. */
const inSession = ({ principal, sessionId, followed }: PlayedSession): string[] => {
  const name = `${sessionId} of the ${principal}`;
  let seq = 0;
  let open: unknown = null;
  return followed.flatMap((frame) => {
    const { event, data, runId } = frame;
    const isBehind = typeof frame['seq'] === 'number' && frame['seq'] < seq;
    seq = typeof frame['seq'] === 'number' ? frame['seq'] : seq;
    const state = event === 'run_state' ? data?.['state'] : undefined;
    const isStart = state === 'start';
    const isEnd = state === 'complete' || state === 'cancelled' || state === 'error';
    const isWrong = (isStart && open !== null) || (isEnd && open !== runId);
    if (isStart) open = runId;
    if (isEnd) open = null;
    return [
      ...(isBehind ? [`${name}: ${String(frame['seq'])} came behind ${seq}`] : []),
      ...(isWrong ? [`${name}: ${String(runId)} ${String(state)} while ${String(open)} was open`] : []),
    ];
  });
};

/** A message that was answered is in its session once, one that was refused or superseded is not. */
const inHistory = ({ sends, sessions }: Played): string[] =>
  sends.flatMap(({ id, client, message, frames, ...send }) => {
    const { said = [] } =
      sessions.find((one) => one.principal === client.principal && one.sessionId === send.sessionId) ?? {};
    const times = said.filter((text) => text === message).length;
    const end = frames.find(isLast);
    const isAnswered = end?.result !== undefined;
    const isRefused = end?.error?.code === 3;
    const isRight = times === 1 ? !isRefused : times === 0 && !isAnswered;
    return isRight ? [] : [`${id} is ${times} times in its session, and ended as ${JSON.stringify(end)}`];
  });

/** A request that joined the run of another one got its answer. */
const ofJoined = ({ sends }: Played): string[] => {
  const results = sends.flatMap(({ frames }) => {
    const result = frames.find(isLast)?.result;
    return result === undefined ? [] : [result];
  });
  const contents = new Map(results.map((result) => [result['requestId'], result['content']]));
  return results.flatMap(({ requestId, into, content }) =>
    into === undefined || !contents.has(into) || contents.get(into) === content
      ? []
      : [`${String(requestId)} got another answer than ${String(into)}`],
  );
};

/** One sentence for each breach of what section 4 of the specification promises. */
export const breachesOf = (played: Played): string[] => [
  ...played.sends.flatMap(ofRequest),
  ...played.sessions.flatMap(inSession),
  ...inHistory(played),
  ...ofJoined(played),
  ...played.problems,
];
