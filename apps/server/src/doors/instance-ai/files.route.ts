import { idOf, route } from './route.ts';

/** Shown by a browser as they are; every other file is only saved. */
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** `GET /files/:fileId`: a picture or an attachment, as it is, without an envelope. */
export const filesRoute = route(
  'GET /files/:fileId',
  'person',
  async ({ module }, { userId, request, reply }) => {
    const file = await module.agent.threads.file(userId, idOf(request, 'fileId'));
    const isPicture = pictures.has(file.mediaType);
    return reply
      .header('content-type', isPicture ? file.mediaType : 'application/octet-stream')
      .header(
        'content-disposition',
        `${isPicture ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      )
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(Buffer.from(file.data, 'base64'));
  },
);
