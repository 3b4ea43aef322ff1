import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { replyJson } from './http-stand-in.ts';

/** What the page was asked for. A code is for these alone. */
interface Asked {
  clientId: string;
  redirect: string;
  challenge: string;
  scope: string;
  isOffline: boolean;
}

const scopesOf = ['gmail.readonly', 'gmail.send'].map((name) => `https://www.googleapis.com/auth/${name}`);
const isSafeRedirect = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['localhost', '127.0.0.1'].includes(hostname);
};

interface Client {
  id: string;
  secret: string;
}

const page = (title: string, body: string) =>
  `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1>${body}`;
const replyPage = (reply: ServerResponse, status: number, title: string, body: string) =>
  void reply.writeHead(status, { 'content-type': 'text/html' }).end(page(title, body));
const linkOf = (to: URL, label: string) =>
  `<p><a href="${to.href.replaceAll('&', '&amp;')}">${label}</a></p>`;

/** Google's page of consent, and what its codes are exchanged for. `redirects`: those of the client. */
export const createGoogleConsent = (client: Client) => {
  const redirects = new Set<string>();
  const codes = new Map<string, Asked>();
  let number = 0;

  /** What is wrong with a request of the page, as Google names it. */
  const faultOf = (query: URLSearchParams): string | null => {
    if (query.get('client_id') !== client.id) return 'invalid_client';
    if (!redirects.has(query.get('redirect_uri') ?? '')) return 'redirect_uri_mismatch';
    if (query.get('response_type') !== 'code') return 'unsupported_response_type';
    const isChallenge = /^[\w-]{43}$/.test(query.get('code_challenge') ?? '');
    if (!isChallenge || query.get('code_challenge_method') !== 'S256') return 'invalid_request';
    return query.get('scope') === scopesOf.join(' ') ? null : 'invalid_scope';
  };

  return {
    /** An address that the client may have. Throws for one that Google does not take. */
    allowRedirect: (address: string): void => {
      if (!isSafeRedirect(address)) throw new Error(`Google takes no ${address}`);
      redirects.add(address);
    },
    showPage: (query: URLSearchParams, reply: ServerResponse): void => {
      const fault = faultOf(query);
      if (fault !== null) return replyPage(reply, 400, `Error 400: ${fault}`, '');
      const back = (answer: Record<string, string>) => {
        const to = new URL(query.get('redirect_uri') ?? '');
        const state = query.get('state');
        to.search = new URLSearchParams({ ...(state !== null && { state }), ...answer }).toString();
        return to;
      };
      const codeFor = (scope: string): string => {
        const code = `4/0A-code-${(number += 1)}`;
        codes.set(code, {
          clientId: client.id,
          redirect: query.get('redirect_uri') ?? '',
          challenge: query.get('code_challenge') ?? '',
          scope,
          isOffline: query.get('access_type') === 'offline' && query.get('prompt') === 'consent',
        });
        return code;
      };
      const links = [
        linkOf(back({ code: codeFor(scopesOf.join(' ')), scope: scopesOf.join(' ') }), 'Continue'),
        linkOf(back({ code: codeFor(scopesOf[0] ?? ''), scope: scopesOf[0] ?? '' }), 'Read alone'),
        linkOf(back({ error: 'access_denied' }), 'Cancel'),
      ];
      replyPage(reply, 200, 'Drawbridge wants to access your Google Account', links.join(''));
    },
    /** A code is good once. `refreshToken`: what it is good for. */
    exchange: (form: URLSearchParams, reply: ServerResponse, refreshToken: string): void => {
      const refuse = (error: string, status = 400) => replyJson(reply, { error }, status);
      if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
        return refuse('invalid_client', 401);
      const code = form.get('code') ?? '';
      const asked = codes.get(code);
      codes.delete(code);
      if (asked === undefined) return refuse('invalid_grant');
      if (asked.redirect !== form.get('redirect_uri')) return refuse('redirect_uri_mismatch');
      const verifier = form.get('code_verifier') ?? '';
      const isProven = createHash('sha256').update(verifier).digest('base64url') === asked.challenge;
      if (!isProven) return refuse('invalid_grant');
      return replyJson(reply, {
        access_token: 'token of consent',
        expires_in: 3_599,
        token_type: 'Bearer',
        scope: asked.scope,
        ...(asked.isOffline && { refresh_token: refreshToken }),
      });
    },
  };
};

/** Where a link of the page leads. */
export const linkOn = async (address: string, label: string): Promise<string> => {
  const html = await (await fetch(address)).text();
  const [, href] = new RegExp(`<a href="([^"]+)">${label}</a>`).exec(html) ?? [];
  if (href === undefined) throw new Error(`no ${label} on: ${html}`);
  return href.replaceAll('&amp;', '&');
};
