import { rmSync } from 'node:fs';
import type { AgentStore, Write } from '@drawbridge/agent';
import type { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { createAgentStore } from '../src/agent/store/agent.store.ts';
import type { Schema } from '../src/db/index.ts';
import { newGatewayFolder } from './new-store.ts';
import { openTestStore } from './store-place.ts';

export interface TestAgentStore extends AgentStore {
  db: Kysely<Schema>;
  /** What was left out as unreadable. */
  reported: string[];
  write(...writes: Write[]): Promise<boolean>;
}

/** The agent's store on a file of its own, closed when the test ends. */
export const openAgentStore = async (): Promise<TestAgentStore> => {
  const dataDir = await newGatewayFolder();
  const { db, dialect, commit, close } = await openTestStore(dataDir);
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const reported: string[] = [];
  const store = createAgentStore({ db, dialect, commit, onError: ({ message }) => reported.push(message) });
  return { ...store, db, reported, write: (...writes) => store.commit(writes, 'kept') };
};
