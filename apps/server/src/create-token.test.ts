import { createTokenInput } from '@drawbridge/contracts';
import { expect, it } from 'vitest';
import { openAccess } from '../test/access.ts';
import { owner } from '../test/server.ts';
import { createToken } from './create-token.ts';

const input = createTokenInput.parse({ name: 'Desk' });

const prepare = async () => {
  const { accounts, tokens, access, dataDir, userId } = await openAccess();
  let opened = 0;
  const open = async () => {
    opened += 1;
    return { accounts, tokens, close: async () => void (opened -= 1) };
  };
  return { dataDir, open, access, userId, left: () => opened };
};

it('makes a token for the account of an address, in any case, and lets the store go', async () => {
  const { dataDir, open, access, userId, left } = await prepare();
  const made = await createToken({ dataDir, open }, { email: owner.email.toUpperCase(), input });
  expect(await access.verify(made.token)).toMatchObject({ userId, tokenId: made.id });
  expect(left()).toBe(0);
});

it('makes none for an address that nobody has, and lets the store go', async () => {
  const { dataDir, open, left } = await prepare();
  await expect(createToken({ dataDir, open }, { email: 'nobody@example.org', input })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no account with the address nobody@example.org',
  });
  expect(left()).toBe(0);
});

it('does not open a store where no server has run', async () => {
  const { dataDir, open, left } = await prepare();
  const elsewhere = { dataDir: `${dataDir}/elsewhere`, open };
  await expect(createToken(elsewhere, { email: owner.email, input })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    fix: 'Set DATA_DIR to the folder of the server.',
  });
  expect(left()).toBe(0);
});
