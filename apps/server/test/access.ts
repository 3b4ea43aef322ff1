import { rmSync } from 'node:fs';
import { systemClock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import {
  createAccess,
  createAccounts,
  createBetterAuth,
  createRefreshes,
  createRefreshesStore,
  createSessionProofs,
} from '../src/auth/index.ts';
import { createLog, createScrubber } from '../src/program/log.ts';
import { newDataFolder, owner, quickPasswords, setupToken } from './server.ts';
import { createStoreClock, openTestStore } from './store-place.ts';
import { systemNetwork } from '../src/outside/index.ts';
import { readSecret } from '../src/secrets/index.ts';

/** Accounts and access tokens on a real store and a stopped clock; one person has an account. */
export const openAccess = async () => {
  const dataDir = await newDataFolder();
  const clock = createStoreClock(systemClock.now());
  const { close, ...store } = await openTestStore(dataDir, clock);
  const { db } = store;
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const log = createLog({ level: 'silent', format: 'json', scrubber: createScrubber([]), write: () => {} });
  const url = 'http://127.0.0.1';
  const secret = readSecret(dataDir);
  const auth = await createBetterAuth({
    store,
    migrating: db,
    secret,
    url,
    log,
    outside: systemNetwork,
    refreshes: createRefreshes(createRefreshesStore(store)),
    passwords: quickPasswords,
  });
  const proofs = createSessionProofs(secret);
  const accounts = await createAccounts({ auth, store, clock, log, proofs, setupToken, url: () => url });
  const { user } = await accounts.createOwner({ setupToken, ...owner });
  const problems: unknown[] = [];
  const { access, tokens, clients } = createAccess({
    auth,
    store,
    clock,
    url: () => url,
    proofs,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    onError: (error) => void problems.push(error),
  });
  return { clock, db, store, dataDir, accounts, access, tokens, clients, userId: user.id, problems };
};
