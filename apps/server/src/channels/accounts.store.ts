import {
  channelMode,
  type ChannelKind,
  type ChannelMode,
} from '@drawbridge/contracts/outside/channel-platforms';
import { channelAnswerLevel, type ChannelAnswerLevel } from '@drawbridge/contracts/outside/channels';
import type { Store, Write } from '../db/index.ts';

export interface StoredAccount {
  isOn: boolean;
  sealedKey: string | null;
  /** Null: as in the environment. */
  mode: ChannelMode | null;
  answers: ChannelAnswerLevel;
  cursor: string | null;
  cursorAt: number | null;
}

/** The bots of this server, one of each platform. */
export const createAccountsStore = ({ db }: Pick<Store, 'db'>) => ({
  read: async (kind: ChannelKind): Promise<StoredAccount | null> => {
    const row = await db
      .selectFrom('channelAccounts')
      .select(['isOn', 'sealedKey', 'mode', 'answers', 'cursor', 'cursorAt'])
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (!row) return null;
    const { isOn, mode, answers } = row;
    return {
      ...row,
      isOn: isOn === 1,
      mode: mode === null ? null : channelMode.parse(mode),
      answers: channelAnswerLevel.parse(answers),
    };
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
      .values({
        kind,
        isOn: 1,
        sealedKey: null,
        mode: null,
        answers: 'off',
        cursor,
        cursorAt: at,
        updatedAt: at,
      })
      .onConflict((conflict) => conflict.column('kind').doUpdateSet({ cursor, cursorAt: at }))
      .compile(),
});

export type AccountsStore = ReturnType<typeof createAccountsStore>;
