import {
  channelAnswerLevel,
  type ChannelAnswerLevel,
  type ChannelKind,
} from '@drawbridge/contracts/outside/channels';
import type { Store, Write } from '../db/index.ts';

export interface StoredAccount {
  isOn: boolean;
  sealedKey: string | null;
  answers: ChannelAnswerLevel;
  cursor: string | null;
  cursorAt: number | null;
}

/** The bots of this server, one of each platform. */
export const createAccountsStore = ({ db }: Pick<Store, 'db'>) => ({
  read: async (kind: ChannelKind): Promise<StoredAccount | null> => {
    const row = await db
      .selectFrom('channelAccounts')
      .select(['isOn', 'sealedKey', 'answers', 'cursor', 'cursorAt'])
      .where('kind', '=', kind)
      .executeTakeFirst();
    return row ? { ...row, isOn: row.isOn === 1, answers: channelAnswerLevel.parse(row.answers) } : null;
  },
  write: async (kind: ChannelKind, { isOn, ...given }: StoredAccount, at: number): Promise<void> => {
    const columns = { ...given, isOn: isOn ? 1 : 0, updatedAt: at };
    await db
      .insertInto('channelAccounts')
      .values({ kind, ...columns })
      .onConflict((conflict) => conflict.column('kind').doUpdateSet(columns))
      .execute();
  },
  /** The write beside an update: the platform is asked for the next one. */
  moveCursor: (kind: ChannelKind, cursor: string, at: number): Write =>
    db
      .insertInto('channelAccounts')
      .values({ kind, isOn: 1, sealedKey: null, answers: 'off', cursor, cursorAt: at, updatedAt: at })
      .onConflict((conflict) => conflict.column('kind').doUpdateSet({ cursor, cursorAt: at }))
      .compile(),
});

export type AccountsStore = ReturnType<typeof createAccountsStore>;
