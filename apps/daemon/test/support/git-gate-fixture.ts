import type { RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { systemClock, type Clock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { createEgress } from '../../src/tools/common/egress/egress.ts';
import { gateHost } from '../../src/tools/shell/git/gate-address.ts';
import { createGitGate } from '../../src/tools/shell/git/gate.ts';
import { ownPrograms } from '../../src/tools/shell/git/own-programs.ts';
import { readRepositories, type GitAccess } from '../../src/tools/shell/git/repositories.ts';
import { shared } from './clean-up.ts';
import { ended } from './egress-fixture.ts';
import { makeHome, type SeenRequest } from './git-host-fixture.ts';
import { openInternet, publicAddress } from './internet-fixture.ts';
import { makeFolders } from './tool-fixture.ts';

export const listing = 'application/x-git-upload-pack-advertisement';

export interface GateOptions {
  access?: GitAccess;
  repository?: string;
  clock?: Clock;
  site?: RequestListener;
}

const openWorld = async () => {
  const home = makeHome(
    'https://ada:sesame@github.com\nhttps://ada:sesame@wrong.test\nhttps://ada:sesame@other.test\n',
  );
  const seen: SeenRequest[] = [];
  const state: { site: RequestListener } = { site: (_request, answer) => answer.end() };
  const internet = await openInternet({
    names: { 'github.com': [publicAddress], 'home.test': ['10.0.0.7'] },
    site: (request, answer) => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers });
      state.site(request, answer);
    },
  });
  const { root, own } = makeFolders();
  return { ...internet, home, seen, state, root, own };
};

/** Gates of one test file, each for `github.com/ada/demo` behind an egress that reaches nothing else. */
export const sharedGate = () => {
  const world = shared(openWorld);
  const open = ({
    access = 'push',
    repository = 'github.com/ada/demo',
    clock = systemClock,
    site = (_request, answer) => answer.writeHead(200, { 'content-type': listing }).end('001e# service'),
  }: GateOptions = {}) => {
    const { seen, state, dialled, resolve, dial, ca, root, own } = world();
    seen.length = 0;
    dialled.length = 0;
    state.site = site;
    let holds = true;
    const gate = createGitGate({
      clock,
      repositories: readRepositories([{ repository, access }]),
      mayUse: async () => holds,
      admission: () => ({
        resolve: async (name) => (name === 'wrong.test' ? [publicAddress] : resolve(name)),
        mayConnect: async (_place, addresses) => (addresses.includes(publicAddress) ? null : 'local'),
      }),
      dial,
      authorities: [ca],
      programs: ownPrograms({ root, privateFolder: own }),
    });
    const egress = createEgress({
      clock,
      mayConnect: async () => 'unasked',
      refused: () => undefined,
      checksFirstBytes: true,
      service: gate.service,
    });
    const server = createServer({ allowHalfOpen: true }, egress.accept);
    const listening = new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void (gate.close(), egress.close(), server.close()));
    /** Sends a request; gives all that comes back until the other side ends, or until `last`, and closes. */
    const say = async (text: string, last?: string): Promise<string> => {
      await listening;
      // It listens on a TCP port.
      const { port } = server.address() as AddressInfo;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      onTestFinished(() => void socket.destroy());
      let answer = '';
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          answer += String(chunk);
          if (last !== undefined && answer.includes(last)) socket.destroy();
        });
      socket.write(text);
      await ended(socket);
      return answer;
    };
    const ask = (method: string, path: string, headers: string[] = [], body = '') =>
      say(
        `${method} http://${gateHost}${path} HTTP/1.1\r\nHost: ${gateHost}\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n${body}`,
      );
    const withdraw = () => {
      holds = false;
      gate.check();
    };
    return { gate, say, ask, seen, dialled, withdraw };
  };
  return { world, open };
};
