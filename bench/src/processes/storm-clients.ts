// Light daemons that reconnect like the real one, with the same delays, and answer the probes of their streams.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { exponential, fullJitter, sleep, systemClock } from '@drawbridge/kit';
import { z } from 'zod';
import { addressOf, announcement } from '../announcement.ts';

const retryRange = { baseMs: 1_000, capMs: 10_000 };
const [url = '', keysFile = '', first = '0'] = process.argv.slice(2);
const body = JSON.stringify({
  ...JSON.parse(announcement),
  daemon: { version: '1.0.0', protocol: 1, features: ['probe'] },
});
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

interface Reader {
  onOpen(): void;
  onData(text: string): void;
}

/** Resolves when the answer has ended: its status, or why there was none. */
const send = ({ method, path, key, n, body: sent }: Sent, reader?: Reader) =>
  new Promise<Got>((resolve) => {
    const headers = { [gatewayKeyHeader]: key, ...(sent && { 'content-type': 'application/json' }) };
    const target = url + daemonMounts.bare + path;
    const outgoing = request(
      target,
      { method, headers, agent: false, localAddress: addressOf(n) },
      (response) => {
        const end = () => resolve(response.statusCode ?? 0);
        response.setEncoding('utf8').on('end', end).on('error', end);
        response.on('data', (text: string) => reader?.onData(text));
        if (response.statusCode === 200) reader?.onOpen();
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(sent);
  });

/** The frames of the stream; all but probes are left alone. */
const answerProbes = (key: string, n: number) => {
  let rest = '';
  return (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const id = /"type":"probe","payload":\{"id":(\d+)/.exec(line)?.[1];
      if (id === undefined) continue;
      const { method, path } = daemonSurface.probe;
      void send({ method, path, key, n, body: JSON.stringify({ id: Number(id) }) });
    }
  };
};

const live = async (key: string, n: number): Promise<never> => {
  let failures = 0;
  let isInit = true;
  for (;;) {
    const step = isInit ? 'init' : 'events';
    let opened = false;
    const got: Got = isInit
      ? await send({ method: 'POST', path: daemonSurface.init.path, key, n, body })
      : await send(
          { method: 'GET', path: daemonSurface.events.path, key, n },
          {
            onOpen: () => {
              opened = true;
              failures = 0;
              say('up');
            },
            onData: answerProbes(key, n),
          },
        );
    if (isInit && got === 200) {
      isInit = false;
      continue;
    }
    if (!opened) say(`failed ${step} ${got}`);
    await sleep(systemClock, fullJitter(exponential(failures, retryRange)));
    failures += 1;
  }
};

/** Between two machines that come first: most of those that come at once would be refused, and try again. */
const nextMs = 20;

for (const [at, key] of keys.entries()) {
  void live(key, Number(first) + at);
  await sleep(systemClock, nextMs);
}
