#!/usr/bin/env node
import { useCompileCache } from './program/compile-cache.ts';
import { isNewEnough } from './program/node-version.ts';

// An old Node may not even read the program itself, so nothing else is loaded there.
if (isNewEnough(process.versions.node)) {
  useCompileCache();
  void import('./main.ts');
} else void import('./program/bring-node.ts').then(({ bringNode }) => bringNode());
