import { responseBody } from '@drawbridge/contracts/daemon-surface';

/** These answers are about what the result holds, such as a `__proto__` in it, or about its size. */
const aboutContent = new Set([400, 413, 422]);

/** Whether the server refused what a result holds: another result of the same call may be taken. */
export const isAboutContent = (status: number | null): boolean => status !== null && aboutContent.has(status);

const hasStarted = (body: string): boolean =>
  responseBody.safeParse(JSON.parse(body)).data?.result?._meta?.['drawbridge/started'] !== false;

/** The result that ends a call whose own the server will not take; `sentence` is the server's. */
export const resultInstead = (body: string, sentence: string): string => {
  const done = hasStarted(body) ? 'The tool ran' : 'The machine answered';
  const text = `${done}, but the server did not accept the result: ${sentence}`;
  const _meta = { 'drawbridge/started': hasStarted(body) };
  return JSON.stringify({ result: { content: [{ type: 'text', text }], isError: true, _meta } });
};
