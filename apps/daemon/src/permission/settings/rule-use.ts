import { join } from 'node:path';
import { createSerialQueue, createTimer, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../../private-files/private-folder.ts';
import { parseJson } from '../../text/parse-json.ts';
import { coverOf, type Rule } from '../rules/rule.ts';

/** At most one write in this time: what a crash loses is a time, never a rule. */
const writeEveryMs = 60_000;
const maxKept = 10_000;

const file = z.record(z.string(), z.number());

/** Times of use decide nothing: what cannot be read begins anew. */
const parse = (text: string | undefined): Record<string, number> => parseJson(file, text) ?? {};

/** When each rule last decided, in a separate file: the settings file changes by the person alone. */
export const openRuleUse = async (needs: { clock: Clock; folder: string }) => {
  const { clock, folder } = needs;
  const path = join(folder, 'rule-use.json');
  const used = new Map(Object.entries(parse(await readPrivateFile(path))));
  const timer = createTimer(clock);
  const inTurn = createSerialQueue();

  /** Another daemon of the same person may have written meanwhile. */
  const merge = async () => {
    for (const [key, at] of Object.entries(parse(await readPrivateFile(path))))
      used.set(key, Math.max(at, used.get(key) ?? 0));
  };

  const write = async () => {
    await merge();
    const newest = [...used].toSorted(([, a], [, b]) => b - a).slice(0, maxKept);
    const text = `${JSON.stringify(Object.fromEntries(newest))}\n`;
    await writePrivateFile(path, text);
  };

  const writeInTurn = () => inTurn(write).catch(() => undefined);

  return {
    /** Says that these rules have just decided. Costs nothing but memory. */
    note: (rules: readonly Rule[]) => {
      for (const rule of rules) used.set(coverOf(rule), clock.now());
      if (rules.length > 0 && !timer.isWaiting()) timer.start(writeEveryMs, () => void writeInTurn());
    },
    /** Milliseconds since 1970; undefined for never, as far as is known. */
    lastUsed: (rule: Rule) => used.get(coverOf(rule)),
    close: async () => {
      const isDue = timer.isWaiting();
      timer.cancel();
      await (isDue ? writeInTurn() : inTurn(async () => {}));
    },
  };
};

export type RuleUse = Awaited<ReturnType<typeof openRuleUse>>;
