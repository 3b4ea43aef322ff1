import { parentPort, workerData } from 'node:worker_threads';
import type { ExtractTask } from './extract.ts';
import { readArticle } from './read-article.ts';
import { readPlainText } from './read-plain-text.ts';

// A page can keep a parser busy for minutes, so it is read in a thread that can be terminated.
// Only `extract.ts` starts this file.
const { html, url, isPlain } = workerData as ExtractTask;
/** Deeper trees cost the article reader seconds. */
const maxDepth = 256;

const plain = readPlainText(html);
const { title, markdown } = isPlain || plain.depth > maxDepth ? plain : readArticle(html, url);
parentPort?.postMessage({ title, markdown });
