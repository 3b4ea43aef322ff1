import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConfirmationPayload } from './confirmation-payload.ts';
import { confirmationText } from './confirmation-text.ts';

const payload: ConfirmationPayload = {
  toolGroup: 'filesystemWrite',
  resource: '/home/ann/notes.txt',
  description: 'Write /home/ann/notes.txt',
  options: ['allowOnce', 'denyOnce'],
};
const plain = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify(payload)}`;

const decoded = (text: string) => confirmationText.safeDecode(text).data;

it.each([
  ['the plain text', plain],
  ['the text wrapped once more', JSON.stringify({ error: plain })],
  ['a field that this code does not know', plain.replace('{', '{"later":1,')],
])('reads %s', (_name, text) => {
  expect(decoded(text)).toEqual(payload);
});

it.each([
  ['an empty text', ''],
  ['the prefix alone', 'GATEWAY_CONFIRMATION_REQUIRED::'],
  ['the prefix inside a longer text', `notes: ${plain}`],
  ['the prefix after a line break', `\n${plain}`],
  ['a tail after the JSON', `${plain} and more`],
  ['another spelling of the prefix', plain.toLowerCase()],
  ['JSON that is no payload', 'GATEWAY_CONFIRMATION_REQUIRED::{"toolGroup":"shell"}'],
  ['JSON that is no object', 'GATEWAY_CONFIRMATION_REQUIRED::null'],
  ['a payload without the prefix', JSON.stringify(payload)],
  ['the text wrapped twice', JSON.stringify({ error: JSON.stringify({ error: plain }) })],
  ['the text wrapped with a neighbour', JSON.stringify({ error: plain, content: 'x' })],
  ['the text under another name', JSON.stringify({ message: plain })],
  ['an error that holds the prefix later on', JSON.stringify({ error: `not found: ${plain}` })],
  ['21 options', plain.replace('["allowOnce","denyOnce"]', JSON.stringify(Array(21).fill('allowOnce')))],
])('does not read %s', (_name, text) => {
  expect(decoded(text)).toBeUndefined();
});

it('writes the plain text', () => {
  expect(confirmationText.encode(payload)).toBe(plain);
});

const resource = fc.record({
  toolGroup: fc.string({ maxLength: 64 }),
  resource: fc.string(),
  description: fc.string(),
});
const text = fc.string({ unit: 'binary' });
const olderPreview = fc.record({
  kind: fc.constant('diff' as const),
  path: fc.string(),
  text,
  truncated: fc.boolean(),
});
const diff = fc.record({
  kind: fc.constant('diff' as const),
  path: fc.string(),
  hunks: fc.array(
    fc.record({
      oldStart: fc.nat(),
      newStart: fc.nat(),
      lines: fc.array(
        fc.oneof(
          fc.record({ kind: fc.constantFrom('same' as const, 'removed' as const, 'added' as const), text }),
          fc.record({
            kind: fc.constant('omitted' as const),
            of: fc.constant('added' as const),
            lines: fc.nat(),
            bytes: fc.nat(),
          }),
        ),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 3 },
  ),
  added: fc.nat(),
  removed: fc.nat(),
});
const anyPayload: fc.Arbitrary<ConfirmationPayload> = fc
  .tuple(
    resource,
    fc.record(
      {
        options: fc.array(fc.string({ maxLength: 64 }), { maxLength: 20 }),
        resources: fc.array(resource, { maxLength: 5 }),
        askId: fc.string({ maxLength: 64 }),
        preview: fc.oneof(olderPreview, diff),
      },
      { requiredKeys: ['options'] },
    ),
  )
  .map(([one, rest]) => ({ ...one, ...rest }));

it('gives back what was written, plain and wrapped', () => {
  fc.assert(
    fc.property(anyPayload, (any) => {
      const text = confirmationText.encode(any);
      expect(decoded(text)).toEqual(any);
      expect(decoded(JSON.stringify({ error: text }))).toEqual(any);
    }),
  );
});

it('reads nothing in a text that does not begin with the prefix', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (before) => {
      fc.pre(!before.startsWith('GATEWAY_CONFIRMATION_REQUIRED::'));
      expect(decoded(before + plain)).toBeUndefined();
    }),
  );
});
