import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { compiledEnvironment } from '../../../../e2e/harness/account-home.ts';
import { pairingToken, startGatewayServer, type GatewayServer } from './gateway-server.ts';

// The built file, as it is shipped: `pnpm build` makes it.
const cli = join(import.meta.dirname, '../../dist/cli.cjs');

/** For tests that need a command that runs, and no sandbox around it. */
export const noSandbox = '--dangerously-disable-shell-sandbox';

/** The person's home, the folder to work in, and a server: new for each test after `setUpEachTest`. */
export let home: string;
export let work: string;
export let server: GatewayServer;
const children: ChildProcess[] = [];

/** Gives each test of the file that calls it a home and a server of its own. */
export const setUpEachTest = (): void => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'drawbridge-cli-'));
    work = join(home, 'work');
    await mkdir(work);
    server = await startGatewayServer();
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await server.close();
    await rm(home, { recursive: true, force: true });
  });
};

/** Starts the built program with a home of its own and no terminal. */
export const start = (
  args: string[],
  environment: Record<string, string> = {},
  { program = cli, cwd = work }: { program?: string; cwd?: string } = {},
) => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...compiledEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => void (out.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => void (out.stderr += String(chunk)));
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, out, code };
};

export const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 25_000, interval: 20 });

/** Starts it and waits for its end. */
export const run = async (args: string[], environment: Record<string, string> = {}) => {
  const { out, code } = start(args, environment);
  return { code: await code, ...out };
};

/** An environment in which the CLI ends with the names of its loaded files, without their hashes. */
export const tellingLoaded = async (): Promise<Record<string, string>> => {
  const hook = join(home, 'hook.cjs');
  const names = `Object.keys(require.cache).map((path) => require('node:path').basename(path).replace(/-[\\w-]{8}\\.cjs$/, ''))`;
  await writeFile(hook, `process.on('exit', () => console.error('loaded', ${names}.join(' ')));`);
  return { NODE_OPTIONS: `--require ${hook}` };
};

/** Starts it and waits until it is connected. */
export const connect = async (extra: string[] = [], environment: Record<string, string> = {}) => {
  const started = start([server.url.origin, pairingToken, ...extra], environment);
  await until(() => expect(started.out.stderr).toContain('connected     '));
  return started;
};
