import { PassThrough } from 'node:stream';
import { decisions, type ConfirmationPayload, type Decision } from '@drawbridge/contracts';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, vi } from 'vitest';
import { createAskInTerminal } from './ask.ts';
import { createTalk } from './talk.ts';

const down = '\u001b[B';
const enter = '\r';

const question = (resource: string): ConfirmationPayload => ({
  toolGroup: 'filesystemWrite',
  resource,
  description: `Write ${resource}`,
  options: [...decisions],
});

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 5_000, interval: 5 });

const start = () => {
  const clock = createFakeClock();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { columns: 100, rows: 40, isTTY: true });
  let screen = '';
  output.on('data', (chunk) => void (screen += String(chunk)));
  const talk = createTalk({ write: (text) => void (screen += text), colours: false });
  const ask = createAskInTerminal({ clock, talk, input, output });
  const drawn = (text: string) => until(() => expect(screen).toContain(text));
  /** Lets the question become deaf no more, and waits for its choices. */
  const wake = async () => {
    await until(() => expect(clock.waiting()).toBe(1));
    screen = '';
    clock.advance(500);
    await drawn('Allow it?');
  };
  return { clock, input, talk, ask, drawn, wake, screen: () => screen };
};

const never = () => new AbortController().signal;

describe('the question in the terminal', () => {
  it.each<[Decision, number]>([
    ['denyOnce', 0],
    ['allowOnce', 1],
    ['allowForSession', 2],
    ['alwaysAllow', 3],
    ['alwaysDeny', 4],
  ])('answers %s', async (decision, steps) => {
    const { ask, input, wake } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    input.write(down.repeat(steps) + enter);
    expect(await answer).toEqual({ decision });
  });

  it('drops what was typed before it could be read', async () => {
    const { ask, input, clock, wake } = start();
    const answer = ask(question('/w/a'), never());
    input.write(down + enter);
    await until(() => expect(clock.waiting()).toBe(1));
    input.write(down + enter);
    await clock.settle();
    await wake();
    input.write(enter);
    expect(await answer).toEqual({ decision: 'denyOnce' });
  });

  it('offers only what the machine offers', async () => {
    const { ask, wake, screen, input } = start();
    const answer = ask({ ...question('/w/a'), options: ['allowOnce', 'denyOnce', 'everything'] }, never());
    await wake();
    expect(screen()).not.toContain('Always');
    expect(screen()).not.toContain('everything');
    input.write(down + enter);
    expect(await answer).toEqual({ decision: 'allowOnce' });
  });

  it('asks one thing at a time', async () => {
    const { ask, wake, input, screen, drawn } = start();
    const first = ask(question('/w/first'), never());
    const second = ask(question('/w/second'), never());
    await drawn('/w/first');
    await wake();
    expect(screen()).not.toContain('/w/second');
    input.write(down + enter);
    expect(await first).toEqual({ decision: 'allowOnce' });
    await drawn('/w/second');
    await wake();
    input.write(enter);
    expect(await second).toEqual({ decision: 'denyOnce' });
  });

  it('takes Ctrl-C for a no', async () => {
    const { ask, wake, input } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    input.write('\u0003');
    expect(await answer).toEqual({ decision: 'denyOnce' });
  });

  it.each(['before the choices', 'after the choices'])(
    'goes away when the call is cancelled %s, and the next is asked',
    async (when) => {
      const { ask, wake, input, drawn, clock } = start();
      const abort = new AbortController();
      const cancelled = ask(question('/w/first'), abort.signal);
      const refused = expect(cancelled).rejects.toThrow('cancelled');
      const next = ask(question('/w/second'), never());
      if (when === 'after the choices') await wake();
      else await until(() => expect(clock.waiting()).toBe(1));
      abort.abort(new Error('cancelled'));
      await refused;
      await drawn('/w/second');
      await wake();
      input.write(enter);
      expect(await next).toEqual({ decision: 'denyOnce' });
    },
  );

  it('keeps other lines away while it is open', async () => {
    const { ask, wake, input, talk, screen } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    talk.line('ok', 'read_file');
    expect(screen()).not.toContain('read_file');
    input.write(enter);
    await answer;
    expect(screen()).toContain('ok            read_file');
  });
});
