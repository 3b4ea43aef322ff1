import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createFakeClock, type FakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { ended, until } from '../../../../test/support/egress-fixture.ts';
import { openForPerson } from './person-port.ts';
import { createPortRelay } from './port-relay.ts';
import { createProcessPorts } from './process-ports.ts';
import { controlLine } from './relay-program.ts';

/** A relay with its listener; `inside` is a connection that a program of the sandbox opens. */
const open = async (clock: FakeClock = createFakeClock()) => {
  const relay = createPortRelay(clock);
  const listener = createServer();
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  relay.serve(listener);
  onTestFinished(relay.close);
  // It listens on a TCP port.
  const { port } = listener.address() as AddressInfo;
  const inside = (text = ''): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    if (text !== '') socket.write(text);
    return socket;
  };
  /** The control connection, and the ids that the daemon asks for. */
  const control = async () => {
    const socket = inside(`${controlLine}\n`);
    const ids: string[] = [];
    socket.on('data', (chunk) => ids.push(...String(chunk).split('\n').filter(Boolean)));
    return { socket, ids };
  };
  return { relay, listener, clock, inside, control };
};

it('sends small packets of a program at once', async () => {
  const { listener } = await open();
  expect(listener).toMatchObject({ noDelay: true, allowHalfOpen: true });
});

it('SH-71 a connection that says nothing, something else or too much is ended', async () => {
  const { clock, inside } = await open();
  const silent = inside();
  await until(() => expect(clock.waiting()).toBe(1));
  const [other, endless] = [inside('x\n'), inside('x'.repeat(200))];
  await Promise.all([other, endless].map(ended));
  expect(silent.readableEnded).toBe(false);
  clock.advance(10_000);
  await ended(silent);
});

it('SH-71 a control connection that sends a line without end is ended', async () => {
  const { inside } = await open();
  const socket = inside(`${controlLine}\n`);
  socket.write('x'.repeat(200));
  await ended(socket);
});

it('SH-71, SH-72 beyond 72 connections of the sandbox none is taken', async () => {
  const { inside } = await open();
  const all = Array.from({ length: 80 }, () => inside().resume());
  await until(() => expect(all.filter((one) => one.readableEnded || one.closed)).toHaveLength(8));
});

it('SH-72 a connection to a port has ten seconds, and 65 wait at once', async () => {
  const { relay, clock, control } = await open();
  const { ids } = await control();
  const waiting = Array.from({ length: 65 }, () => relay.connect(5_173).catch(() => 'refused'));
  await until(() => expect(ids.length).toBeGreaterThanOrEqual(64));
  await expect(relay.connect(5_173)).rejects.toMatchObject({ reason: 'unreachable' });
  clock.advance(10_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['refused']));
});

it('SH-73 after the end of a process none of its ports is connected or opened', async () => {
  const { relay, clock } = await open();
  relay.close();
  await expect(relay.connect(5_173)).rejects.toMatchObject({ reason: 'unreachable' });
  const ownPorts = new Set<number>();
  const ports = createProcessPorts([5_173], { clock, ownPorts });
  ports.close();
  const port = await ports.openForPerson(5_173);
  expect([...ownPorts]).toEqual([]);
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

it('SH-74 a port of a person is on this machine alone, is known to this program, and ends with its process', async () => {
  const { relay } = await open();
  const ownPorts = new Set<number>();
  const own = await openForPerson(relay, 5_173, ownPorts);
  expect([...ownPorts]).toEqual([own.port]);
  const outside = connect(own.port, '127.0.0.2');
  expect(await once(outside, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
  const client = connect(own.port, '127.0.0.1');
  await once(client, 'connect');
  own.close();
  await ended(client);
  expect([...ownPorts]).toEqual([]);
});
