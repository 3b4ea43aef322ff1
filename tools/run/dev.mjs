// `pnpm dev`: server, panel and a paired machine, each restarted or reloaded when its source changes. Everything of it
// is in `.dev`, so that a real store and a real pairing are never touched.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { ensureNode, leastToDevelop } from './node.mjs';
import { installFor } from './packages.mjs';
import { startPnpm } from './pnpm.mjs';
import { step } from './step.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.dev');
const [data, shared] = ['server', 'shared'].map((name) => join(folder, name));
const port = Number(process.env.PORT ?? 5173);
const address = `http://127.0.0.1:${port}`;

const fail = (reason, next) => {
  process.stderr.write(`error  ${reason}\nnext   ${next}\n`);
  process.exit(1);
};

/** Rejects for a port that is in use. */
const checkPort = (wanted) =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => server.close(resolve));
  });

/** Of this development server alone, made once. */
const readAccount = () => {
  const file = join(folder, 'account.json');
  if (!existsSync(file)) {
    const account = {
      name: 'Dev',
      email: 'dev@drawbridge.test',
      password: randomBytes(9).toString('base64url'),
    };
    writeFileSync(file, JSON.stringify({ ...account, setupToken: randomBytes(24).toString('base64url') }), {
      mode: 0o600,
    });
  }
  return JSON.parse(readFileSync(file, 'utf8'));
};

await ensureNode(leastToDevelop);
await installFor('test');
for (const one of [data, shared]) mkdirSync(one, { recursive: true, mode: 0o700 });
if (!existsSync(join(shared, 'notes.md')))
  writeFileSync(join(shared, 'notes.md'), '# Notes\n\nThe machine of `pnpm dev` shares this folder.\n');
// The machine keeps its pairing with an address, so the server behind the panel has the same one each time.
const serverPort = port + 1;
for (const one of [port, serverPort])
  await checkPort(one).catch(() =>
    fail(`Port ${one} is in use`, `End the other pnpm dev, or choose another: PORT=${port + 10} pnpm dev`),
  );
const account = readAccount();
const server = `http://127.0.0.1:${serverPort}`;

let isEnding = false;
const child = startPnpm(['--silent', 'turbo', 'run', 'dev'], {
  stdio: ['ignore', 'pipe', 'pipe'],
  // Ctrl-C is for this process, which ends the others once.
  detached: true,
  env: {
    DATA_DIR: data,
    LOCAL_GATEWAY_DIR: shared,
    PORT: String(serverPort),
    PUBLIC_URL: address,
    SETUP_TOKEN: account.setupToken,
    LOG_FORMAT: 'text',
    DEV_PORT: String(port),
    DEV_SERVER: server,
    ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
  },
});
// What turbo, pnpm, the server and the machine print at a start is said in two lines at the end.
const hidden =
  /^\s*$|^ {3}•|cache bypass|^\S+:dev: (>|\s*$| {2}|Drawbridge is ready|Data: |Create the owner account|(not offered|connected) )/;
const show = (stream) =>
  createInterface({ input: stream }).on('line', (line) => {
    if (!isEnding && !hidden.test(stripVTControlCharacters(line))) process.stderr.write(`${line}\n`);
  });
show(child.stdout);
show(child.stderr);
const end = () => {
  if (isEnding) return;
  isEnding = true;
  // All at once: the machine says that it leaves through the panel, which must not wait for the server.
  process.kill(-child.pid, 'SIGTERM');
};
process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
child.once('close', (code) => process.exit(isEnding ? 0 : (code ?? 1)));

const untilAnswers = async (url) => {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

await step('Starting', async () => {
  await untilAnswers(`${server}/health`);
  await untilAnswers(`${address}/health`);
});
const { setupToken, ...owner } = account;
const made = await fetch(`${address}/trpc/setup.createOwner`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: address },
  body: JSON.stringify({ setupToken, ...owner }),
});
// From the second start on the account is there.
if (!made.ok && made.status !== 409)
  fail(`The account could not be made: ${await made.text()}`, `Remove ${folder} and start again`);
process.stdout.write(`\nDrawbridge in development is at ${address}\n`);
process.stdout.write(`Sign in as ${owner.email} with the password ${owner.password}\n\n`);
