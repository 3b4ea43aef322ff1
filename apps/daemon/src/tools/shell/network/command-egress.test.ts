import { connect, createServer, type AddressInfo } from 'node:net';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { ended } from '../../../../test/support/egress-fixture.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import type { Resource } from '../../common/tool.ts';
import { openCommandEgress, type NetworkNeeds } from './command-egress.ts';
import { readAllDeclared } from './declared.ts';
import { toGrants } from './resources.ts';

const command: Resource = { toolGroup: 'shell', resource: '"/a" $ x', description: '' };

/** The way out of a command that has these hosts; `say` asks its proxy for a connection. */
const open = async (hosts: string[], more: Partial<NetworkNeeds> = {}) => {
  const { root, own: privateFolder } = makeFolders();
  const dialled: string[] = [];
  const egress = await openCommandEgress(
    {
      clock: systemClock,
      access: async () => 'ask',
      ownPorts: new Set(),
      territory: { root, privateFolder },
      resolve: async () => [publicAddress],
      dial: (addresses) => {
        dialled.push(...addresses);
        // Nothing listens on port 1.
        return connect(1, '127.0.0.1');
      },
      ...more,
    },
    { grants: toGrants(await readAllDeclared(hosts), { command, text: 'x' }), gitGrants: [] },
  );
  const listener = createServer();
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  // It listens on a TCP port.
  const { port } = listener.address() as AddressInfo;
  egress.serve(3128, listener);
  onTestFinished(egress.close);
  const say = async (target: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
    await ended(socket);
    return egress.notes().join();
  };
  return { egress, listener, say, dialled };
};

it('sends small packets at once, and lets a client end one direction', async () => {
  const { listener } = await open(['good.test']);
  expect(listener).toMatchObject({ noDelay: true, allowHalfOpen: true });
});

it('SH-53 the server is not reached by its name, wherever that leads by now', async () => {
  const addresses = ['203.0.113.1', '203.0.113.2'];
  const { say, dialled } = await open(['bridge.test:5820'], {
    serverUrl: 'http://bridge.test:5820',
    resolve: async () => [addresses.shift() ?? publicAddress],
  });
  expect([await say('bridge.test:5820'), dialled]).toEqual([expect.stringContaining('the server of'), []]);
});

it('SH-53 a port of this program is not reached', async () => {
  const { say, dialled } = await open(['local:nas.test:7001', 'local:nas.test:7002'], {
    ownPorts: new Set([7_001]),
    resolve: async () => ['127.0.0.1'],
  });
  expect([await say('nas.test:7001'), dialled]).toEqual([expect.stringContaining('this program'), []]);
  await say('nas.test:7002');
  expect(dialled).toEqual(['127.0.0.1']);
});

it('SH-49 a metadata address is named as one, not as a host to ask for', async () => {
  const { say, dialled } = await open(['good.test:80']);
  expect([await say('169.254.169.254:5000'), dialled]).toEqual([
    expect.stringContaining('never connected'),
    [],
  ]);
});

it('SH-47 a host without a port has those of TLS and HTTP alone, and one with a port that one', async () => {
  const other = await open(['good.test']);
  expect([await other.say('good.test:5432'), other.dialled]).toEqual([
    expect.stringContaining('good.test:5432 was not asked for'),
    [],
  ]);
  const tls = await open(['good.test:5432']);
  expect([await tls.say('good.test:443'), tls.dialled]).toEqual([
    expect.stringContaining('good.test:443 was not asked for'),
    [],
  ]);
});

it('a name without addresses is not connected', async () => {
  const { say, dialled } = await open(['good.test:5432'], { resolve: async () => [] });
  expect([await say('good.test:5432'), dialled]).toEqual([expect.stringContaining('no address'), []]);
});

it('SH-63 a deny rule for a host holds for each of its ports', async () => {
  const { say, dialled } = await open(['good.test:5432'], {
    access: async ({ toolGroup, resource, aliases }) =>
      toolGroup === 'network' && [resource, ...(aliases ?? [])].includes('good.test') ? 'deny' : 'ask',
  });
  expect([await say('good.test:5432'), dialled]).toEqual([expect.stringContaining('forbidden'), []]);
});

it('SH-66 its listeners are closed at the end of the command', async () => {
  const { egress, listener } = await open(['good.test']);
  egress.close();
  expect(listener.listening).toBe(false);
});
