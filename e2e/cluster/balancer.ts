import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, newFolder, until, type Processes } from '../harness/index.ts';

/** Names the server that a request goes to, from 1; a line of these tests alone. */
export const toServer = 'x-to-server';
/** The name of the server that has answered: `server1`. */
export const servedBy = 'x-served-by';

interface BalancerOptions {
  /** Where it listens on 127.0.0.1. */
  port: number;
  /** Host and port of each server. */
  servers: readonly string[];
  /** In turn, in place of the same server for the same client. */
  isRoundRobin?: boolean;
}

const put = (lines: string, from: RegExp, to: string): string => {
  if (lines.split(new RegExp(from, 'gm')).length !== 2) throw new Error(`${from} is not once in:\n${lines}`);
  return lines.replace(new RegExp(from, 'm'), () => to);
};

/** The lines of compose.servers.yaml, for servers of this machine. */
const linesFor = ({ port, servers, isRoundRobin = false }: BalancerOptions): string => {
  const own = servers.map((at, index) => `    server server${index + 1} ${at}`);
  const chosen = servers.map(
    (_, index) => `    use-server server${index + 1} if { req.hdr(${toServer}) ${index + 1} }`,
  );
  const seen = `    http-response set-header ${servedBy} %s`;
  let lines = readFileSync(fromRoot('deploy/servers/haproxy.cfg'), 'utf8');
  lines = put(lines, /^ {4}bind :8080$/, `    bind 127.0.0.1:${port}`);
  lines = put(lines, /^ {4}server-template .*$/, [...own, ...chosen, seen].join('\n'));
  if (!isRoundRobin) return lines;
  return put(put(lines, /^ {4}balance .*$/, '    balance roundrobin'), /^ {4}hash-type .*$/, '');
};

/** Starts a real HAProxy in front of the servers, and waits until a request passes. */
export const startBalancer = async (processes: Processes, options: BalancerOptions): Promise<void> => {
  const folder = newFolder('haproxy');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, linesFor(options));
  const running = processes.start({ command: 'haproxy', args: ['-db', '-f', file], cwd: folder });
  let ended = false;
  void running.exit.finally(() => (ended = true)).catch(() => {});
  await until(async () => {
    if (ended) throw new Error(`haproxy has ended:\n${running.output()}`);
    return (await fetch(`http://127.0.0.1:${options.port}/health`).catch(() => null))?.ok;
  });
};
