import type { Pool } from 'undici';
import { middleOf } from './spread.ts';

/** One request and what its answer must contain, so that a wrong answer is not counted as a fast one. */
export interface Shot {
  pool: Pool;
  method?: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** A function where no two requests may be the same. */
  body?: string | (() => string);
  expects: string;
  /** Counts the way from the load generator too, where the answer names a time without it. */
  wholeWay?: true;
}

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Makes a call that is no `Shot` and checks its answer. Returns the time that it took, in milliseconds. */
export type TimedShot = () => Promise<number>;

/** The header `took-ms` of the answer; without one, or for `wholeWay`, the time until the answer arrived. */
const timeOfRequest = async ({
  pool,
  method = 'POST',
  path,
  headers,
  body,
  expects,
  wholeWay,
}: Shot): Promise<number> => {
  const given = typeof body === 'function' ? body() : body;
  const startMs = nowMs();
  const response = await pool.request({
    path,
    method,
    headers,
    ...(given === undefined ? {} : { body: given }),
  });
  const text = await response.body.text();
  const endMs = nowMs();
  if (response.statusCode !== 200 || !text.includes(expects)) {
    throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 300)}`);
  }
  const named = response.headers['took-ms'];
  return named === undefined || wholeWay ? endMs - startMs : Number(named);
};

export const timeOf = (shot: Shot | TimedShot): Promise<number> =>
  typeof shot === 'function' ? shot() : timeOfRequest(shot);

export interface Pair {
  ours: Shot | TimedShot;
  bare: Shot | TimedShot;
}

export interface Compared {
  ours: number;
  bare: number;
}

/** Turns about between the two, so that what else the machine does meets both. */
const slices = 5;

/** One after the other, `count` of each: the middle of the times, in milliseconds. */
export const latencyMs = async (pair: Pair, count: number): Promise<Compared> => {
  const times = { ours: new Array<number>(), bare: new Array<number>() };
  for (let slice = 0; slice < slices; slice++) {
    for (const name of ['bare', 'ours'] as const) {
      for (let n = 0; n < count / slices; n++) times[name].push(await timeOf(pair[name]));
    }
  }
  return { ours: middleOf(times.ours), bare: middleOf(times.bare) };
};

export const inFlight = 64;

/** `count` calls, `inFlight` at a time: the milliseconds that they took. */
export const together = async (shot: Shot | TimedShot, count: number): Promise<number> => {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await timeOf(shot);
  };
  const startMs = nowMs();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return nowMs() - startMs;
};

/** `inFlight` at a time, `count` of each: how many in a second. */
export const perSecond = async (pair: Pair, count: number): Promise<Compared> => {
  const ms = { ours: 0, bare: 0 };
  const each = Math.ceil(count / slices);
  for (let slice = 0; slice < slices; slice++) {
    for (const name of ['bare', 'ours'] as const) ms[name] += await together(pair[name], each);
  }
  const rate = (tookMs: number) => ((each * slices) / tookMs) * 1_000;
  return { ours: rate(ms.ours), bare: rate(ms.bare) };
};

/** Compiles what is hot before the first round. */
export const warmUp = async (pair: Pair, count: number): Promise<void> => {
  await perSecond(pair, count);
  await latencyMs(pair, Math.ceil(count / 5));
};
