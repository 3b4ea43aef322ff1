#!/usr/bin/env node
import { useCompileCache } from './program/compile-cache.ts';

useCompileCache();
void import('./main.ts');
