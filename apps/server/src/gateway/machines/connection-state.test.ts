import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextConnection,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type GoneWhy,
} from './connection-state.ts';
import { defaultLimits } from '../limits.ts';

const next = (state: ConnectionState, event: ConnectionEvent) => nextConnection(state, event, defaultLimits);

const offline: ConnectionState = { kind: 'offline', expiries: 2 };
const waiting: ConnectionState = { kind: 'waiting', expiries: 2 };
const online: ConnectionState = { kind: 'online', expiries: 2, generation: 7 };

const announce = { type: 'announce' } as const;
const stopWaiting = { type: 'stop-waiting' } as const;
const replaced = { type: 'replaced' } as const;
const attached = { type: 'attached' } as const;
const gone = (why: GoneWhy) => ({ type: 'gone', why }) as const;
const wait = (ms: number) => ({ type: 'wait', ms }) as const;
const close = (reason: 'user' | 'replaced' | null) =>
  ({ type: 'close-stream', generation: 7, reason }) as const;

describe('a connection', () => {
  it.each<[string, ConnectionState, ConnectionEvent, ConnectionState, ConnectionEffect[]]>([
    [
      'init waits for a stream',
      offline,
      { type: 'init', replaces: false },
      { kind: 'waiting', expiries: 0 },
      [stopWaiting, wait(10_000)],
    ],
    [
      'init in grace starts it anew',
      waiting,
      { type: 'init', replaces: false },
      { kind: 'waiting', expiries: 0 },
      [stopWaiting, wait(10_000)],
    ],
    [
      'init of another daemon ends the stream',
      online,
      { type: 'init', replaces: true },
      { kind: 'waiting', expiries: 0 },
      [close('replaced'), replaced, stopWaiting, wait(10_000), announce],
    ],
    [
      'init of another daemon in grace',
      waiting,
      { type: 'init', replaces: true },
      { kind: 'waiting', expiries: 0 },
      [replaced, stopWaiting, wait(10_000)],
    ],
    [
      'init leaves an open stream',
      online,
      { type: 'init', replaces: false },
      { ...online, expiries: 0 },
      [announce],
    ],
    [
      'a stream ends the wait',
      waiting,
      { type: 'stream-opened', generation: 8, isSameDaemon: false },
      { ...online, generation: 8 },
      [stopWaiting, announce, attached],
    ],
    [
      'a stream after the grace',
      offline,
      { type: 'stream-opened', generation: 8, isSameDaemon: false },
      { ...online, generation: 8 },
      [stopWaiting, announce, attached],
    ],
    [
      'the newest stream wins',
      online,
      { type: 'stream-opened', generation: 8, isSameDaemon: false },
      { ...online, generation: 8 },
      [close('replaced'), stopWaiting, announce, attached],
    ],
    [
      'a newer stream of the same daemon',
      online,
      { type: 'stream-opened', generation: 8, isSameDaemon: true },
      { ...online, generation: 8 },
      [close(null), stopWaiting, announce, attached],
    ],
    [
      'an older stream opens late',
      online,
      { type: 'stream-opened', generation: 6, isSameDaemon: false },
      online,
      [],
    ],
    ['the stream drops', online, { type: 'stream-closed', generation: 7 }, waiting, [wait(40_000), announce]],
    ['an older stream closes', online, { type: 'stream-closed', generation: 6 }, online, []],
    ['a closed stream closes again', waiting, { type: 'stream-closed', generation: 7 }, waiting, []],
    [
      'the grace ends',
      waiting,
      { type: 'grace-expired' },
      { kind: 'offline', expiries: 3 },
      [gone('silent'), announce],
    ],
    ['a grace that was over', online, { type: 'grace-expired' }, online, []],
    [
      'disconnect with a stream',
      online,
      { type: 'disconnected', reason: 'user' },
      { kind: 'offline', expiries: 0 },
      [close('user'), gone('ended'), announce],
    ],
    [
      'disconnect in grace',
      waiting,
      { type: 'disconnected', reason: 'user' },
      { kind: 'offline', expiries: 0 },
      [stopWaiting, gone('ended'), announce],
    ],
    ['disconnect when offline', offline, { type: 'disconnected', reason: 'user' }, offline, [gone('ended')]],
    [
      'replaced by another',
      online,
      { type: 'disconnected', reason: 'replaced' },
      { kind: 'offline', expiries: 0 },
      [close('replaced'), gone('ended'), announce],
    ],
    [
      'the daemon leaves',
      online,
      { type: 'left' },
      { kind: 'offline', expiries: 0 },
      [close(null), gone('left'), announce],
    ],
    [
      'the daemon leaves in grace',
      waiting,
      { type: 'left' },
      { kind: 'offline', expiries: 0 },
      [stopWaiting, gone('left'), announce],
    ],
    ['the daemon leaves twice', offline, { type: 'left' }, offline, []],
    ['the server is back', offline, { type: 'restarted' }, { kind: 'waiting', expiries: 0 }, [wait(60_000)]],
    ['the server is back after the daemon', online, { type: 'restarted' }, online, []],
  ])('%s', (_name, state, event, expected, effects) => {
    expect(next(state, event)).toEqual({ state: expected, effects });
  });

  it.each([
    [0, 10_000],
    [1, 20_000],
    [2, 40_000],
    [3, 80_000],
    [4, 120_000],
    [60, 120_000],
  ])('gives grace number %i %i ms', (expiries, ms) => {
    const step = next({ kind: 'online', expiries, generation: 1 }, { type: 'stream-closed', generation: 1 });
    expect(step.effects[0]).toEqual(wait(ms));
  });

  const events = fc.array(
    fc.oneof(
      fc.constant({ kind: 'init' } as const),
      fc.constant({ kind: 'open' } as const),
      fc.record({ kind: fc.constant('close' as const), which: fc.nat(5) }),
      fc.constant({ kind: 'expire' } as const),
      fc.constant({ kind: 'disconnect' } as const),
      fc.constant({ kind: 'restart' } as const),
    ),
    { maxLength: 60 },
  );

  it('has one timer exactly while it waits, one stream exactly while it is online, and that is the newest', () => {
    fc.assert(
      fc.property(events, (script) => {
        let state: ConnectionState = { kind: 'offline', expiries: 0 };
        let generations = 0;
        let timer = false;
        const open = new Set<number>();
        for (const item of script) {
          if (item.kind === 'expire' && !timer) continue;
          const event = ((): ConnectionEvent => {
            switch (item.kind) {
              case 'init':
                return { type: 'init', replaces: false };
              case 'open':
                generations += 1;
                open.add(generations);
                return { type: 'stream-opened', generation: generations, isSameDaemon: false };
              case 'close':
                open.delete(generations - item.which);
                return { type: 'stream-closed', generation: generations - item.which };
              case 'expire':
                timer = false;
                return { type: 'grace-expired' };
              case 'disconnect':
                return { type: 'disconnected', reason: 'user' };
              case 'restart':
                return { type: 'restarted' };
              default:
                return item satisfies never;
            }
          })();
          const step = next(state, event);
          state = step.state;
          for (const effect of step.effects) {
            if (effect.type === 'wait') timer = true;
            if (effect.type === 'stop-waiting') timer = false;
            if (effect.type === 'close-stream') open.delete(effect.generation);
          }
          expect(timer).toBe(state.kind === 'waiting');
          expect([...open]).toEqual(state.kind === 'online' ? [state.generation] : []);
        }
      }),
    );
  });
});
