import { expect, it } from 'vitest';
import { inFolder } from './in-folder.ts';

it('RT-02 relative paths are those of the folder that it works in, not of the shared one', () => {
  const edit = { before: null, after: 'x' };
  expect(inFolder({ kind: 'command', command: 'ls' }, '/root/sub')).toMatchObject({ cwd: '/root/sub' });
  expect(inFolder({ kind: 'command', command: 'ls', cwd: '..' }, '/root/sub')).toMatchObject({
    cwd: '/root',
  });
  expect(inFolder({ kind: 'read', paths: ['a', '/b'] }, '/root/sub')).toMatchObject({
    paths: ['/root/sub/a', '/b'],
  });
  const edits = { kind: 'edit' as const, edits: [{ path: '../../c', ...edit }] };
  expect(inFolder(edits, '/root/sub')).toMatchObject({ edits: [{ path: '/c', ...edit }] });
});
