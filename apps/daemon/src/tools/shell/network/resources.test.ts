import { expect, it } from 'vitest';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { readAllDeclared } from './declared.ts';
import { createBlocked } from './notes.ts';
import { toGrants } from './resources.ts';

it('SH-85 a host is bound to the command with all that tells the command from another one', async () => {
  const command = {
    toolGroup: 'shell' as const,
    resource: '"/app" $ ./a.sh',
    description: '',
    fingerprint: 'script',
    programFingerprint: 'program',
    sessionOnly: true as const,
  };
  const texts = ['good.test', 'local:nas.lan:80', 'localhost:5432'];
  const grants = toGrants(await readAllDeclared(texts), { command, text: './a.sh' });
  const bound = { fingerprint: 'script', programFingerprint: 'program', sessionOnly: true };
  expect(grants.map(({ resource: { toolGroup: _group, description: _text, ...rest } }) => rest)).toEqual([
    { resource: 'good.test < "/app" $ ./a.sh', anyCommand: 'good.test < "/app"', ...bound },
    { resource: 'local:nas.lan:80 < "/app" $ ./a.sh', explicit: true, ...bound },
    { resource: 'localhost:5432 < "/app" $ ./a.sh', explicit: true, ...bound },
  ]);
});

it('SH-61 subdomains are not those of a private network', async () => {
  await expect(readAllDeclared(['local:*.good.test'])).rejects.toThrow('subdomains');
});

const placeOf = (hostname: string) => ({ host: hostname, hostname, port: 443 });

it('SH-60 names that were refused are bounded and escaped', () => {
  const blocked = createBlocked([]);
  for (let at = 0; at < 1_200; at += 1) blocked.add(placeOf(`h${at}.test`), 'unasked');
  for (let at = 0; at < 20; at += 1) blocked.add(placeOf(`late${at}.test`), 'denied');
  const [unasked = '', ...others] = blocked.sentences();
  expect(unasked).toMatch(/h9\.test:443 and 990 more were not asked for\. Call again/);
  expect([unasked.match(/h\d+\.test:443/g)?.length, others]).toEqual([10, []]);
  const few = createBlocked([]);
  for (let at = 0; at < 20; at += 1) few.add(placeOf(`${publicAddress}${at}`), 'denied');
  expect(few.sentences()).toHaveLength(10);
  few.add(placeOf('x.test'), 'unasked');
  expect(few.sentences()).toHaveLength(11);
  const hidden = createBlocked([]);
  hidden.add(placeOf('a\u202Eb.test'), 'denied');
  expect(hidden.sentences().join()).not.toContain('\u202E');
});
