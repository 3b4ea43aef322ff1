import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, newFolder } from './paths.ts';
import type { Processes, Running } from './processes.ts';
import { until } from './until.ts';

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** A real reverse proxy in a process of its own, with the lines of the page about proxies. */
export interface ReverseProxy {
  process: Running;
  /** What nginx has written to its access log. */
  accessLog(): string;
}

export interface ReverseProxyOptions {
  name: ProxyName;
  /** Where it listens on 127.0.0.1. */
  port: number;
  /** The server's host and port. */
  upstream: string;
  /** Changes the lines of the page. */
  change?(lines: string): string;
}

interface Kind {
  /** Texts of the page, and their replacements in the test. */
  listen: [onPage: string, here: (port: number) => string];
  /** The lines around those of the page. Everything that the proxy writes stays in `folder`. */
  file(lines: string, folder: string): string;
  args(path: string): string[];
}

const nginxAround = (lines: string, folder: string) => `
  daemon off;
  master_process off;
  pid ${folder}/pid;
  error_log stderr;
  events {}
  http {
    access_log ${folder}/access.log;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
    ${lines}
  }
`;

const kinds: Record<ProxyName, Kind> = {
  nginx: {
    listen: ['listen 80;', (port) => `listen 127.0.0.1:${port};`],
    file: nginxAround,
    args: (path) => ['-c', path, '-e', 'stderr'],
  },
  caddy: {
    listen: ['bridge.example.org', (port) => `http://127.0.0.1:${port}`],
    file: (lines) => lines.replace(/^\{/, '{\nadmin off\nauto_https off\ndefault_bind 127.0.0.1'),
    args: (path) => ['run', '--adapter', 'caddyfile', '--config', path],
  },
  haproxy: {
    listen: ['bind :80', (port) => `bind 127.0.0.1:${port}`],
    file: (lines) => lines,
    args: (path) => ['-db', '-f', path],
  },
};

/** The only block of that language on the page. */
const linesOf = (name: ProxyName): string => {
  const page = readFileSync(fromRoot('docs/behind-a-proxy.md'), 'utf8');
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\`$`, 'gms'))];
  if (blocks.length !== 1) throw new Error(`docs/behind-a-proxy.md has ${blocks.length} blocks for ${name}`);
  return blocks[0]?.[1] ?? '';
};

const put = (lines: string, [from, to]: readonly [string, string]): string => {
  const parts = lines.split(from);
  if (parts.length !== 2) throw new Error(`"${from}" stands ${parts.length - 1} times in:\n${lines}`);
  return parts.join(to);
};

const answers = async (port: number) => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
};

/** Starts the proxy in front of a server that listens already, and waits until a request passes. */
export const startReverseProxy = async (
  processes: Processes,
  { name, port, upstream, change = (lines) => lines }: ReverseProxyOptions,
): Promise<ReverseProxy> => {
  const kind = kinds[name];
  const folder = newFolder(name);
  const path = join(folder, 'config');
  const [onPage, here] = kind.listen;
  const lines = put(put(change(linesOf(name)), [onPage, here(port)]), ['127.0.0.1:5820', upstream]);
  writeFileSync(path, kind.file(lines, folder));
  const running = processes.start({
    command: name,
    args: kind.args(path),
    cwd: folder,
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let ended = false;
  void running.exit.then(() => (ended = true)).catch(() => (ended = true));
  await until(async () => {
    if (ended) throw new Error(`${name} has ended:\n${running.output()}`);
    return answers(port);
  });
  return { process: running, accessLog: () => readFileSync(join(folder, 'access.log'), 'utf8') };
};
