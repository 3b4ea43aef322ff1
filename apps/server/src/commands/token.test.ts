import { createTokenInput } from '@drawbridge/contracts/tokens';
import { expect, it } from 'vitest';
import { openAccess } from '../../test/access.ts';
import { owner } from '../../test/server.ts';
import { createToken } from './token.ts';

const input = createTokenInput.parse({ name: 'Desk' });

it('creates a token for the account of an address, in any case', async () => {
  const { accounts, tokens, access, userId, store } = await openAccess();
  const needs = { accounts, tokens, store };
  const created = await createToken(needs, { email: owner.email.toUpperCase(), input, machines: null });
  expect(await access.verify(created.token)).toMatchObject({ userId, tokenId: created.id });
});

it('refuses an address without an account', async () => {
  const { accounts, tokens, store } = await openAccess();
  const needs = { accounts, tokens, store };
  await expect(
    createToken(needs, { email: 'unknown@example.org', input, machines: null }),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no account with the address unknown@example.org',
  });
});
