import { afterAll, expect, it } from 'vitest';
import { createPerson, createProcesses, owner, startServer } from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

it('prints where it is, and then a link that makes the owner', async () => {
  const server = await startServer(processes, { SETUP_TOKEN: '' });
  const [, link = ''] = await server.process().says(/(http:\S*[?#]\S*)/);
  const lines = server.process().output().trimEnd().split('\n');
  expect(lines[0]).toBe(`Drawbridge is ready on ${server.url}`);
  expect(lines.at(-1)).toContain(link);

  const setupToken = link.split(/[=#]/).at(-1) ?? '';
  const person = createPerson(server.url);
  expect(await person.api.setup.status.query()).toMatchObject({ needed: true });
  await person.api.setup.createOwner.mutate({ setupToken, ...owner });
  expect(await person.api.account.me.query()).toMatchObject({ email: owner.email, isOwner: true });

  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await server.restart();
  expect(server.process().output()).not.toMatch(/[?#]/);
});

it('makes one owner of two that race', async () => {
  const server = await startServer(processes);
  const made = await Promise.allSettled([server.createOwner(), server.createOwner()]);
  expect(made.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('stops at a wrong setting with a sentence that names it', async () => {
  await expect(startServer(processes, { CALL_MAX_MS: 'soon' })).rejects.toThrow(
    /CALL_MAX_MS: must be a whole number/,
  );
});
