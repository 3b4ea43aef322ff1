import { PassThrough } from 'node:stream';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import { decisions } from '@drawbridge/contracts/groups';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, vi } from 'vitest';
import type { TerminalAnswer } from '../permission/index.ts';
import { createAskInTerminal } from './ask.ts';
import { createTerminalOutput } from './terminal-output.ts';

const question = (resource: string): ConfirmationPayload => ({
  toolGroup: 'filesystemWrite',
  resource,
  description: `Write ${resource}`,
  options: [...decisions],
});

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000, interval: 5 });

const start = () => {
  const clock = createFakeClock();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { columns: 100, rows: 40, isTTY: true });
  let screen = '';
  output.on('data', (chunk) => void (screen += String(chunk)));
  const terminal = createTerminalOutput({ write: (text) => void (screen += text), colours: false });
  let ownInput = false;
  const ask = createAskInTerminal({ clock, terminal, input, output, isOwnInput: () => ownInput });
  const drawn = (text: string) => until(() => expect(screen).toContain(text));
  /** Lets the question become deaf no more, and waits for its choices. */
  const wake = async () => {
    await until(() => expect(clock.waiting()).toBe(1));
    screen = '';
    clock.advance(500);
    await drawn('n no');
  };
  const setOwnInput = (on: boolean) => void (ownInput = on);
  return { clock, input, terminal, ask, drawn, wake, setOwnInput, screen: () => screen };
};

const never = () => ({ signal: new AbortController().signal });

describe('the question in the terminal', () => {
  it('BR-14 ignores keys that a tool may have typed', async () => {
    const { ask, input, wake, setOwnInput } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    setOwnInput(true);
    for (const key of 'yaY\n') input.write(key);
    await until(() => expect(input.readableLength).toBe(0));
    setOwnInput(false);
    input.write('n');
    expect(await answer).toEqual({ decision: 'denyOnce' });
  });

  it('names who asks, as the server says it, and the person in the panel', async () => {
    const { ask, drawn, screen } = start();
    const asked = (caller: RequestCaller) => {
      const over = new AbortController();
      ask(question('/w/a'), { signal: over.signal, caller }).catch(() => undefined);
      return over;
    };
    const first = asked({ id: 'token:1', name: 'Claude\u001b[2J Code' });
    await drawn('  Asked by Claude\\x1b[2J Code, the server says\n');
    first.abort();
    asked({ id: 'user', name: '' });
    await drawn('  Asked in the panel\n');
    expect(screen()).not.toContain('\u001b[2J');
  });

  it('DR-01 DR-02 keeps right-to-left words where they stand, counts marks, and says so', async () => {
    const { ask, drawn, screen } = start();
    void ask(question(`rm \u05d0 \u05d1 a${'\u0301'.repeat(300)}`), never()).catch(() => undefined);
    await drawn('    rm \u2068\u05d0\u2069 \u2068\u05d1\u2069 a\u0301\u0301\u0301[297 combining marks]');
    expect(screen()).toContain('! Contains right-to-left letters');
    expect(screen()).toContain('! Contains letters with too many marks');
  });

  it.each<[string, TerminalAnswer]>([
    ['y', { decision: 'allowOnce' }],
    ['Y', { decision: 'allowOnce' }],
    ['s', { decision: 'allowForSession' }],
    ['a', { decision: 'alwaysAllow' }],
    ['n', { decision: 'denyOnce' }],
    ['d', { decision: 'alwaysDeny' }],
    ['\u0003', { decision: 'denyOnce' }],
    ['\u0004', { decision: 'denyOnce' }],
    ['\u001b', { decision: 'denyOnce' }],
  ])('the key %j answers', async (key, given) => {
    const { ask, input, wake } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    input.write(key);
    expect(await answer).toEqual(given);
  });

  it('says after Ctrl-C that drawbridge still runs', async () => {
    const { ask, input, wake, screen } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    input.write('\u0003');
    await answer;
    expect(screen()).toContain('> no (while no question is open, Ctrl-C stops drawbridge)\n');
  });

  it.each([
    ['a word that is pasted', 'yes'],
    ['an arrow', '\u001b[B'],
    ['Enter', '\r'],
    ['a key that means nothing', 'x'],
    ['a reach where none is offered', 'r'],
    ['15 minutes where they are not offered', 'f'],
  ])('%s is no answer', async (_name, typed) => {
    const { ask, input, wake, clock } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    input.write(typed);
    await clock.settle();
    input.write('n');
    expect(await answer).toEqual({ decision: 'denyOnce' });
  });

  describe('with reaches', () => {
    const lasting = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
    const short = { decisions: ['allowForSession'], durationMs: 900_000 };
    const file = { scope: 'exact', label: 'change or delete ~/a' };
    const folder = { scope: 'folder', label: 'change or delete files in ~ and below\u001b[2J' };
    const reaches = [
      { id: 'exact', ...file, decisions: lasting },
      { id: 'exact-15-minutes', ...file, ...short },
      { id: 'folder', ...folder, decisions: lasting },
      { id: 'folder-15-minutes', ...folder, ...short },
    ];

    it.each<[string, TerminalAnswer]>([
      ['y', { decision: 'allowOnce' }],
      ['a', { decision: 'alwaysAllow', reach: 'exact' }],
      ['f', { decision: 'allowForSession', reach: 'exact-15-minutes' }],
      ['ra', { decision: 'alwaysAllow', reach: 'folder' }],
      ['rd', { decision: 'alwaysDeny', reach: 'folder' }],
      ['rf', { decision: 'allowForSession', reach: 'folder-15-minutes' }],
      ['ry', { decision: 'allowOnce' }],
      ['rra', { decision: 'alwaysAllow', reach: 'exact' }],
    ])('the keys %s', async (keys, given) => {
      const { ask, input, wake, clock } = start();
      const answer = ask({ ...question('/w/a'), reaches }, never());
      await wake();
      for (const key of keys) {
        input.write(key);
        await clock.settle();
      }
      expect(await answer).toEqual(given);
    });

    it('CF-17 says what a lasting answer covers, and hides nothing', async () => {
      const { ask, input, wake, screen, drawn } = start();
      const answer = ask({ ...question('/w/a'), reaches }, never());
      await wake();
      expect(screen()).toBe(
        '  a lasting answer covers: change or delete ~/a\n' +
          '  y once   f 15 minutes   s this session   a always   n no   d always no\n  r change what a lasting answer covers\n',
      );
      input.write('r');
      await drawn('a lasting answer covers: change or delete files in ~ and below\\x1b[2J');
      input.write('n');
      await answer;
    });
  });

  it('drops what was typed before it could be read', async () => {
    const { ask, input, clock, wake } = start();
    const answer = ask(question('/w/a'), never());
    input.write('y');
    await until(() => expect(clock.waiting()).toBe(1));
    input.write('a');
    await clock.settle();
    await wake();
    input.write('n');
    expect(await answer).toEqual({ decision: 'denyOnce' });
  });

  it('offers only what the machine offers', async () => {
    const { ask, wake, screen, input, clock } = start();
    const answer = ask({ ...question('/w/a'), options: ['allowOnce', 'denyOnce', 'everything'] }, never());
    await wake();
    expect(screen()).toBe('  y once   n no\n');
    input.write('a');
    await clock.settle();
    input.write('y');
    expect(await answer).toEqual({ decision: 'allowOnce' });
  });

  it('asks one thing at a time', async () => {
    const { ask, wake, input, screen, drawn } = start();
    const first = ask(question('/w/first'), never());
    const second = ask(question('/w/second'), never());
    await drawn('/w/first');
    await wake();
    expect(screen()).not.toContain('/w/second');
    input.write('y');
    expect(await first).toEqual({ decision: 'allowOnce' });
    await drawn('/w/second');
    await wake();
    input.write('n');
    expect(await second).toEqual({ decision: 'denyOnce' });
  });

  it.each(['before the choices', 'after the choices'])(
    'goes away when the call is cancelled %s, and the next is asked',
    async (when) => {
      const { ask, wake, input, drawn, clock } = start();
      const abort = new AbortController();
      const cancelled = ask(question('/w/first'), { signal: abort.signal });
      const refused = expect(cancelled).rejects.toThrow('cancelled');
      const next = ask(question('/w/second'), never());
      if (when === 'after the choices') await wake();
      else await until(() => expect(clock.waiting()).toBe(1));
      abort.abort(new Error('cancelled'));
      await refused;
      await drawn('/w/second');
      await wake();
      input.write('n');
      expect(await next).toEqual({ decision: 'denyOnce' });
    },
  );

  it('keeps other lines away while it is open', async () => {
    const { ask, wake, input, terminal, screen } = start();
    const answer = ask(question('/w/a'), never());
    await wake();
    terminal.line('ok', 'read_file');
    expect(screen()).not.toContain('read_file');
    input.write('n');
    await answer;
    expect(screen()).toContain('ok            read_file');
  });
});
