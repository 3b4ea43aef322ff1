import { describe, expect, it } from 'vitest';
import { findToken } from './start-question.ts';

const token = `gw_${'t'.repeat(32)}`;

describe('a pasted token', () => {
  it.each<[string, string, string | null]>([
    ['alone', token, token],
    ['with blanks around', `  ${token}\n`, token],
    ['in the whole command', `npx --yes https://x.example/daemon.tgz https://x.example ${token}`, token],
    ['a session key', 'sess_abc', 'sess_abc'],
    ['a fixed key of the server', 'k'.repeat(40), 'k'.repeat(40)],
    ['nothing', '  ', null],
    ['control characters', '\u001b[2J', null],
  ])('%s', (_name, pasted, expected) => {
    expect(findToken(pasted)).toBe(expected);
  });
});
