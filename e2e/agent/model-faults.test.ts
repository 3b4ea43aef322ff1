import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCase, type Step } from './crash-script.ts';
import { startScriptedModel, type ScriptedModel, type Turn } from './scripted-model.ts';
import { startWorld, textOf, use, type World } from './world.ts';

const key = 'key-of-the-model-0123456789';
const done: Turn = { text: 'Done.' };
const raw = (name: string, text: string): Turn => ({ calls: [{ name, arguments: text }] });
const soon = { 'retry-after': '0' };
const redirect: Turn = { status: 307, headers: {} };

/** What the model answers, then `Done.`; each is a thread of its own. */
const retried: Record<string, Turn[]> = {
  rate: [{ status: 429, headers: { 'retry-after': '1' } }],
  twice: [
    { status: 500, headers: soon },
    { status: 500, headers: soon },
  ],
  cut: [{ text: 'Half', end: 'cut' }],
};
const wrong: Record<string, [Turn, string]> = {
  broken: [raw('update-tasks', '{"tasks": ['), 'not valid JSON'],
  schema: [use('update-tasks', { list: [] }), 'tasks'],
  unknown: [use('rm'), 'There is no tool rm'],
  proto: [use('__proto__'), 'There is no tool __proto__'],
  pollution: [raw('read_file', '{"__proto__": {"x": 1}}'), 'not valid JSON'],
};
const ended: Record<string, Turn> = {
  thousand: { calls: Array.from({ length: 1_000 }, () => ({ name: 'x', arguments: {} })) },
  large: raw('x', `"${'x'.repeat(10_000_000)}"`),
  redirect,
};
const turns: Record<string, Turn[]> = {
  ...retried,
  ...Object.fromEntries(Object.entries(wrong).map(([name, [turn]]) => [name, [turn]])),
  ...Object.fromEntries(Object.entries(ended).map(([name, turn]) => [name, [turn]])),
  uncounted: [{ text: 'Done.', usage: null }],
};
const play = ({ name, count }: Step): Turn => turns[name]?.[count - 1] ?? done;
const { script, count } = byCase(Object.fromEntries(Object.keys(turns).map((name) => [name, play])));

describe('18 a model that fails', () => {
  let other: ScriptedModel;
  let world: World;
  let peakBefore: number;

  /** The most memory that the server has used so far, in MiB. */
  const peak = () => {
    const status = readFileSync(`/proc/${world.server.process().pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };
  const finish = async (name: string) => (await world.thread(name).until('run-finish')).payload;

  beforeAll(async () => {
    other = await startScriptedModel([]);
    redirect.headers = { location: `${other.url}/chat/completions` };
    world = await startWorld(script, { AGENT_MODEL_API_KEY: key });
    await world.thread('first').say('hello');
    await finish('first');
    peakBefore = peak();
    await Promise.all(Object.keys(turns).map((name) => world.thread(name).say(`case:${name}`)));
  });
  afterAll(async () => {
    await world?.stop();
    await other?.close();
  });

  it.each(Object.entries(retried))('is asked again: %s', async (name, failed) => {
    expect((await finish(name)).status).toBe('completed');
    expect(count(name)).toBe(failed.length + 1);
    expect((await world.thread(name).of('text-block')).map(({ payload }) => payload.text)).toEqual(['Done.']);
  });

  it.each(Object.entries(wrong))(
    'reads what it got wrong, and the run goes on: %s',
    async (name, [, text]) => {
      expect((await finish(name)).status).toBe('completed');
      expect((await world.thread(name).until('tool-error')).payload.error).toContain(text);
      expect(textOf(world.requestsOf(name)[1]!)).toContain(text);
    },
  );

  it.each(Object.keys(ended))('ends the run with a sentence: %s', async (name) => {
    const { status, reason } = await finish(name);
    expect([status, count(name)]).toEqual(['error', 1]);
    expect(reason).toMatch(/^[A-Z].{10,200}\.$/);
    expect((await world.thread(name).until('error')).payload).toMatchObject({ code: 'MODEL_REFUSED' });
  });

  it('gives no usage: it is estimated, and marked so', async () => {
    expect((await finish('uncounted')).usage).toMatchObject({ estimated: true });
  });

  it('gets the key alone, and costs the server little memory', async () => {
    const keys = world.model.requests.map(({ headers }) => headers.authorization);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${key}`]));
    expect(other.requests.length).toBe(0);
    expect(peak() - peakBefore).toBeLessThan(200);
  });
});
