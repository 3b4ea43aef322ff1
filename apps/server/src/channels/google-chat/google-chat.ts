import { createHash } from 'node:crypto';
import { platforms } from '@drawbridge/contracts/outside/channel-platforms';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { bearerOf, createIsGoogleToken, createKeys, keysOfCertificates, readToken } from '../../jwt/index.ts';
import { PlatformError, type Button, type ChannelAdapter, type Fields } from '../adapter.ts';
import { createIsTrusted } from '../format/links.ts';
import { createGoogleApi, type GoogleApi } from './api.ts';
import { buttonParameter, messageName, readPulled, toUpdate } from './events.ts';
import { toGoogleText } from './text.ts';

const chatAccount = 'chat@system.gserviceaccount.com';
const pulledAtOnce = 50;

const addressOf = z.object({ space: z.string(), hosts: z.array(z.string()).default([]) });
const sentMessage = z.object({ name: messageName });

const cardsOf = (buttons: readonly Button[]) =>
  buttons.length === 0
    ? []
    : [
        {
          cardId: 'question',
          card: {
            sections: [
              {
                widgets: [
                  {
                    buttonList: {
                      buttons: buttons.map(({ label, data }) => ({
                        text: label,
                        onClick: {
                          action: {
                            function: buttonParameter,
                            parameters: [{ key: buttonParameter, value: data }],
                          },
                        },
                      })),
                    },
                  },
                ],
              },
            ],
          },
        },
      ];

interface TokenNeeds {
  clock: Clock;
  api: GoogleApi;
  /** The number of the app's project; null where the audience of its tokens is the address of the posts. */
  project: string | null;
}

/** Whether a token is Google Chat's for this app: the audience is one of two, as it is configured there. */
const createIsOwnToken = ({ clock, api, project }: TokenNeeds) => {
  const certificates = `/service_accounts/v1/metadata/x509/${chatAccount}`;
  const load = async () => keysOfCertificates(await api.document(certificates));
  const keys = createKeys({ clock, load });
  const isGoogleToken = createIsGoogleToken({ clock, document: api.document });
  return async (token: string | null, url: string): Promise<boolean> => {
    if (project !== null)
      return (await readToken(token, { clock, keys, issuer: chatAccount, audience: project })) !== null;
    return isGoogleToken(token, { audience: url, email: chatAccount });
  };
};

interface Needs {
  clock: Clock;
  url: string;
  fields: Fields;
  ownUrl: string;
}

/** A Chat app of Google Workspace: its events are pulled from Pub/Sub, or posted. It is no add-on. */
export const createGoogleChat = ({ clock, url, fields, ownUrl }: Needs): ChannelAdapter => {
  const { key, subscription, project } = platforms['google-chat'].fields.parse(fields);
  const api = createGoogleApi({ clock, url, key });
  const isOwnToken = createIsOwnToken({ clock, api, project: project ?? null });
  let unconfirmed: string[] = [];
  const textOf = (text: string, isPlain: boolean, hosts: readonly string[]) =>
    isPlain ? text : toGoogleText(text, createIsTrusted({ ownUrl, hosts }));

  return {
    identify: async (signal) => {
      await api.tokenFor(signal);
      return { name: api.email ?? 'the Chat app', link: () => null };
    },
    poll: async (_cursor, signal) => {
      if (subscription === undefined)
        throw new PlatformError('key', 'Enter the subscription of the Chat app.');
      const given = await api.call('pubsub', `/v1/${subscription}:pull`, {
        method: 'POST',
        body: { maxMessages: pulledAtOnce },
        signal,
      });
      const read = readPulled(given, clock.now());
      if (read === null) throw new PlatformError('network', 'Pub/Sub gave an answer that is not its own');
      unconfirmed = read.ackIds;
      return read.updates;
    },
    confirm: async (signal) => {
      const ackIds = unconfirmed;
      unconfirmed = [];
      if (subscription === undefined || ackIds.length === 0) return;
      await api.call('pubsub', `/v1/${subscription}:acknowledge`, {
        method: 'POST',
        body: { ackIds },
        signal,
      });
    },
    pollEveryMs: { poll: 1_000, webhook: null },
    webhook: {
      register: async () => {},
      problem: async () => null,
      isOwn: ({ headers }, to) => isOwnToken(bearerOf(headers.authorization), to.url),
      read: (body) => toUpdate(body, clock.now()),
    },
    send: async (text, { id, address, isPlain, buttons, signal }) => {
      const { space, hosts } = addressOf.parse(address);
      // The same id gives the message that was sent before.
      const requestId = createHash('sha256').update(id).digest('hex').slice(0, 40);
      const cards = cardsOf(buttons);
      const body = { text: textOf(text, isPlain, hosts), ...(cards.length > 0 && { cardsV2: cards }) };
      const path = `/v1/${space}/messages?requestId=${requestId}`;
      const sent = sentMessage.safeParse(await api.call('chat', path, { method: 'POST', body, signal }));
      return sent.data?.name ?? '';
    },
    // An upload needs the token of a person.
    sendFile: null,
    voice: null,
    download: null,
    buttons: {
      edit: async (messageId, text, { address, isPlain, signal }) => {
        const body = { text: textOf(text, isPlain, addressOf.parse(address).hosts), cardsV2: [] };
        const path = `/v1/${messageName.parse(messageId)}?updateMask=text,cardsV2`;
        try {
          await api.call('chat', path, { method: 'PATCH', body, signal });
          return true;
        } catch (error) {
          // The person has deleted it.
          if (!(error instanceof PlatformError) || error.kind !== 'gone') throw error;
          return false;
        }
      },
      // Only the answer to a post could say something to one person, and a pull has no such answer.
      acknowledge: async () => {},
    },
    // 60 writes in a minute to a space, which all apps in it share.
    draftEveryMs: { own: 3_000, group: 3_000 },
    react: null,
    typing: null,
  };
};
