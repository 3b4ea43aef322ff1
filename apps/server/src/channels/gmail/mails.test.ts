import { expect, it } from 'vitest';
import { automatic, forged } from '../../../test/forged-mails.ts';
import { headersOf, mailboxAddress } from '../../../test/gmail.ts';
import { isAutomatic, mailboxIn, readable, writerOf } from './headers.ts';
import { splitText } from './quoted.ts';
import { headerText } from './write-mail.ts';

it('CH-43 a value of a header is one that breaks no line', () => {
  for (const text of ['Grüße '.repeat(40), '=?utf-8?Q?x?=', 'a\u2028b\u0000c\u0085d', '😀'.repeat(60)]) {
    const written = headerText(text);
    expect(
      written.split('\r\n').every((line, at) => line.length <= 76 && line.startsWith(' ') === at > 0),
    ).toBe(true);
    expect(written).toMatch(/^[\x20-\x7E\r\n]*$/);
  }
  expect(headerText('x\r\nBcc: m@evil.example\u0000')).toBe('x Bcc: m@evil.example');
  expect(readable(headerText(' 😀é'.repeat(50)))).toBe('😀é '.repeat(50).trim());
});

it('CH-11 what others wrote begins where a mail program says so', () => {
  const own = 'My words.';
  const quotes = [
    '> quoted',
    'On Mon, 3 Feb 2025, Bob <b@x.example> wrote:\n> quoted',
    'On Mon, 3 Feb 2025 at 10:00 Bob\n<b@x.example>\nwrote:\n\nquoted',
    'Am 03.02.2025 um 10:00 schrieb Bob <b@x.example>:\n\n> quoted',
    '-----Original Message-----\nquoted',
    '---------- Forwarded message ---------\nFrom: Bob\nquoted',
    'Begin forwarded message:\nquoted',
    '________________________________\nquoted',
    'Von: Bob <b@x.example>\nGesendet: Montag\nquoted',
    '*From:* Bob <b@x.example>\n*Sent:* Monday\nquoted',
  ];
  for (const quote of quotes) expect(splitText(`${own}\r\n\r\n${quote}`)).toEqual({ own, quoted: quote });
  expect(splitText('Look at this:\n> one\nand this')).toEqual({
    own: 'Look at this:',
    quoted: '> one\nand this',
  });
  expect(mailboxIn('"A, B" <A@Example.com>')).toEqual({ address: 'a@example.com', name: 'A, B' });
  const long = `${'1:'.repeat(200_000)}\n> x`;
  expect(splitText(long).quoted).toBe('> x');
});

const writer = (mail: Parameters<typeof headersOf>[0]) =>
  writerOf({ headers: headersOf(mail), labels: mail.labels ?? ['INBOX'], own: mailboxAddress })?.address ??
  null;

it.each(Object.entries(forged))('CH-11 Alice did not write a mail with %s', (_what, mail) => {
  expect(writer(mail)).not.toBe('alice@example.com');
});

it('CH-11 Alice wrote a mail that passed, and the mailbox what it has sent', () => {
  expect(writer({})).toBe('alice@example.com');
  const folded =
    'mx.google.com;\r\n arc=pass (i=1 dmarc=pass fromdomain=example.com);\r\n dmarc=pass (p=NONE)\r\n header.from=Example.com';
  expect(writer({ from: 'ALICE@Example.com', auth: [folded] })).toBe('alice@example.com');
  expect(writer({ from: mailboxAddress, labels: ['INBOX', 'SENT'], auth: [] })).toBe(mailboxAddress);
  for (const headers of automatic) expect(isAutomatic(headersOf({ headers }))).toBe(true);
  expect(isAutomatic(headersOf({ headers: { 'Auto-Submitted': 'No', Precedence: 'first-class' } }))).toBe(
    false,
  );
});
