import type { ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { openStandIn, replyJson } from './http-stand-in.ts';
import { openIssuer } from './signed-tokens.ts';

type Answer = (reply: ServerResponse) => void;

interface SentActivity {
  type: string;
  textFormat?: string;
  text?: string;
  attachments?: { content: { body: { text: string }[]; actions: { title: string; data: object }[] } }[];
}

export const teamsApp = {
  id: '11111111-2222-3333-4444-555555555555',
  secret: 'secret of the app',
  tenant: '99999999-8888-7777-6666-555555555555',
};
const framework = openIssuer('framework-key', { endorsements: ['msteams'] });
const otherChannel = openIssuer('webchat-key', { endorsements: ['webchat'] });

export const refuseTeams =
  (status: number): Answer =>
  (reply) =>
    replyJson(reply, { error: { code: 'Refused' } }, status);

/** Microsoft's login, the keys of the Bot Framework, and the Bot Connector. */
export const openTeams = async () => {
  const sent: SentActivity[] = [];
  const edited: (SentActivity & { path: string })[] = [];
  const first = new Map<string, Answer[]>();
  let tokens = 0;
  let number = 0;

  const answer = async (
    { method, path, headers, body }: { method: string; path: string; headers: object; body: string },
    reply: ServerResponse,
  ): Promise<void> => {
    const name = /(token|openid|keys|activities)/.exec(path)?.[1] ?? '';
    const own = first.get(name)?.shift();
    if (own) return own(reply);
    if (path === `/${teamsApp.tenant}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(body);
      if (form.get('client_secret') !== teamsApp.secret) return refuseTeams(401)(reply);
      return replyJson(reply, { access_token: `token ${(tokens += 1)}`, expires_in: 3_600 });
    }
    if (name === 'openid') return replyJson(reply, { jwks_uri: `${url}/v1/.well-known/keys` });
    if (name === 'keys') return replyJson(reply, { keys: [(await framework).jwk, (await otherChannel).jwk] });
    if (!('authorization' in headers) || headers.authorization !== `Bearer token ${tokens}`)
      return refuseTeams(401)(reply);
    const activity = JSON.parse(body) as SentActivity;
    if (method === 'PUT') edited.push({ ...activity, path });
    else if (activity.type === 'message') sent.push(activity);
    return replyJson(reply, { id: `sent ${sent.length}` });
  };
  const { url, asked } = await openStandIn((request, reply) => void answer(request, reply));

  const message = (text: string, more: object = {}) => ({
    type: 'message',
    id: `in ${(number += 1)}`,
    timestamp: new Date(systemClock.now()).toISOString(),
    channelId: 'msteams',
    serviceUrl: `${url}/amer/`,
    from: { id: '29:alice', name: 'Alice', aadObjectId: 'alice-in-the-directory' },
    recipient: { id: `28:${teamsApp.id}` },
    conversation: { id: 'a:direct', conversationType: 'personal', tenantId: teamsApp.tenant },
    text,
    ...more,
  });

  /** Alice presses a button of the last message that has some. */
  const pressOf = (label: string, more: object = {}) => {
    const at = sent.findLastIndex(({ attachments }) => attachments !== undefined);
    const actions = sent[at]?.attachments?.[0]?.content.actions ?? [];
    const value = actions.find(({ title }) => title === label)?.data;
    return message('', { value, replyToId: `sent ${at + 1}`, ...more });
  };

  return {
    environment: {
      MICROSOFT_URL: url,
      TEAMS_APP_ID: teamsApp.id,
      TEAMS_APP_SECRET: teamsApp.secret,
      TEAMS_TENANT_ID: teamsApp.tenant,
      TEAMS_SERVICES: `smba.trafficmanager.net,*.botframework.com,${url}`,
    },
    url,
    asked,
    sent,
    edited,
    message,
    pressOf,
    issuer: framework,
    otherChannel,
    answerFirst: (name: string, ...answers: Answer[]) => first.set(name, answers),
    texts: () => sent.map(({ text, attachments }) => text ?? attachments?.[0]?.content.body[0]?.text ?? ''),
  };
};
