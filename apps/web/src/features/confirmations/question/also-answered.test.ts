import { expect, it } from 'vitest';
import { confirmationOf } from '../../../../test/worlds.ts';
import { alsoAnswered } from './also-answered.ts';

const reachOf = (id: string, covers?: string[]) => ({
  ...{ id, scope: id, label: id, decisions: ['alwaysAllow'] },
  ...(covers && { covers }),
});
const first = confirmationOf({ id: 'a', reaches: [reachOf('file', ['f']), reachOf('folder', ['r', 'w'])] });
const named = (id: string, covers?: string[], machineId = 'm1') =>
  confirmationOf({ id, title: id, machineId, reaches: [reachOf('x', covers)] });

it('names the questions whose own reach needs no other rule', () => {
  const open = [first, named('same', ['f']), named('inside', ['r']), named('more', ['r', 'z'])];
  expect(alsoAnswered(first, 'file', open)).toEqual(['same']);
  expect(alsoAnswered(first, 'folder', open)).toEqual(['inside']);
});

it('names none of another machine, none that says nothing of its rules, and none for an answer once', () => {
  const open = [first, named('b', ['f'], 'm2'), named('c'), named('d', [])];
  expect(alsoAnswered(first, 'file', open)).toEqual([]);
  expect(alsoAnswered(first, undefined, [first, named('e', ['f'])])).toEqual([]);
});
