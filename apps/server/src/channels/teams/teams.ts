import { platforms } from '@drawbridge/contracts/outside/channel-platforms';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { bearerOf, createKeys, keysOfJwks, readToken } from '../../jwt/index.ts';
import { PlatformError, type Address, type Button, type ChannelAdapter, type Fields } from '../adapter.ts';
import { createIsTrusted } from '../format/links.ts';
import { buttonValue, readActivity, toUpdate } from './activities.ts';
import { createTeamsApi } from './api.ts';
import { toTeamsText } from './text.ts';

const issuer = 'https://api.botframework.com';
const channel = 'msteams';

const addressOf = z.object({
  serviceUrl: z.string(),
  conversationId: z.string(),
  hosts: z.array(z.string()).default([]),
});
const sentActivity = z.object({ id: z.string().min(1).max(300) });
const claimed = z.object({ serviceurl: z.string() });

/** Whether a service is on the list of hosts, `*.` and domains, by https, or of whole origins. */
const createIsService =
  (list: readonly string[]) =>
  ({ protocol, hostname, port, origin, username }: URL): boolean => {
    if (username !== '') return false;
    if (list.includes(origin)) return true;
    if (protocol !== 'https:' || port !== '') return false;
    return list.some((one) => (one.startsWith('*.') ? hostname.endsWith(one.slice(1)) : hostname === one));
  };

const cardOf = (text: string, buttons: readonly Button[]) => ({
  contentType: 'application/vnd.microsoft.card.adaptive',
  content: {
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
    actions: buttons.map(({ label, data }) => ({
      type: 'Action.Submit',
      title: label,
      data: { [buttonValue]: data },
    })),
  },
});

/** Pictures that Teams shows in a message itself, and their bytes. */
const shownPictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif']);
const pictureBytes = 1_024 * 1_024;

interface Needs {
  clock: Clock;
  url: string;
  fields: Fields;
  ownUrl: string;
  /** Where our token may go. */
  services: readonly string[];
}

/** An Azure bot of one tenant, in Microsoft Teams. It posts; there is nothing to ask. */
export const createTeams = ({ clock, url, fields, ownUrl, services }: Needs): ChannelAdapter => {
  const { appId, secret, tenant } = platforms.teams.fields.parse(fields);
  const isService = createIsService(services);
  const api = createTeamsApi({ clock, url, appId, secret, tenant, isService });
  const keys = createKeys({ clock, load: async () => keysOfJwks(await api.keys()) });
  const shownOf = (text: string, isPlain: boolean, hosts: readonly string[]) => {
    if (isPlain) return { type: 'message', textFormat: 'plain', text };
    const isTrusted = createIsTrusted({ ownUrl, hosts });
    return { type: 'message', textFormat: 'markdown', text: toTeamsText(text, isTrusted) };
  };
  const pathOf = (conversationId: string) =>
    `/v3/conversations/${encodeURIComponent(conversationId)}/activities`;

  const post = (address: Address, body: object, signal: AbortSignal) => {
    const { serviceUrl, conversationId } = addressOf.parse(address);
    return api.call(serviceUrl, pathOf(conversationId), { method: 'POST', body, signal });
  };

  return {
    identify: async (signal) => {
      await api.tokenFor(signal);
      return { name: 'the bot', link: () => `https://teams.microsoft.com/l/chat/0/0?users=28:${appId}` };
    },
    poll: async () => {
      throw new PlatformError('refused', 'Teams has to post its messages');
    },
    confirm: null,
    pollEveryMs: { poll: null, webhook: null },
    webhook: {
      register: async () => {},
      problem: async () => null,
      isOwn: async ({ headers, body }) => {
        const read = await readToken(bearerOf(headers.authorization), {
          clock,
          keys,
          issuer,
          audience: appId,
        });
        if (read === null || !read.endorsements.includes(channel)) return false;
        const serviceUrl = claimed.safeParse(read.claims).data?.serviceurl;
        const given = readActivity(jsonOf(body.toString()));
        // What is no message is acknowledged, and used for nothing.
        if (given === null) return true;
        // Our answers, with our token, go to this address.
        if (given.serviceUrl !== serviceUrl || !URL.canParse(serviceUrl)) return false;
        return isService(new URL(serviceUrl)) && given.conversation.tenantId === tenant;
      },
      read: (body) => {
        const given = readActivity(body);
        return given && toUpdate(given, clock.now());
      },
    },
    send: async (text, { address, isPlain, buttons, signal }) => {
      const shown = shownOf(text, isPlain, addressOf.parse(address).hosts);
      const body =
        buttons.length === 0 ? shown : { type: 'message', attachments: [cardOf(shown.text, buttons)] };
      return sentActivity.safeParse(await post(address, body, signal)).data?.id ?? '';
    },
    sendFile: async ({ name, mediaType, bytes }, { address, signal }) => {
      if (!shownPictures.has(mediaType) || bytes.length > pictureBytes) return null;
      const contentUrl = `data:${mediaType};base64,${bytes.toString('base64')}`;
      const body = { type: 'message', attachments: [{ contentType: mediaType, contentUrl, name }] };
      return sentActivity.safeParse(await post(address, body, signal)).data?.id ?? '';
    },
    voice: null,
    download: null,
    buttons: {
      edit: async (messageId, text, { address, isPlain, signal }) => {
        const { serviceUrl, conversationId, hosts } = addressOf.parse(address);
        const path = `${pathOf(conversationId)}/${encodeURIComponent(messageId)}`;
        const body = { ...shownOf(text, isPlain, hosts), id: messageId };
        await api.call(serviceUrl, path, { method: 'PUT', body, signal });
        return true;
      },
      // A bot cannot say something to one person in the answer to a press.
      acknowledge: async () => {},
    },
    draftEveryMs: null,
    react: null,
    typing: async (address, signal) => void (await post(address, { type: 'typing' }, signal)),
  };
};
