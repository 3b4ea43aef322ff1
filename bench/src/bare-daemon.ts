// The baseline's other end: reads each call from the stream, reads the file, posts the text back.
import { readFile } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';

const [, , url = '', root = ''] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const post = (path: string, body: string) => {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(url + path, { method: 'POST', agent, headers }, (response) => response.resume()).end(body);
};

interface Frame {
  requestId: string;
  toolCall: { name: string; arguments: { filePath: string } };
}

const answer = async (line: string) => {
  // The bare server of this folder wrote it.
  const { requestId, toolCall } = JSON.parse(line) as Frame;
  const text = await readFile(join(root, toolCall.arguments.filePath), 'utf8');
  post(`/response/${requestId}`, JSON.stringify({ result: { content: [{ type: 'text', text }] } }));
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
