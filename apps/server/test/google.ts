import type { ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { importPKCS8, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { generate } from 'selfsigned';
import { openStandIn, replyJson } from './http-stand-in.ts';
import { importJWK, openIssuer } from './signed-tokens.ts';

type Answer = (reply: ServerResponse) => void;

interface SentText {
  text: string;
  cardsV2?: { card: { sections: { widgets: { buttonList: { buttons: ChatButton[] } }[] }[] } }[];
}
interface ChatButton {
  text: string;
  onClick: { action: { parameters: { key: string; value: string }[] } };
}

const account = openIssuer('account-key');
const google = openIssuer('google-key');
/** Signs where the audience is the number of the project. */
let made: ReturnType<typeof generate> | undefined;
const certified = () => (made ??= generate([{ name: 'commonName', value: 'chat' }], { keySize: 2_048 }));
export const signCertified = async (claims: JWTPayload) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'certificate-key' })
    .sign(await importPKCS8((await certified()).private, 'RS256'));
export const chatAccount = 'chat@system.gserviceaccount.com';
const subscription = 'projects/p/subscriptions/agent';

export const refuseGoogle =
  (code: number, message = 'refused'): Answer =>
  (reply) =>
    replyJson(reply, { error: { code, message } }, code);

/** The JSON of a service account's key, in one line. */
export const serviceAccountKey = async () =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'agent@p.iam.gserviceaccount.com',
    project_id: 'p',
    private_key_id: 'account-key',
    private_key: await (await account).pem(),
    // An address in the key is not asked.
    token_uri: 'http://127.0.0.1:9/token',
  });

/** What that account asks for. Rejects for a text that it has not signed. */
export const readAssertion = async (body: string): Promise<JWTPayload> => {
  const assertion = new URLSearchParams(body).get('assertion') ?? '';
  const key = await importJWK((await account).jwk, 'RS256');
  return (await jwtVerify(assertion, key, { audience: 'https://oauth2.googleapis.com/token' })).payload;
};

/** Google's APIs for one Chat app: tokens, public keys, Chat, Pub/Sub and FCM. */
export const openGoogle = async () => {
  const sent: SentText[] = [];
  const edited: { name: string; text: string; cardsV2: unknown[] }[] = [];
  const acknowledged: string[] = [];
  const pushed: object[] = [];
  const first = new Map<string, Answer[]>();
  const requestIds = new Map<string, number>();
  let published: { ackId: string; message: { data: string; messageId: string } }[] = [];
  let waiting: (() => void)[] = [];
  let number = 0;
  let tokens = 0;

  const grant = async (body: string, reply: ServerResponse) => {
    const payload = await readAssertion(body);
    if (payload.sub !== undefined) return refuseGoogle(400, 'unauthorized_client')(reply);
    if (payload.iss !== 'agent@p.iam.gserviceaccount.com') return refuseGoogle(400, 'invalid_grant')(reply);
    return replyJson(reply, { access_token: `token ${(tokens += 1)}`, expires_in: 3_600 });
  };
  const pull = (reply: ServerResponse): void => {
    if (published.length > 0) return replyJson(reply, { receivedMessages: published.slice(0, 50) });
    waiting.push(() => pull(reply));
  };
  const create = (path: string, body: SentText, reply: ServerResponse) => {
    const id = new URL(path, 'http://google').searchParams.get('requestId') ?? '';
    const known = requestIds.get(id);
    if (known === undefined) sent.push(body);
    requestIds.set(id, known ?? sent.length);
    return replyJson(reply, { name: `spaces/dm/messages/m${known ?? sent.length}` });
  };
  const answer = async (
    { method, path, headers, body }: { method: string; path: string; headers: object; body: string },
    reply: ServerResponse,
  ): Promise<void> => {
    const name = /(token|certs|chat@|:pull|:acknowledge|messages)/.exec(path)?.[1] ?? '';
    const own = first.get(name)?.shift();
    if (own) return own(reply);
    if (name === 'token') return grant(body, reply).catch(() => refuseGoogle(400, 'invalid_grant')(reply));
    if (name === 'certs') return replyJson(reply, { keys: [(await google).jwk] });
    if (name === 'chat@') return replyJson(reply, { 'certificate-key': (await certified()).cert });
    if (!('authorization' in headers) || headers.authorization !== `Bearer token ${tokens}`)
      return refuseGoogle(401)(reply);
    if (path === `/v1/${subscription}:pull`) return pull(reply);
    if (path === `/v1/${subscription}:acknowledge`) {
      const { ackIds } = JSON.parse(body) as { ackIds: string[] };
      acknowledged.push(...ackIds);
      published = published.filter(({ ackId }) => !ackIds.includes(ackId));
      return replyJson(reply, {});
    }
    if (path === '/v1/projects/p/messages:send') {
      pushed.push((JSON.parse(body) as { message: object }).message);
      return replyJson(reply, { name: 'projects/p/messages/1' });
    }
    if (name === 'messages' && method === 'POST') return create(path, JSON.parse(body), reply);
    if (name === 'messages' && method === 'PATCH') {
      edited.push({ name: path.split('?')[0] ?? '', ...JSON.parse(body) });
      return replyJson(reply, { name: 'spaces/dm/messages/m1' });
    }
    return refuseGoogle(404)(reply);
  };
  const { url, asked } = await openStandIn((request, reply) => void answer(request, reply));

  const message = (text: string, more: object = {}) => ({
    type: 'MESSAGE',
    eventTime: new Date(systemClock.now()).toISOString(),
    space: { name: 'spaces/dm', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true },
    user: { name: 'users/77', displayName: 'Alice', type: 'HUMAN' },
    message: { name: `spaces/dm/messages/in${(number += 1)}`, text },
    ...more,
  });
  /** Pub/Sub delivers these until they are acknowledged. */
  const publish = (...events: object[]) => {
    for (const event of events) {
      const data = Buffer.from(JSON.stringify(event)).toString('base64');
      published.push({ ackId: `ack ${(number += 1)}`, message: { data, messageId: String(number) } });
    }
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  /** Alice presses a button of the last message that has some. */
  const pressOf = (label: string, more: object = {}) => {
    const at = sent.findLastIndex(({ cardsV2 }) => cardsV2 !== undefined);
    const buttons = sent[at]?.cardsV2?.[0]?.card.sections[0]?.widgets[0]?.buttonList.buttons ?? [];
    const parameters = buttons.find(({ text }) => text === label)?.onClick.action.parameters;
    return message('', {
      type: 'CARD_CLICKED',
      message: { name: `spaces/dm/messages/m${at + 1}`, text: 'question' },
      action: { parameters },
      ...more,
    });
  };

  return {
    environment: async (mode: 'poll' | 'webhook') => ({
      GOOGLE_API_URL: url,
      GOOGLE_CHAT_KEY: await serviceAccountKey(),
      GOOGLE_CHAT_SUBSCRIPTION: subscription,
      GOOGLE_CHAT_MODE: mode,
    }),
    url,
    asked,
    sent,
    edited,
    acknowledged,
    /** Messages of FCM. */
    pushed,
    serviceAccountKey,
    message,
    publish,
    pressOf,
    issuer: () => google,
    say: (text: string, more: object = {}) => publish(message(text, more)),
    answerFirst: (name: string, ...answers: Answer[]) => first.set(name, answers),
    texts: () => sent.map(({ text }) => text),
  };
};
