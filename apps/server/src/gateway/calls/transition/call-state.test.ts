import { terminalCallStates } from '@drawbridge/contracts/calls';
import { actionTool, turnTool } from '@drawbridge/contracts/machines/runtimes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../limits.ts';
import { limitsOf } from './call-limits.ts';
import {
  dueAt,
  nextState,
  type CallEffect,
  type CallLimits,
  type CallMachineEvent,
  type CallMachineState,
  type OpenCallState,
} from './call-state.ts';

const limits: CallLimits = { silenceMs: 30, outlives: [] };
const pending: OpenCallState = { kind: 'pending', endsAt: 600, delivered: false, decision: null };
const decided: OpenCallState = { kind: 'pending', endsAt: 600, delivered: true, decision: 'allowOnce' };
const denied: OpenCallState = { kind: 'pending', endsAt: 600, delivered: true, decision: 'alwaysDeny' };
const delivered: OpenCallState = { kind: 'delivered', endsAt: 600, deadlineAt: 130, decision: null };
const deliveredDenial: OpenCallState = { ...delivered, decision: 'denyOnce' };
const awaiting: OpenCallState = {
  kind: 'awaiting-confirmation',
  confirmationId: 'c',
  expiresAt: 5_000,
  leftMs: 400,
};
const done: CallMachineState = { kind: 'ended', end: 'succeeded', error: null, started: true };

const timedOut = { kind: 'ended', end: 'timed-out', error: 'timedOut', started: null } as const;
const cancelled = { kind: 'ended', end: 'cancelled', error: 'cancelled', started: null } as const;
const disconnected = { kind: 'ended', end: 'failed', error: 'disconnected', started: null } as const;
const accessDenied = { kind: 'ended', end: 'denied', error: 'denied', started: false } as const;
const withdraw: CallEffect = { type: 'close-confirmation', as: 'withdrawn' };
const expire: CallEffect = { type: 'close-confirmation', as: 'expired' };
const stop = (reason: 'user' | 'caller' | 'timeout'): CallEffect => ({ type: 'stop', reason });

type Row = [string, CallMachineState, CallMachineEvent, CallMachineState, CallEffect[]];

describe('a call', () => {
  it.each<Row>([
    ['is dispatched', pending, { type: 'dispatched', at: 100 }, delivered, []],
    [
      'is dispatched with its decision',
      decided,
      { type: 'dispatched', at: 100 },
      { ...delivered, decision: 'allowOnce' },
      [],
    ],
    ['is dispatched again', { ...delivered, deadlineAt: 50 }, { type: 'dispatched', at: 100 }, delivered, []],
    ['is not dispatched while it is asked about', awaiting, { type: 'dispatched', at: 100 }, awaiting, []],
    ['could not be written', delivered, { type: 'unsent', stream: 1 }, pending, []],
    ['makes progress', delivered, { type: 'progressed', at: 120 }, { ...delivered, deadlineAt: 150 }, []],
    [
      'is asked about',
      delivered,
      { type: 'asked', at: 200, confirmationId: 'c', expiresAt: 5_000 },
      awaiting,
      [],
    ],
    [
      'is decided',
      awaiting,
      { type: 'decided', at: 1_000, decision: 'allowOnce' },
      { ...decided, endsAt: 1_400 },
      [{ type: 'dispatch' }],
    ],
    [
      'is refused',
      awaiting,
      { type: 'refused', at: 1_000 },
      accessDenied,
      [{ type: 'stop', reason: 'user' }],
    ],
    ['is refused where nothing was asked', delivered, { type: 'refused', at: 1_000 }, delivered, []],
    [
      'is decided where nothing was asked',
      delivered,
      { type: 'decided', at: 1, decision: 'allowOnce' },
      delivered,
      [],
    ],
    ['succeeds', delivered, { type: 'answered', end: 'succeeded', started: true }, done, []],
    [
      'fails',
      delivered,
      { type: 'answered', end: 'failed', started: null },
      { kind: 'ended', end: 'failed', error: null, started: null },
      [],
    ],
    [
      'fails after a denial',
      deliveredDenial,
      { type: 'answered', end: 'failed', started: null },
      { ...accessDenied, error: null },
      [],
    ],
    [
      'is answered before it was given',
      pending,
      { type: 'answered', end: 'succeeded', started: true },
      pending,
      [],
    ],
    [
      'is answered while it is asked about',
      awaiting,
      { type: 'answered', end: 'lost', started: null },
      { kind: 'ended', end: 'lost', error: null, started: null },
      [withdraw],
    ],
    ['is silent', delivered, { type: 'due', at: 130 }, timedOut, [stop('timeout')]],
    ['is not silent yet', delivered, { type: 'due', at: 129 }, delivered, []],
    [
      'takes too long',
      { ...delivered, deadlineAt: 900 },
      { type: 'due', at: 600 },
      timedOut,
      [stop('timeout')],
    ],
    ['waits too long', pending, { type: 'due', at: 600 }, { ...timedOut, started: false }, []],
    ['waits too long with its denial', denied, { type: 'due', at: 600 }, accessDenied, [stop('timeout')]],
    [
      'is not answered by the person',
      awaiting,
      { type: 'due', at: 5_000 },
      accessDenied,
      [expire, stop('timeout')],
    ],
    [
      'is cancelled before it was given',
      pending,
      { type: 'cancelled', reason: 'user' },
      { ...cancelled, started: false },
      [],
    ],
    ['is cancelled', delivered, { type: 'cancelled', reason: 'caller' }, cancelled, [stop('caller')]],
    [
      'is cancelled while it is asked about',
      awaiting,
      { type: 'cancelled', reason: 'user' },
      { ...cancelled, started: false },
      [withdraw, stop('user')],
    ],
    ['loses its machine', delivered, { type: 'disconnected', why: 'silent' }, disconnected, []],
    [
      'loses its machine before it was given',
      pending,
      { type: 'disconnected', why: 'silent' },
      { ...disconnected, started: false },
      [],
    ],
    [
      'loses its machine while it is asked about',
      awaiting,
      { type: 'disconnected', why: 'silent' },
      awaiting,
      [],
    ],
    ['loses its machine after the decision', decided, { type: 'disconnected', why: 'silent' }, decided, []],
    [
      'is disconnected while it is asked about',
      awaiting,
      { type: 'disconnected', why: 'ended' },
      { ...disconnected, started: false },
      [withdraw],
    ],
    ['is disconnected after the decision', decided, { type: 'disconnected', why: 'ended' }, disconnected, []],
    ['is disconnected after its denial', denied, { type: 'disconnected', why: 'ended' }, accessDenied, []],
    ['loses its daemon', delivered, { type: 'disconnected', why: 'left' }, disconnected, []],
    ['loses its daemon after the decision', decided, { type: 'disconnected', why: 'left' }, decided, []],
  ])('%s', (_name, state, event, expected, effects) => {
    expect(nextState(state, event, limits)).toEqual({ state: expected, effects });
  });

  const turn = limitsOf({ tool: turnTool }, defaultLimits);
  const action = limitsOf({ tool: actionTool }, defaultLimits);
  const notGiven = { ...disconnected, started: false };
  it.each<[string, CallLimits, OpenCallState, 'silent' | 'left' | 'ended', CallMachineState]>([
    ['a turn', turn, delivered, 'silent', delivered],
    ['a turn', turn, delivered, 'left', disconnected],
    ['a turn', turn, delivered, 'ended', disconnected],
    ['a turn that it has not got', turn, pending, 'silent', notGiven],
    ['what a turn asks for', action, delivered, 'silent', delivered],
    ['what a turn asks for', action, delivered, 'left', disconnected],
    ['what a turn asks for, not given yet', action, pending, 'silent', pending],
    ['what a turn asks for, not given yet', action, pending, 'left', notGiven],
  ])('11 %s loses its machine: %#', (_name, of, state, why, expected) => {
    expect(nextState(state, { type: 'disconnected', why }, of).state).toEqual(expected);
  });

  it('11 a turn may be silent for three minutes, any other call for 30 seconds', () => {
    const other = limitsOf({ tool: 'write_file' }, defaultLimits);
    expect([turn, action, other].map(({ silenceMs }) => silenceMs)).toEqual([180_000, 180_000, 30_000]);
    expect(other.outlives).toEqual([]);
    const open = { ...delivered, endsAt: 10_000_000 };
    for (const of of [turn, other])
      for (const type of ['dispatched', 'progressed'] as const)
        expect(nextState(open, { type, at: 100 }, of).state).toEqual({
          ...open,
          deadlineAt: 100 + of.silenceMs,
        });
  });

  const at = fc.nat(10_000);
  const event: fc.Arbitrary<CallMachineEvent> = fc.oneof(
    fc.record({ type: fc.constant('dispatched' as const), at }),
    fc.constant({ type: 'unsent', stream: 1 } as const),
    fc.record({ type: fc.constant('progressed' as const), at }),
    fc.record({ type: fc.constant('asked' as const), at, confirmationId: fc.constant('c'), expiresAt: at }),
    fc.record({
      type: fc.constant('answered' as const),
      end: fc.constantFrom(...terminalCallStates),
      started: fc.constant(null),
    }),
    fc.record({
      type: fc.constant('decided' as const),
      at,
      decision: fc.constantFrom('allowOnce' as const, 'denyOnce' as const),
    }),
    fc.constant({ type: 'refused', at: 1_000 } as const),
    fc.record({
      type: fc.constant('cancelled' as const),
      reason: fc.constantFrom('user' as const, 'caller' as const),
    }),
    fc.record({
      type: fc.constant('disconnected' as const),
      why: fc.constantFrom('silent' as const, 'left' as const, 'ended' as const),
    }),
    fc.record({ type: fc.constant('due' as const), at }),
  );

  it('never leaves its end, and closes a question exactly when it ends without an answer to it', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (script) => {
        let state: CallMachineState = pending;
        for (const item of script) {
          const before: CallMachineState = state;
          const step = nextState(before, item, limits);
          const closes = step.effects.some((effect) => effect.type === 'close-confirmation');
          const unanswered =
            before.kind === 'awaiting-confirmation' && step.state.kind === 'ended' && item.type !== 'refused';
          expect(closes).toBe(unanswered);
          if (before.kind === 'ended') expect(step).toEqual({ state: before, effects: [] });
          state = step.state;
        }
        const end =
          state.kind === 'ended' ? state : nextState(state, { type: 'due', at: dueAt(state) }, limits).state;
        expect(end.kind).toBe('ended');
      }),
    );
  });
});
