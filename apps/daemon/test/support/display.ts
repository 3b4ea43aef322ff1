import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { z } from 'zod';
import { browserEnvironment } from '../../src/tools/browser/config.ts';
import { findBrowser } from '../../src/tools/browser/find-browser.ts';
import { cleanUp } from './clean-up.ts';

export const screen = { width: 1_600, height: 1_200 };

/** Displays that are there, the newest last. */
const displays: string[] = [];

/** `DISPLAY` names the newest display; without one it has its former value again. */
const nameNewest = (): void => {
  vi.unstubAllEnvs();
  const newest = displays.at(-1);
  if (newest === undefined) return;
  vi.stubEnv('DISPLAY', newest);
  vi.stubEnv('WAYLAND_DISPLAY', undefined);
};

/** A virtual display; `DISPLAY` names it until it is cleaned up. */
export const startDisplay = async () => {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${screen.width}x${screen.height}x24`, '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  // It removes its lock, which another one that starts would meet.
  cleanUp(() => child.kill('SIGTERM'));
  const number = await new Promise<string>((resolve, reject) => {
    child.stdio[3]?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('error', reject);
  });
  const name = `:${number}`;
  displays.push(name);
  nameNewest();
  cleanUp(() => {
    displays.splice(displays.indexOf(name), 1);
    nameNewest();
  });
  return { name, end: () => child.kill('SIGKILL') };
};

const heard = z.object({ type: z.string(), detail: z.record(z.string(), z.unknown()) });
export type Heard = z.infer<typeof heard>;

const page = `<!doctype html><meta charset="utf-8"><title>events</title>
<style>html,body{margin:0;height:3000px;background:#08f}textarea{position:fixed;left:0;top:0;width:400px;height:200px}</style>
<textarea autofocus></textarea><script>
let told = Promise.resolve();
const tell = (type, detail) => { told = told.then(() => fetch('/heard', { method: 'POST', body: JSON.stringify({ type, detail }) })); };
const at = (e) => ({ x: e.screenX, y: e.screenY, button: e.button, buttons: e.buttons });
for (const type of ['mousedown', 'mouseup', 'mousemove', 'dblclick', 'contextmenu'])
  addEventListener(type, (e) => { if (type === 'contextmenu') e.preventDefault(); tell(type, at(e)); }, true);
addEventListener('wheel', (e) => tell('wheel', { x: Math.sign(e.deltaX), y: Math.sign(e.deltaY) }));
for (const type of ['keydown', 'keyup'])
  addEventListener(type, (e) => { if (e.key === 'F5' || e.key === 'Tab') e.preventDefault(); tell(type, { key: e.key, shift: e.shiftKey, control: e.ctrlKey, alt: e.altKey }); }, true);
const area = document.querySelector('textarea');
area.addEventListener('input', () => tell('input', { text: area.value }));
area.focus(); addEventListener('focus', () => area.focus());
requestAnimationFrame(() => requestAnimationFrame(() => tell('ready', {})));
</script>`;

/** A window over the whole display that tells what it receives. */
export const startWindow = async () => {
  const events: Heard[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(page);
    let body = '';
    request.on('data', (chunk) => void (body += String(chunk)));
    request.on('end', () => {
      events.push(heard.parse(JSON.parse(body)));
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const profile = mkdtempSync(join(tmpdir(), 'drawbridge-window-'));
  const child = spawn(
    findBrowser(browserEnvironment(), process.platform) ?? 'chromium',
    [
      `--user-data-dir=${profile}`,
      '--no-sandbox',
      '--no-first-run',
      '--disable-gpu',
      '--kiosk',
      `--window-size=${screen.width},${screen.height}`,
      '--window-position=0,0',
      `--app=http://127.0.0.1:${port}/`,
    ],
    { stdio: 'ignore', detached: true },
  );
  cleanUp(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await new Promise((done) =>
      child.exitCode === null && child.signalCode === null ? child.once('exit', done) : done(null),
    );
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    events,
    /** Such as `SIGSTOP`, to all its processes. */
    signal: (signal: NodeJS.Signals) => void (child.pid !== undefined && process.kill(-child.pid, signal)),
    of: (type: string) => events.filter((one) => one.type === type).map((one) => one.detail),
  };
};
