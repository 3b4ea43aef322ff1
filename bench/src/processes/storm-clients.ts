// Light daemons that reconnect like the real one: same delays and jitter, no `init` after a broken stream.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { exponential, fullJitter, sleep, systemClock } from '@drawbridge/kit';
import { z } from 'zod';
import { addressOf, announcement } from '../announcement.ts';

const retryRange = { baseMs: 1_000, capMs: 10_000 };
const [url = '', keysFile = '', first = '0'] = process.argv.slice(2);
const keys = z.array(z.string()).parse(JSON.parse(readFileSync(keysFile, 'utf8')));

const say = (word: string) => void process.stdout.write(`${word};\n`);

interface Sent {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  n: number;
  body?: string;
}

/** A status, or the code of the error where there was no answer. */
type Got = number | string;

/** Resolves when the answer has ended: its status, or why there was none. */
const send = ({ method, path, key, n, body }: Sent, onOpen: () => void = () => {}) =>
  new Promise<Got>((resolve) => {
    const headers = { [gatewayKeyHeader]: key, ...(body && { 'content-type': 'application/json' }) };
    const target = url + daemonMounts.bare + path;
    const outgoing = request(
      target,
      { method, headers, agent: false, localAddress: addressOf(n) },
      (response) => {
        const end = () => resolve(response.statusCode ?? 0);
        response.resume();
        response.on('end', end).on('error', end);
        if (response.statusCode === 200) onOpen();
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(body);
  });

const live = async (key: string, n: number): Promise<never> => {
  let failures = 0;
  let isInit = true;
  for (;;) {
    const step = isInit ? 'init' : 'events';
    let opened = false;
    const got: Got = isInit
      ? await send({ method: 'POST', path: daemonSurface.init.path, key, n, body: announcement })
      : await send({ method: 'GET', path: daemonSurface.events.path, key, n }, () => {
          opened = true;
          failures = 0;
          say('up');
        });
    if (isInit && got === 200) {
      isInit = false;
      continue;
    }
    if (!opened) say(`failed ${step} ${got}`);
    await sleep(systemClock, fullJitter(exponential(failures, retryRange)));
    failures += 1;
  }
};

for (const [at, key] of keys.entries()) void live(key, Number(first) + at);
