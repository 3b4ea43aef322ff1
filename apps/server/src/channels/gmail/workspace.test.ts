import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { gmailClient, mailboxAddress, openGmail } from '../../../test/gmail.ts';
import { serviceAccountKey } from '../../../test/google.ts';
import { standInsAnswered } from '../../../test/http-stand-in.ts';
import { paired } from '../../../test/paired.ts';

const kind = 'gmail' as const;
const readonly = 'https://www.googleapis.com/auth/gmail.readonly';
const both = `${readonly} https://www.googleapis.com/auth/gmail.send`;

it('CH-46 a service account acts for one mailbox, with two rights, where its Workspace allows that', async () => {
  const clock = createFakeClock(systemClock.now(), standInsAnswered);
  const gmail = await openGmail(clock);
  const { panel, server } = await paired({ GOOGLE_API_URL: gmail.environment.GOOGLE_API_URL }, clock);
  const { channels } = panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  const set = (fields: Record<string, string>, isOn = true) =>
    channels.configure.mutate({ kind, isOn, fields });
  const after = () =>
    expect.poll(
      async () => {
        await clock.settle(1_000);
        return channel();
      },
      { interval: 100 },
    );
  const key = await serviceAccountKey();
  await expect(set({ key })).rejects.toThrow('needs its mailbox');
  await expect(set({ mailbox: 'no address', key })).rejects.toThrow();
  // What the admin allows is what is asked for, no less and no more.
  for (const allowed of ['', readonly, `${both} https://mail.google.com/`]) {
    gmail.delegate(allowed);
    await set({ key, mailbox: mailboxAddress });
    await after().toMatchObject({
      state: 'key',
      problem: expect.stringContaining('Domain-wide delegation, add its client id'),
    });
  }
  gmail.delegate(both);
  await set({ mailbox: 'other@example.com' });
  await after().toMatchObject({ state: 'key', problem: expect.stringContaining('no such mailbox') });
  await set({ mailbox: mailboxAddress });
  await after().toMatchObject({ state: 'working', name: mailboxAddress });
  expect((await channel())?.fields).toEqual({ key: key.slice(-4), mailbox: mailboxAddress });
  expect(server.log.join('')).not.toContain('BEGIN PRIVATE KEY');

  // The way that was entered last counts: a client forgets the key, and a key the client.
  await set({ clientId: gmailClient.id, clientSecret: gmailClient.secret }, false);
  expect((await channel())?.fields).toEqual({ clientId: gmailClient.id, clientSecret: 'cret' });
  await expect(channels.configure.mutate({ kind, isOn: true })).rejects.toThrow('needs its refreshToken');
  await set({ key, mailbox: mailboxAddress });
  await after().toMatchObject({ state: 'working', fields: { key: key.slice(-4), mailbox: mailboxAddress } });
  await expect(channels.connect.mutate({ kind })).rejects.toThrow('needs its clientId');
});
