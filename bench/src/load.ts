import type { Pool } from 'undici';

/** One request and what its answer must contain, so that a wrong answer is not counted as a fast one. */
export interface Shot {
  pool: Pool;
  path: string;
  headers: Record<string, string>;
  body: string;
  expects: string;
}

const fire = async ({ pool, path, headers, body, expects }: Shot): Promise<void> => {
  const response = await pool.request({ path, method: 'POST', headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 200 || !text.includes(expects)) {
    throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 300)}`);
  }
};

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** One after the other: the middle of the times, in milliseconds. */
export const latencyMs = async (shot: Shot, count: number): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const startMs = nowMs();
    await fire(shot);
    times.push(nowMs() - startMs);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
};

/** `inFlight` at a time: how many in a second. */
export const perSecond = async (shot: Shot, count: number, inFlight: number): Promise<number> => {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await fire(shot);
  };
  const startMs = nowMs();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (count / (nowMs() - startMs)) * 1_000;
};
