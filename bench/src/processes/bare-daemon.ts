// The baseline's other end: reads each call from the stream, does it, posts the result back. No checks.
import { lstatSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';

const [, , server = '', root = ''] = process.argv;
const url = `${server}/api/v1/instance-ai/gateway`;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const post = (path: string, body: string) => {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(url + path, { method: 'POST', agent, headers }, (response) => response.resume()).end(body);
};

interface Frame {
  type: string;
  payload: {
    requestId: string;
    toolCall: { name: string; arguments: { filePath: string; dirPath: string } };
  };
}

const list = async (folder: string) => {
  const entries = await readdir(folder, { withFileTypes: true });
  const listed = entries.map((entry) => ({
    path: entry.name,
    type: entry.isFile() ? 'file' : 'directory',
    // A hundred promises would cost more than the hundred looks.
    sizeBytes: lstatSync(join(folder, entry.name)).size,
  }));
  return JSON.stringify(listed);
};

const answer = async (line: string) => {
  // The bridge of this folder wrote it.
  const { type, payload } = JSON.parse(line) as Frame;
  if (type !== 'filesystem-request') return;
  const { name, arguments: given } = payload.toolCall;
  const text =
    name === 'list_files'
      ? await list(join(root, given.dirPath))
      : await readFile(join(root, given.filePath), 'utf8');
  post(`/response/${payload.requestId}`, JSON.stringify({ result: { content: [{ type: 'text', text }] } }));
};

get(`${url}/events`, (stream) => {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) void answer(line.slice(6));
  });
  console.log('connected');
});
