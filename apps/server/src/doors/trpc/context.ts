import type { AgentModule } from '@drawbridge/agent';
import type { Accounts, Clients, People, Session, Tokens } from '../../auth/index.ts';
import type { CallerContext } from '../../callers/index.ts';
import type { Channels } from '../../channels/index.ts';
import type { Hooks } from '../../hooks/index.ts';
import type { Quota, Unread } from '../../http/index.ts';
import type { AnswerNotice, Notifications } from '../../notify/index.ts';
import type { VoiceForPeople } from '../../voice/index.ts';

/** What every procedure has at hand. */
export interface ServerContext extends CallerContext {
  accounts: Accounts;
  tokens: Tokens;
  clients: Clients;
  people: People;
  notifications: Notifications;
  answerNotice: AnswerNotice;
  channels: Channels;
  hooks: Hooks;
  voice: VoiceForPeople;
  /** How `drawbridge-server` is called where this server runs. */
  serverCommand: string;
  /** Undefined where `DISABLED_MODULES` names the agent. */
  agent?: AgentModule | undefined;
}

/** The same, for one request. */
export interface Context extends ServerContext {
  session: Session | null;
  /** The browser, as it names itself. */
  userAgent: string | undefined;
  /** For subscriptions, by user. */
  streams: Quota;
  /** Counts what waits for each person. */
  unread: Pick<Unread, 'add'>;
  /** Counts a try at a token from outside; throws `tooManyRequests`. */
  countAttempt(): Promise<void>;
  /** Puts `Set-Cookie` values on the answer. */
  setCookies(cookies: string[]): void;
}
