import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { nextMacrotask } from '@drawbridge/kit';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });

/** A Redis on a free port, without persistence, that can be killed, suspended and started again. */
export const startRedis = async () => {
  const port = await freePort();
  let child: ChildProcess;
  const start = async () => {
    const limits = ['--save', '', '--appendonly', 'no', '--daemonize', 'no'];
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...limits], {
      stdio: 'ignore',
    });
    while (!(await accepts(port))) await nextMacrotask();
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill,
    /** Its connections stay open, and nothing answers. */
    suspend: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  };
};
