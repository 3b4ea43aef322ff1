import { sql, type Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { gatewayTables } from './migrations/0001-gateway.ts';
import { epochs } from './migrations/0002-epochs.ts';
import { reaches } from './migrations/0003-reaches.ts';
import { callsVia } from './migrations/0004-calls-via.ts';
import { callsOfToken } from './migrations/0005-calls-of-token.ts';
import { callRepeats } from './migrations/0006-call-repeats.ts';
import { repeatsOfToken } from './migrations/0007-repeats-of-token.ts';
import { settledBy } from './migrations/0008-settled-by.ts';
import { removedUsers } from './migrations/0009-removed-users.ts';
import { knownMachines } from './migrations/0010-known-machines.ts';
import { callRevisions } from './migrations/0011-call-revisions.ts';
import { machineNames } from './migrations/0012-machine-names.ts';
import { callClaims } from './migrations/0013-call-claims.ts';
import { streamOwners } from './migrations/0014-stream-owners.ts';
import { agentSettings } from './migrations/0015-agent-settings.ts';
import { agent } from './migrations/0016-agent.ts';
import { denialReasons } from './migrations/0017-denial-reasons.ts';
import { rpc } from './migrations/0018-rpc.ts';
import { canvas, lanes } from './migrations/0019-canvas-and-lanes.ts';
import { agentSearch } from './migrations/0020-agent-search.ts';
import { runtimeSettings } from './migrations/0021-runtime-settings.ts';
import { nodePushTokens } from './migrations/0022-node-push-tokens.ts';
import { notifications } from './migrations/0023-notifications.ts';
import { hooks } from './migrations/0024-hooks.ts';
import { callSubjects } from './migrations/0025-call-subjects.ts';
import { machinePauses } from './migrations/0026-machine-pauses.ts';
import { clientsOfThreads } from './migrations/0027-clients-of-threads.ts';
import { senders } from './migrations/0028-senders.ts';
import { servers } from './migrations/0029-servers.ts';
import { meta } from './migrations/0030-meta.ts';
import { once } from './migrations/0031-once.ts';
import { drivers } from './migrations/0032-drivers.ts';
import { clientMessages } from './migrations/0033-client-messages.ts';
import { companionsAndPresence } from './migrations/0034-companions-and-presence.ts';
import { channels } from './migrations/0035-channels.ts';
import { channelQuestions } from './migrations/0036-channel-questions.ts';
import { channelModes } from './migrations/0037-channel-modes.ts';
import { runStarters } from './migrations/0038-run-starters.ts';
import { channelFiles } from './migrations/0039-channel-files.ts';
import { runtimes } from './migrations/0041-runtimes.ts';
import { channelMessageFiles } from './migrations/0042-channel-message-files.ts';
import { channelVoice } from './migrations/0044-channel-voice.ts';
import { subAgentTurns } from './migrations/0048-sub-agent-turns.ts';
import { callRulings } from './migrations/0049-call-rulings.ts';
import { visits } from './migrations/0050-visits.ts';
import { channelGroups } from './migrations/0051-channel-groups.ts';
import { toolsRevision } from './migrations/0052-tools-revision.ts';
import { decidedVia } from './migrations/0053-decided-via.ts';
import { runtimesOfSubAgents } from './migrations/0054-runtimes-of-sub-agents.ts';
import { endsOfRuns } from './migrations/0055-ends-of-runs.ts';
import { channelRules } from './migrations/0056-channel-rules.ts';
import { answersOfDevices } from './migrations/0057-answers-of-devices.ts';
import type { Schema } from './schema.ts';

/** In the order of their names; a name that has run anywhere is never changed again. */
const migrations = {
  '0001-gateway': gatewayTables,
  '0002-epochs': epochs,
  '0003-reaches': reaches,
  '0004-calls-via': callsVia,
  '0005-calls-of-token': callsOfToken,
  '0006-call-repeats': callRepeats,
  '0007-repeats-of-token': repeatsOfToken,
  '0008-settled-by': settledBy,
  '0009-removed-users': removedUsers,
  '0010-known-machines': knownMachines,
  '0011-call-revisions': callRevisions,
  '0012-machine-names': machineNames,
  '0013-call-claims': callClaims,
  '0014-stream-owners': streamOwners,
  '0015-agent-settings': agentSettings,
  '0016-agent': agent,
  '0017-denial-reasons': denialReasons,
  '0018-rpc': rpc,
  '0019-canvas': canvas,
  '0019-lanes': lanes,
  '0020-agent-search': agentSearch,
  '0021-runtime-settings': runtimeSettings,
  '0022-node-push-tokens': nodePushTokens,
  '0023-notifications': notifications,
  '0024-hooks': hooks,
  '0025-call-subjects': callSubjects,
  '0026-machine-pauses': machinePauses,
  '0027-clients-of-threads': clientsOfThreads,
  '0028-senders': senders,
  '0029-servers': servers,
  '0030-meta': meta,
  '0031-once': once,
  '0032-drivers': drivers,
  '0033-client-messages': clientMessages,
  '0034-companions-and-presence': companionsAndPresence,
  '0035-channels': channels,
  '0036-channel-questions': channelQuestions,
  '0037-channel-modes': channelModes,
  '0038-run-starters': runStarters,
  '0039-channel-files': channelFiles,
  '0041-runtimes': runtimes,
  '0042-channel-message-files': channelMessageFiles,
  '0044-channel-voice': channelVoice,
  '0048-sub-agent-turns': subAgentTurns,
  '0049-call-rulings': callRulings,
  '0050-visits': visits,
  '0051-channel-groups': channelGroups,
  '0052-tools-revision': toolsRevision,
  '0053-decided-via': decidedVia,
  '0054-runtimes-of-sub-agents': runtimesOfSubAgents,
  '0055-ends-of-runs': endsOfRuns,
  '0056-channel-rules': channelRules,
  '0057-answers-of-devices': answersOfDevices,
};

/** Kysely finds its own tables by reading all tables, which costs more than this. */
const isUpToDate = async (db: Kysely<Schema>): Promise<boolean> => {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.length === Object.keys(migrations).length && rows.every(({ name }) => name in migrations);
  } catch {
    // A new store has no such table; what else is wrong is said by the migration.
    return false;
  }
};

/**
 * Migrates the tables to this version. If a migration fails, throws its error and leaves the store unchanged.
 */
export const migrate = async (db: Kysely<Schema>): Promise<void> => {
  if (await isUpToDate(db)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
};
