import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { expect, it } from 'vitest';
import { openTools } from '../../../test/support/tool-fixture.ts';

const isQuestion = (result: ToolResult) => questionOf(result) !== undefined;

const open = async (filesystemRead: 'allow' | 'ask' = 'allow') => {
  const world = await openTools({ modes: { filesystemRead, filesystemWrite: 'ask' } });
  writeFileSync(join(world.root, 'a'), 'as it is\n');
  utimesSync(join(world.root, 'a'), 1, 1);
  return world;
};
const write = (content: string) => ['write_file', { filePath: 'a', content }] as const;

it('a write that changes nothing succeeds without a question', async () => {
  const { call, gate } = await open();
  expect((await call(...write('as it is\n'))).structuredContent).toEqual({ path: 'a', unchanged: true });
  expect(gate.openQuestions()).toBe(0);
  for (const content of ['as it is', 'as it was'])
    expect(isQuestion(await call(...write(content)))).toBe(true);
});

it('says nothing of a file that the caller may not read without a question', async () => {
  const { call } = await open('ask');
  const [same, other] = [await call(...write('as it is\n')), await call(...write('as it was\n'))];
  expect(questionOf(same)?.toolGroup).toBe('filesystemWrite');
  expect(questionOf(other)?.toolGroup).toBe('filesystemWrite');
});

it('does not write what was changed between its look and its turn', async () => {
  const { call, root } = await open();
  const unchanged = call(...write('as it is\n'));
  writeFileSync(join(root, 'a'), 'changed\n');
  const result = await unchanged;
  expect([result.isError === true || isQuestion(result), readFileSync(join(root, 'a'), 'utf8')]).toEqual([
    true,
    'changed\n',
  ]);
});
