import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { ConnectChannelInput, ConsentOutcome } from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import type { Session, Tickets } from '../auth/index.ts';
import { errors } from '../errors.ts';
import { missingField, type Account, type createAccounts } from './accounts.ts';
import { PlatformError } from './adapter.ts';

interface Needs {
  clock: Clock;
  accounts: ReturnType<typeof createAccounts>;
  tickets: Tickets;
  /** The key of a cookie's session; null without one. */
  keyOfCookie(cookie: string | undefined): Promise<string | null>;
  /** The server's own. */
  secret: string;
  /** The address of the panel. */
  url(): string;
  /** With the settings as they are stored. */
  reconnect(kind: ChannelKind): Promise<void>;
  log: { info(facts: object, sentence: string): void };
  signal: AbortSignal;
}

/** What the browser brings back from the page. */
export interface ConsentReply {
  cookie: string | undefined;
  state: string;
  code: string | null;
  error: string | null;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Whether Google sends a browser back there. */
const isReturnAddress = ({ protocol, hostname }: URL): boolean =>
  loopback.has(hostname) || (protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0);

/** What is missing beside that which the page gives. */
const missingOf = (kind: ChannelKind, { mode, given }: Account): string | null => {
  const { consent } = platformOf(kind);
  const client = consent?.needs.find((name) => !(name in given));
  return client ?? missingField(kind, mode, { ...given, ...(consent && { [consent.gives]: 'given-later' }) });
};

/** The client that asks, and its proof, which follows from the state and never leaves this server. */
const clientOf = (
  { secret, url }: Pick<Needs, 'secret' | 'url'>,
  { given, url: platform }: Account,
  { path, state }: { path: string; state: string },
) => ({
  url: platform,
  clientId: given['clientId'] ?? '',
  clientSecret: given['clientSecret'] ?? '',
  redirect: url() + path,
  verifier: createHmac('sha256', secret).update(`consent of a channel\0${state}`).digest('base64url'),
});

/**
 * Pages of consent, on which the owner lets this server into a mailbox. The state is a ticket of the owner's
 * session: ten minutes, one use, and good in the browser of that session alone.
 */
export const createConsent = (needs: Needs) => {
  const { clock, accounts, tickets, keyOfCookie, url, reconnect, log, signal } = needs;

  /** Null where the browser that comes back is the owner's, who has left from here. */
  const refusalOf = async ({ cookie, state }: ConsentReply): Promise<ConsentOutcome | null> => {
    const session = await tickets.redeem(state);
    if (session === null) return 'expired';
    const key = await keyOfCookie(cookie);
    if (key === null) return 'signed-out';
    return key === session.key && session.user.isOwner ? null : 'not-yours';
  };

  const exchange = async (kind: ChannelKind, path: string, { state, code }: ConsentReply) => {
    const account = await accounts.get(kind);
    if (code === null || missingOf(kind, account) !== null) return { outcome: 'failed' as const };
    const { exchangeCode } = await import('./gmail/consent.ts');
    const client = clientOf(needs, account, { path, state });
    try {
      return await exchangeCode({ clock, ...client }, code, signal);
    } catch (error) {
      if (error instanceof PlatformError) return { outcome: 'unreachable' as const };
      throw error;
    }
  };

  const end = async (kind: ChannelKind, reply: ConsentReply): Promise<ConsentOutcome> => {
    const { consent } = platformOf(kind);
    if (consent === null) throw errors.notFound();
    const refusal = await refusalOf(reply);
    if (refusal !== null) return refusal;
    if (reply.error !== null) return reply.error === 'access_denied' ? 'refused' : 'failed';
    const got = await exchange(kind, consent.path, reply);
    if ('outcome' in got) return got.outcome;
    await accounts.set({ kind, fields: { [consent.gives]: got.refreshToken }, isOn: true });
    await reconnect(kind);
    return 'connected';
  };

  return {
    /** The address of the page, for the owner. Throws `badRequest`. */
    begin: async (session: Session, { kind, fields }: ConnectChannelInput): Promise<{ url: string }> => {
      const { consent } = platformOf(kind);
      if (consent === null) throw errors.notFound();
      if (!isReturnAddress(new URL(url())))
        throw errors.badRequest({
          message: 'Google sends people back to an https address with a name, or to this machine, alone',
          fix: 'Set PUBLIC_URL to such an address, or use GMAIL_REFRESH_TOKEN.',
        });
      // What connecting would refuse is said before the person leaves.
      if ((await accounts.get(kind)).mode === 'webhook') accounts.requirePosts(kind);
      if (Object.keys(fields).length > 0) {
        await accounts.set({ kind, fields, isOn: false });
        await reconnect(kind);
      }
      const account = await accounts.get(kind);
      const missing = missingOf(kind, account);
      if (missing !== null)
        throw errors.badRequest({ message: `The channel needs its ${missing}`, fix: 'Enter it first.' });
      const { ticket: state } = await tickets.issue(session);
      const { consentPage } = await import('./gmail/consent.ts');
      return { url: consentPage(clientOf(needs, account, { path: consent.path, state }), state) };
    },
    end: async (kind: ChannelKind, reply: ConsentReply): Promise<ConsentOutcome> => {
      const outcome = await end(kind, reply);
      log.info({ kind, outcome }, 'a page of consent of a channel has ended');
      return outcome;
    },
  };
};
