/** Writes docs/settings.md from the declarations. Needs a build (npm run build). */
import { writeFileSync } from 'node:fs';
import { settingsDocument } from '../dist/settings/document.js';

writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsDocument());
