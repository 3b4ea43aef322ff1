import { TRPCClientError } from '@trpc/client';

/** A failure in words for the user. */
export interface Failure {
  code: string;
  message: string;
  fix: string | null;
}

export const unreachable: Failure = {
  code: 'UNREACHABLE',
  message: 'The server does not respond',
  fix: 'Check that it is running.',
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A field of an answer in JSON; null where it has no such text. */
const textIn = (body: unknown, name: string): string | null =>
  typeof body === 'object' && body !== null && name in body ? textOf(Reflect.get(body, name)) : null;

/** The same of the server's own answer, which has it. Throws where it does not. */
export const requireTextIn = (body: unknown, name: string): string => {
  const text = textIn(body, name);
  if (text === null) throw new Error(`The server's answer has no ${name}`);
  return text;
};

/** A refusal before the API, such as that of a page at another address. */
export const refusalIn = (body: unknown): Failure => {
  const [code, message, fix] = ['code', 'message', 'fix'].map((name) => textIn(body, name));
  return code && message ? { code, message, fix: fix ?? null } : unreachable;
};

/** Converts an error of the API. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof TRPCClientError) {
    // The server's `ErrorShape`; an answer of a proxy has no `data`.
    const data = error.data as { code?: unknown; fix?: unknown } | null | undefined;
    const code = textOf(data?.code);
    if (code === null) return refusalIn(error.meta?.responseJSON);
    return { code, message: error.message, fix: textOf(data?.fix) };
  }
  if (error instanceof TypeError) return unreachable;
  return {
    code: 'INTERNAL',
    message: error instanceof Error ? error.message : 'Something went wrong',
    fix: null,
  };
};
