import { expect, it } from 'vitest';
import { subjectOf } from './index.ts';

it.each([
  ['a path', { filePath: 'src/server.ts', content: 'x' }, 'src/server.ts'],
  ['the first line of a command', { command: 'npm test\nrm -rf /' }, 'npm test …'],
  ['of a script what it does', { command: 'set -e\ncd src\nnpm test' }, 'npm test …'],
  ['a command before its folder', { path: 'src', command: 'ls' }, 'ls'],
  ['a line that ends in another way', { command: 'a\u2028b' }, 'a …'],
  ['from where to where', { sourcePath: 'a.txt', destinationPath: 'b/a.txt' }, 'a.txt → b/a.txt'],
  ['the first line of a task', { runtime: 'codex', prompt: 'Test it\nand fix it' }, 'codex: Test it …'],
  ['a host', { url: 'https://docs.example.org/a/b?c=d' }, 'docs.example.org'],
  ['a host as a browser reads it', { url: 'https://evil.example\\@good.example/' }, 'evil.example'],
  ['a host with its port, never a password', { url: 'http://ann:secret@127.0.0.1:8080/x' }, '127.0.0.1:8080'],
  ['hidden characters written out', { filePath: 'a\u202etxt.exe' }, 'a\\u{202e}txt.exe'],
  ['a terminal sequence written out', { command: '\u001b[2Jls' }, '\\x1b[2Jls'],
  ['nothing', {}, ''],
  ['nothing of what is no text', { filePath: 7, path: ['a'] }, ''],
  ['nothing of a prototype', JSON.parse('{"__proto__":{"path":"a"}}') as Record<string, unknown>, ''],
])('shows %s', (_, args, subject) => expect(subjectOf(args)).toBe(subject));

it('has at most 200 characters, also where hidden ones are written out', () => {
  for (const filePath of ['a'.repeat(10_000), '\u202e'.repeat(1_000), '😀'.repeat(300)]) {
    const subject = subjectOf({ filePath });
    expect(subject.length).toBeLessThanOrEqual(200);
    expect(subject).toMatch(/…$/);
    expect(subject).not.toMatch(/[\ud800-\udbff]…$/);
  }
});
