import { errorTable } from '@drawbridge/contracts/errors';
import type Database from 'libsql';

type Sqlite = Database.Database;

/** Rows for single or short use: a backup cannot show which of them were used after it was made. */
const endedAlways = [
  `update gatewayKeys set revokedAt = :at where kind <> 'session' and usedAt is null and revokedAt is null`,
  'delete from session',
  'delete from passwordReset',
  'delete from verification',
  `update confirmations set state = 'withdrawn', decidedAt = :at where state not in ('decided', 'withdrawn', 'expired')`,
  `update calls set state = 'lost', error = :error, started = null, confirmationId = null, endedAt = :at where endedAt is null`,
  'update machines set connectedAt = null',
];

/** The agent interrupts work that was left long ago: after the backup was made it may have run further. */
const interrupted = 'update agentAgents set lastActiveAt = 0 where endedAt is null';

/** What was revoked, used or switched off since the copy was made stays so. */
const endedSince = [
  `update gatewayKeys set revokedAt = :at where kind = 'session' and revokedAt is null
     and digest not in (select digest from former.gatewayKeys where revokedAt is null)`,
  'delete from invitation where id not in (select id from former.invitation)',
  'update apikey set enabled = 0 where id not in (select id from former.apikey where enabled = 1)',
  'delete from oauthAccessToken where id not in (select id from former.oauthAccessToken where revoked is null)',
  'delete from oauthRefreshToken where id not in (select id from former.oauthRefreshToken where revoked is null)',
  'delete from oauthConsent where id not in (select id from former.oauthConsent)',
  `insert into gatewaySwitches (scope, disabled) select scope, disabled from former.gatewaySwitches where disabled = 1
     on conflict (scope) do update set disabled = 1`,
];
const disabledSince =
  'update user set disabledAt = (select disabledAt from former.user where former.user.id = user.id) where id in (select id from former.user where disabledAt is not null)';

/** What waited is answered, or not at all: after the backup was made it may have been. */
const channelsEnded = [
  'delete from channelCodes',
  `update channelMessages set state = 'answered' where state = 'accepted'`,
  `update channelReplies set state = 'failed', problem = 'restored from a backup' where state in ('waiting', 'sending')`,
];
const questionsEnded = 'delete from channelQuestions';
const noticesEnded = 'delete from pushAnswers';
/** One that was turned off since must not answer again. */
const groupsEnded = 'update channelGroups set isOn = 0';
const sendersEndedSince = `delete from channelSenders where not exists
  (select 1 from former.channelSenders as s where s.kind = channelSenders.kind and s.senderId = channelSenders.senderId)`;

const hooksEndedSince = 'delete from hooks where id not in (select id from former.hooks)';

/** Accepted deliveries stay known, whichever table the two stores have for them. */
const deliveriesSince = {
  onceKeys: {
    onceKeys: `insert or ignore into onceKeys
      select * from former.onceKeys where scope in (select 'hook ' || id from hooks)`,
  },
  hookDeliveries: {
    onceKeys: `insert or ignore into hookDeliveries (hookId, key, at)
      select subject, substr(key, length(subject) + 2), at from former.onceKeys where scope in (select 'hook ' || id from hooks)`,
    hookDeliveries: `insert or ignore into hookDeliveries (hookId, key, at)
      select hookId, key, at from former.hookDeliveries where hookId in (select id from hooks)`,
  },
};

/** Without the store before, every invitation may have been used. */
const endedUnknown = ['delete from invitation'];

const ownerOf = (sqlite: Sqlite, schema: string): unknown =>
  sqlite.prepare(`select id from ${schema}.user where ownerSlot is not null`).raw().get();

/** Attaches the store that was there before; false if it cannot be read, or belongs to another owner. */
const attachFormer = (sqlite: Sqlite, file: string | null): boolean => {
  if (file === null) return false;
  try {
    sqlite.prepare('attach database ? as former').run(file);
    const former = ownerOf(sqlite, 'former');
    return former !== undefined && JSON.stringify(former) === JSON.stringify(ownerOf(sqlite, 'main'));
  } catch {
    return false;
  }
};

const hasDisabled = (sqlite: Sqlite) =>
  sqlite
    .prepare(`select 1 from pragma_table_info('user', 'former') where name = 'disabledAt'`)
    .raw()
    .get() !== undefined;

const hasTable = (sqlite: Sqlite, table: string, schema = 'main') =>
  sqlite.prepare(`select 1 from ${schema}.sqlite_master where name = ?`).raw().get(table) !== undefined;

const knownDeliveries = (sqlite: Sqlite): string[] =>
  Object.entries(deliveriesSince).flatMap(([table, from]) =>
    hasTable(sqlite, table)
      ? Object.entries(from).flatMap(([former, text]) => (hasTable(sqlite, former, 'former') ? [text] : []))
      : [],
  );

/**
 * Ends in a restored store what `former`, the file of the store before it, shows as ended. False if that was
 * not possible: access tokens, clients and machines of the backup then work again.
 */
export const settleRestored = (
  sqlite: Sqlite,
  { former, at }: { former: string | null; at: number },
): boolean => {
  const compared = attachFormer(sqlite, former);
  const { code, fix } = errorTable.lost;
  const error = JSON.stringify({
    code,
    message: 'The server was restored from a backup: the call may have run',
    fix,
  });
  const hasChannels = hasTable(sqlite, 'channelSenders');
  const hasHooks = compared && hasTable(sqlite, 'hooks') && hasTable(sqlite, 'hooks', 'former');
  const statements = [
    ...endedAlways,
    ...(hasTable(sqlite, 'agentAgents') ? [interrupted] : []),
    ...(compared ? endedSince : endedUnknown),
    ...(hasChannels ? channelsEnded : []),
    ...(hasTable(sqlite, 'channelQuestions') ? [questionsEnded] : []),
    ...(hasTable(sqlite, 'pushAnswers') ? [noticesEnded] : []),
    ...(hasTable(sqlite, 'channelGroups') ? [groupsEnded] : []),
    ...(hasChannels && compared && hasTable(sqlite, 'channelSenders', 'former') ? [sendersEndedSince] : []),
    ...(compared && hasDisabled(sqlite) ? [disabledSince] : []),
    ...(hasHooks ? [hooksEndedSince, ...knownDeliveries(sqlite)] : []),
  ];
  sqlite.exec('begin immediate');
  for (const text of statements) {
    const named = Object.entries({ at, error }).filter(([name]) => text.includes(`:${name}`));
    sqlite.prepare(text).run(Object.fromEntries(named));
  }
  sqlite.exec('commit');
  return compared;
};
