import { createTokenInput } from '@drawbridge/contracts/tokens';
import { expect, it } from 'vitest';
import { openAccess } from '../../test/access.ts';
import { owner } from '../../test/server.ts';
import { createToken } from './token.ts';

const input = createTokenInput.parse({ name: 'Desk' });

it('creates a token for the account of an address, in any case', async () => {
  const { accounts, tokens, access, userId } = await openAccess();
  const created = await createToken({ accounts, tokens }, { email: owner.email.toUpperCase(), input });
  expect(await access.verify(created.token)).toMatchObject({ userId, tokenId: created.id });
});

it('creates none for an address that nobody has', async () => {
  const { accounts, tokens } = await openAccess();
  await expect(
    createToken({ accounts, tokens }, { email: 'nobody@example.org', input }),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no account with the address nobody@example.org',
  });
});
