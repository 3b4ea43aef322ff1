import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DisconnectReason } from '@drawbridge/contracts/daemon-event';
import {
  next,
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  type Failure,
} from './connection.ts';

const network: Failure = { kind: 'network', sentence: 'connection refused' };
const refused: Failure = { kind: 'refused', sentence: 'Forbidden (HTTP 403)' };
const serverError: Failure = { kind: 'server-error', sentence: 'HTTP 500' };
const redirect: Failure = { kind: 'redirect', sentence: 'the server redirects' };

const failed = (failure: Failure): ConnectionEvent => ({ type: 'failed', failure });
const session: ConnectionEvent = { type: 'key-given', keyKind: 'session' };
const pairing: ConnectionEvent = { type: 'key-given', keyKind: 'pairing' };
const initialised: ConnectionEvent = { type: 'initialised' };
const opened: ConnectionEvent = { type: 'opened' };
const unknownHere: ConnectionEvent = { type: 'unknown-here' };
const waited: ConnectionEvent = { type: 'waited' };

const run = (events: ConnectionEvent[]): { state: Connection; effects: ConnectionEffect[] } => {
  let state: Connection = { kind: 'idle' };
  let effects: ConnectionEffect[] = [];
  for (const event of events) ({ state, effects } = next(state, event));
  return { state, effects };
};

/** One word for what a chain of events ends in: the state and what is done. */
const outline = (events: ConnectionEvent[]): string => {
  const { state, effects } = run(events);
  const words = effects.map((effect) => {
    if (effect.type === 'wait') return `wait ${effect.ceilingMs}`;
    return effect.type === 'end' ? `end ${effect.ending.reason}` : effect.type;
  });
  return [state.kind, ...words].join(', ');
};

const online = [session, initialised, opened];
const cut = [failed(network), waited];

describe('the connection', () => {
  it.each<[string, ConnectionEvent[], string]>([
    ['a key: initialise', [pairing], 'initialising, initialise'],
    ['then open', [pairing, initialised], 'opening, open'],
    ['then online', [pairing, initialised, opened], 'online'],
    ['a broken stream: wait, then open again', [...online, failed(network)], 'waiting, release, wait 1000'],
    ['after the wait only the stream', [...online, ...cut], 'opening, open'],
    ['a server that needs a new init', [...online, unknownHere], 'initialising, release, initialise'],
    [
      'the same while it waits: init first',
      [...online, failed(network), unknownHere, waited],
      'initialising, initialise',
    ],
    ['the second failure waits longer', [...online, ...cut, failed(network)], 'waiting, release, wait 2000'],
    [
      'the fifth',
      [...online, ...cut, ...cut, ...cut, ...cut, failed(network)],
      'waiting, release, wait 10000',
    ],
    [
      'the cap',
      [...online, ...cut, ...cut, ...cut, ...cut, ...cut, failed(network)],
      'waiting, release, wait 10000',
    ],
    [
      'an open stream starts over',
      [...online, ...cut, ...cut, opened, failed(network)],
      'waiting, release, wait 1000',
    ],
    ['a refused key: initialise again', [...online, failed(refused), waited], 'initialising, initialise'],
    ['500 counts as a refused key', [...online, failed(serverError), waited], 'initialising, initialise'],
    ['a redirect later is a broken network', [...online, failed(redirect), waited], 'opening, open'],
    ['the token is used up: ask for another', [pairing, failed(refused)], 'unpaired, release, ask-for-token'],
    ['500 on the first init is tried again', [pairing, failed(serverError)], 'waiting, release, wait 1000'],
    ['a wrong address ends at once', [pairing, failed(network)], 'ended, release, end failed'],
    ['a redirect at the start ends at once', [pairing, failed(redirect)], 'ended, release, end failed'],
    ['a session waits for its server', [session, failed(network)], 'waiting, release, wait 1000'],
    [
      'a new token goes on without a restart',
      [pairing, failed(refused), pairing],
      'initialising, initialise',
    ],
    [
      'disconnected by the server: shutdown',
      [...online, { type: 'disconnected', reason: 'shutdown' }],
      'waiting, release, wait 1000',
    ],
    [
      'and come back with init',
      [...online, { type: 'disconnected', reason: 'shutdown' }, waited],
      'initialising, initialise',
    ],
    [
      'disconnected by the server: user',
      [...online, { type: 'disconnected', reason: 'user' }],
      'ended, release, end user',
    ],
    [
      'disconnected by the server: replaced',
      [...online, { type: 'disconnected', reason: 'replaced' }],
      'ended, release, end replaced',
    ],
    ['stopped by the person', [...online, { type: 'stop' }], 'ended, release, leave, end stopped'],
    ['stopped without a key', [pairing, failed(refused), { type: 'stop' }], 'ended, release, end stopped'],
    [
      'stopped while it waits',
      [...online, failed(network), { type: 'stop' }],
      'ended, release, leave, end stopped',
    ],
    ['stopped before it was paired', [pairing, { type: 'stop' }], 'ended, release, end stopped'],
  ])('%s', (_name, events, expected) => {
    expect(outline(events)).toBe(expected);
  });

  it('gives up after five auth failures in a row, whatever else failed between them', () => {
    const authRound = [failed(refused), waited, initialised];
    const four = [...online, ...authRound, ...authRound, failed(network), waited, ...authRound, ...authRound];
    expect(outline(four)).toBe('opening, open');
    expect(outline([...four, failed(serverError)])).toBe('unpaired, release, ask-for-token');
    expect(outline([...four, opened, failed(refused)])).toBe('waiting, release, wait 1000');
  });

  const anyFailure = fc.constantFrom(network, refused, serverError, redirect);
  const anyEvent: fc.Arbitrary<ConnectionEvent> = fc.oneof(
    fc.constantFrom(session, pairing, initialised, opened, waited),
    anyFailure.map(failed),
    fc
      .constantFrom<DisconnectReason>('user', 'replaced', 'shutdown')
      .map((reason): ConnectionEvent => ({ type: 'disconnected', reason })),
  );

  it('always waits between 1 and 10 s, lets go before it waits or ends, and stays ended', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        let state: Connection = { kind: 'idle' };
        for (const event of events) {
          const step = next(state, event);
          if (state.kind === 'ended') expect(step).toEqual({ state, effects: [] });
          for (const effect of step.effects) {
            if (effect.type === 'wait')
              expect(effect.ceilingMs >= 1_000 && effect.ceilingMs <= 10_000).toBe(true);
            if (effect.type === 'wait' || effect.type === 'end')
              expect(step.effects[0]).toEqual({ type: 'release' });
          }
          expect(
            step.effects.filter(({ type }) => ['initialise', 'open', 'wait'].includes(type)).length <= 1,
          ).toBe(true);
          state = step.state;
        }
      }),
    );
  });

  it('never opens a stream or initialises without a wait after a failure', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), anyFailure, (events, failure) => {
        const { state } = run(events);
        const { effects } = next(state, failed(failure));
        expect(effects.map(({ type }) => type)).not.toContain('open');
        expect(effects.map(({ type }) => type)).not.toContain('initialise');
      }),
    );
  });
});
