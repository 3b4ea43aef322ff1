import type { AgentStore, Write } from '@drawbridge/agent';
import type { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { createAgentStore } from '../src/agent/store/agent.store.ts';
import { openDatabase, type Schema } from '../src/db/index.ts';
import { newGatewayFolder } from './new-store.ts';

export interface TestAgentStore extends AgentStore {
  db: Kysely<Schema>;
  /** What was left out as unreadable. */
  reported: string[];
  write(...writes: Write[]): Promise<boolean>;
}

/** The agent's store on a file of its own, closed when the test ends. */
export const openAgentStore = async (): Promise<TestAgentStore> => {
  const dataDir = await newGatewayFolder();
  const { db, commit, close } = openDatabase({ url: undefined, dataDir });
  onTestFinished(close);
  const reported: string[] = [];
  const store = createAgentStore({ db, commit, onError: ({ message }) => reported.push(message) });
  return { ...store, db, reported, write: (...writes) => store.commit(writes, 'kept') };
};
