import type { TestProject } from 'vitest/node';
import { startCluster, type Cluster } from './cluster.ts';
import { postgresFolder } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The url of the Postgres of this run, where its stores are on Postgres. */
    postgres: string;
  }
}

let cluster: Cluster | undefined;

/** Starts the Postgres that the files of a test run share, if there is one. */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  if (postgresFolder() === undefined) return;
  cluster = await startCluster();
  provide('postgres', cluster.url);
};

export const teardown = async (): Promise<void> => cluster?.stop();
