import type { ProcessesBody } from '@drawbridge/contracts/machines/processes';
import type { CallVia } from '@drawbridge/contracts/calls';
import { describe, expect, it } from 'vitest';
import { requireMachine } from '../../callers/index.ts';
import { callerOf, connect, initBody, useGateway, type FakeStream } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const withProcesses = initBody({ daemon: { version: '0.1.0', protocol: 1, features: ['processes'] } });
const one: ProcessesBody = {
  processes: [
    {
      id: 'p1-abcdef',
      command: 'npm run dev',
      folder: '/w',
      hosts: [],
      owner: 'Desk',
      startedAt: '2026-01-01T00:00:00.000Z',
      end: null,
    },
  ],
};
const query = async (userId: string, machineOf = userId) => {
  const { gateway } = fixture;
  return gateway.processes.query(
    { ...(await requireMachine(gateway, { userId: machineOf })), userId },
    { type: 'stop', process: 'p1-abcdef' },
  );
};
const asked = (stream: FakeStream) =>
  stream.events.flatMap((event) => (event.type === 'processes-request' ? [event.payload] : []));

describe('the processes of a machine', () => {
  it('are queried from its daemon, and returned as it answers', async () => {
    const { gateway, clock, key, stream } = await fixture.connected({}, withProcesses);
    const answered = query('ada');
    await clock.settle();
    expect(asked(stream)).toEqual([
      { requestId: expect.any(String), query: { type: 'stop', process: 'p1-abcdef' } },
    ]);
    await gateway.daemon.processes(key, asked(stream)[0]?.requestId ?? '', one);
    expect(await answered).toEqual(one);
    const missing = expect(query('ada')).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'gone' });
    await clock.settle();
    await gateway.daemon.processes(key, asked(stream)[1]?.requestId ?? '', {
      refused: 'unknown',
      message: 'gone',
    });
    await missing;
  });

  it('of another user are not queried, nor answered by another machine', async () => {
    const { gateway, clock, stream } = await fixture.connected({}, withProcesses);
    const other = await connect(gateway, 'ben', withProcesses);
    await expect(query('ben', 'ada')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const timedOut = expect(query('ada')).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await clock.settle();
    await gateway.daemon.processes(other.key, asked(stream)[0]?.requestId ?? '', one);
    await clock.settle(10_000);
    await timedOut;
    expect(asked(other.stream)).toEqual([]);
  });

  it('are none of a daemon that has no such thing, and not known while it is away', async () => {
    const { stream } = await fixture.connected({}, initBody());
    expect(await query('ada')).toEqual({ processes: [] });
    expect(asked(stream)).toEqual([]);
    stream.drop();
    await expect(query('ada')).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});

describe('the caller in a request', () => {
  const desk: CallVia = { kind: 'token', id: 't1', name: 'Desk' };
  it.each<[string, ReturnType<typeof initBody>, CallVia | undefined, unknown]>([
    ['the token, client or chat', withProcesses, desk, { id: 'token:t1', name: 'Desk' }],
    ['the person', withProcesses, undefined, { id: 'user', name: '' }],
    ['left out for a daemon that does not ask for it', initBody(), desk, undefined],
  ])('SH-84 is %s', async (_name, body, via, expected) => {
    const { gateway, clock, stream } = await fixture.connected({}, body);
    callerOf(gateway, 'ada')
      .run({ name: 'read_file', arguments: {} }, { door: 'mcp', until: 'ended', ...(via && { via }) })
      .catch(() => {});
    await clock.settle();
    expect(stream.requests()[0]?.caller).toEqual(expected);
  });
});
