import { expect, it } from 'vitest';
import { toolLabel } from './call-verbs.ts';

it.each([
  ['browser_click', 'Browser click'],
  ['runtime_turn', 'Task of a coding agent'],
  ['toString', 'ToString'],
])('%s is %s', (tool, label) => expect(toolLabel(tool)).toBe(label));
