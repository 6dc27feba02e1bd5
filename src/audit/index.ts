export { type Leak, leakOf } from './attack.ts';
export { type AuditResult, type AuditSetting, audit, type ModeLeak } from './audit.ts';
export { auditFigures } from './figures.ts';
export { MODES, type Mode } from './modes.ts';
export { Recorder } from './recorder.ts';
export { generatedSettings, givenSetting } from './settings.ts';
export { type Truth, type Watched, type WatchedFederation, watch } from './watch.ts';
