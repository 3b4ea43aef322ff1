import { describe, expect, it } from 'vitest';
import { createPushReader, type PushVerdict } from './push-commands.ts';

const zero = '0'.repeat(40);
const [old, next] = ['1'.repeat(40), 'a'.repeat(40)];
const abilities = '\0report-status side-band-64k agent=git/2.39';

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const list = (...lines: string[]) => Buffer.from(`${lines.map(line).join('')}0000PACK`, 'latin1');
const first = (before: string, after: string, ref: string) => `${before} ${after} ${ref}${abilities}`;

const read = (bytes: Buffer, size = bytes.length): PushVerdict => {
  const reader = createPushReader();
  for (let at = 0; at < bytes.length; at += size) {
    const verdict = reader.add(bytes.subarray(at, at + size));
    if (verdict.kind !== 'more') return verdict;
  }
  return { kind: 'more' };
};

const topic = 'refs/heads/topic';

describe('the list of changes of a push', () => {
  const good = list(
    first(old, next, topic),
    `${zero} ${next} refs/tags/v1`,
    `${old} ${next} refs/heads/main\n`,
  );
  const changes = [
    { ref: topic, isNew: false },
    { ref: 'refs/tags/v1', isNew: true },
    { ref: 'refs/heads/main', isNew: false },
  ];

  it('is read in one piece and in pieces of any size', () => {
    for (const size of [good.length, 1, 2, 3, 5, 7, 64])
      expect(read(good, size)).toEqual({ kind: 'right', changes });
    expect(read(list(`shallow ${old}`, first(zero, next, topic)))).toMatchObject({ kind: 'right' });
    expect(read(Buffer.from('0000'))).toEqual({ kind: 'right', changes: [] });
  });

  it('may have 2,000 changes, and is never complete without its end', () => {
    const many = Array.from({ length: 1_999 }, (_, at) => `${old} ${next} refs/heads/b${at}`);
    expect(read(list(first(old, next, topic), ...many))).toMatchObject({ kind: 'right' });
    expect(read(good.subarray(0, -8))).toEqual({ kind: 'more' });
  });

  it.each([
    ['a deletion', 'deletes', list(first(old, zero, topic))],
    ['a deletion after others', 'deletes', list(first(old, next, topic), `${old} ${zero} refs/heads/x`)],
    ['a deletion of what is not there', 'deletes', list(first(zero, zero, topic))],
    ['a long identifier of zeros', 'deletes', list(first('1'.repeat(64), '0'.repeat(64), topic))],
    ['a signed push', 'signed', list(`push-cert${abilities}`)],
    ['push options', 'options', list(`${old} ${next} ${topic}\0report-status push-options`)],
    ['abilities at a second change', 'invalid', list(first(old, next, topic), first(old, zero, topic))],
    ['no abilities', 'invalid', list(`${old} ${next} ${topic}`)],
    ['a shallow commit after a change', 'invalid', list(first(old, next, topic), `shallow ${old}`)],
    ['a second NUL', 'invalid', list(`${first(old, next, topic)}\0x`)],
    ['a ref outside of refs', 'invalid', list(first(old, next, 'HEAD'))],
    ['a blank in a ref', 'invalid', list(first(old, next, 'refs/heads/a b'))],
    ['identifiers of other lengths', 'invalid', list(first(old, '0'.repeat(39), topic))],
    ['capital zeros', 'invalid', list(first(old, 'O'.repeat(40), topic))],
    ['an invalid length', 'invalid', Buffer.from('00g0')],
    ['a length with a sign', 'invalid', Buffer.from('+05fx')],
    ['an empty line', 'invalid', Buffer.from('0004')],
    ['the end of a section of version 2', 'invalid', Buffer.from('0001')],
    [
      'a list without an end',
      'large',
      Buffer.from(
        line(first(old, next, topic)) + line(`${old} ${next} refs/heads/${'x'.repeat(60_000)}`).repeat(9),
      ),
    ],
  ])('SH-81 %s is refused, in pieces too', (_case, why, bytes) => {
    for (const size of [bytes.length, why === 'large' ? 64 : 1])
      expect(read(bytes, size)).toEqual({ kind: 'wrong', why });
  });
});
