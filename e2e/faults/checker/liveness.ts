import type { Facts } from './facts.ts';

/** What must go on, once the faults are over. */
export const liveness = (facts: Facts): string[] => {
  const users = facts.of('begun')[0]?.users ?? 0;
  const lastRuns = new Map(facts.of('last-run').map(({ user, status }) => [user, status]));
  const last = new Map(facts.of('last-call').map(({ user, state }) => [user, state]));
  return [
    ...Array.from({ length: users }, (_, user) => last.get(user) ?? 'not made').flatMap((state, user) =>
      state === 'succeeded' ? [] : [`the last call of user ${user}: ${state}`],
    ),
    ...Array.from({ length: users }, (_, user) => lastRuns.get(user) ?? 'not made').flatMap((status, user) =>
      status === 'completed' ? [] : [`the last run of user ${user}: ${status}`],
    ),
    ...facts.of('not-quiet').map(({ user, what }) => `user ${user} still waits at the end: ${what}`),
    ...facts
      .of('daemon-ended')
      .flatMap(({ user, expected, output }) =>
        expected ? [] : [`the daemon of user ${user} ended unexpectedly:\n${output}`],
      ),
    ...facts.of('server-ended').map(({ server, how }) => `${server} ended: ${how}`),
    ...facts.edits.flatMap(({ op, whole, root }) =>
      whole ? [] : [`${op}: its file in ${root} is neither the old nor a new one`],
    ),
  ];
};
