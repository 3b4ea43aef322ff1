import { join } from 'node:path';
import Database from 'libsql';

const open = `('ready', 'acting', 'waiting', 'asking')`;

/** What no moment may leave in the store, by name; each query gives the rows that are wrong. */
export const wrongRows: Record<string, string> = {
  'an open call of an agent that has ended': `select c.id from "agentToolCalls" c join "agentAgents" a
    on a."userId" = c."userId" and a.id = c."agentId" where c.state <> 'ended' and a.state = 'ended'`,
  'an open agent of a run that has ended': `select a.id from "agentAgents" a join "agentRuns" r
    on r."userId" = a."userId" and r.id = a."runId"
    where a.state in ${open} and a.kind = 'main' and r.state not in ('active', 'suspended')`,
  'an open run without its agent': `select r.id from "agentRuns" r where r.state in ('active', 'suspended')
    and not exists (select 1 from "agentAgents" a where a."userId" = r."userId" and a."runId" = r.id
    and a.kind = 'main' and a.state in ${open})`,
  'an open question whose call does not wait': `select s.id from "agentAsks" s join "agentToolCalls" c
    on c."userId" = s."userId" and c.id = s."toolCallId" where s.state = 'open' and c.state <> 'waiting'`,
  'a gap in the numbers of events': `select t.id, t."lastSeq", count(e.seq) as events from "agentThreads" t
    left join "agentEvents" e on e."userId" = t."userId" and e."threadId" = t.id group by t."userId", t.id
    having count(e.seq) <> coalesce(max(e.seq) - min(e.seq) + 1, 0) or t."lastSeq" <> coalesce(max(e.seq), 0)`,
};

/** The agent's rows of a server that does not run. */
export const openRows = (dataDir: string) => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  return {
    /** The rows that are wrong, with the name of the rule. */
    wrong: (): { rule: string; row: unknown }[] =>
      Object.entries(wrongRows).flatMap(([rule, query]) =>
        database
          .prepare(query)
          .all()
          .map((row: unknown) => ({ rule, row })),
      ),
    change: (query: string) => database.exec(query),
    close: () => database.close(),
  };
};
