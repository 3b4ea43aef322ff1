import { passed, type DeliveredMail } from './gmail.ts';

const alice = 'Alice <alice@example.com>';
/** Of another sender, whose mails pass. */
export const evil = passed('evil.example');
const rightHeader = passed('example.com');
/** Mails that are not Alice's, though they say so. */
export const forged: Record<string, DeliveredMail> = {
  'a second From': { from: [alice, 'Mallory <m@evil.example>'], auth: [rightHeader] },
  'a second From above': { from: ['Mallory <m@evil.example>', alice], auth: [evil] },
  'two addresses in one From': { from: `${alice}, m@evil.example`, auth: [rightHeader] },
  'an address in the name': { from: '"alice@example.com" <m@evil.example>', auth: [evil] },
  'two addresses in brackets': { from: 'Alice <m@evil.example> <alice@example.com>', auth: [evil] },
  'a comment behind': { from: 'alice@example.com (<m@evil.example>)', auth: [evil] },
  'an encoded address': { from: '=?utf-8?Q?alice=40example.com?= <m@evil.example>', auth: [evil] },
  'another domain that passed': { auth: [evil] },
  'a subdomain that passed': { auth: [passed('a.example.com')] },
  'a parent domain that passed': { from: 'Alice <alice@a.example.com>', auth: [rightHeader] },
  'a look-alike': { from: 'Alice <alice@examp1e.com>', auth: [passed('examp1e.com')] },
  'letters of another alphabet': {
    from: 'Alice <alice@ex\u0430mple.com>',
    auth: [passed('ex\u0430mple.com')],
  },
  'a similar address': { from: 'Alice <alice+x@example.com>' },
  'no header of Gmail': { auth: [] },
  'a right header below': { auth: [rightHeader.replace('dmarc=pass', 'dmarc=fail'), rightHeader] },
  'a header of another server': {
    auth: [rightHeader.replace('mx.google.com', 'mx.google.com.evil.example')],
  },
  'no DMARC': { auth: ['mx.google.com; spf=pass smtp.mailfrom=alice@example.com'] },
  'a pass in a comment': { auth: ['mx.google.com; spf=pass (; dmarc=pass header.from=example.com)'] },
  'a pass in a nested comment': { auth: ['mx.google.com; a=b ((x) ; dmarc=pass header.from=example.com)'] },
  'a comment that does not close': {
    auth: ['mx.google.com; spf=pass (x; dmarc=pass header.from=example.com'],
  },
  'a comment that opens late': {
    auth: ['mx.google.com; spf=pass x) ( ; dmarc=pass header.from=example.com'],
  },
  'a pass in quotes': {
    auth: ['mx.google.com; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com "'],
  },
  'two verdicts': {
    auth: [`mx.google.com; dmarc=fail header.from=example.com; dmarc=pass header.from=example.com`],
  },
  'two domains': { auth: ['mx.google.com; dmarc=pass header.from=evil.example header.from=example.com'] },
  'a second verdict': {
    auth: ['mx.google.com; dmarc=pass header.from=example.com; dmarc=fail header.from=example.com'],
  },
  'a second domain': {
    auth: ['mx.google.com; dmarc=pass header.from=example.com header.from=evil.example'],
  },
  'a domain in another property': { auth: ['mx.google.com; dmarc=pass smtp.header.from=example.com'] },
  'a mail that the mailbox sent': { labels: ['INBOX', 'SENT'], auth: [rightHeader] },
};
/** Of programs: an answer would be answered. */
export const automatic: Record<string, string>[] = [
  { 'Auto-Submitted': 'auto-replied' },
  { 'auto-submitted': 'Auto-Generated; owner-email=x' },
  { Precedence: 'bulk' },
  { Precedence: 'LIST' },
  { Precedence: 'junk' },
  { 'List-Id': '<list.example.com>' },
  { 'X-Drawbridge-Turn': 'of another server' },
];
