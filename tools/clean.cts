// Empties dist, so that a build holds nothing of an earlier one.
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
