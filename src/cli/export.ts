/** kindred export: a model in the formats of other tools, for one participant, for each or for all. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { inputError } from '../base/errors.ts';
import { EXPORT_FORMATS, type ExportFormat, exportModel } from '../export/export-model.ts';
import type { ExportedFile, Whose } from '../export/exported.ts';
import { onFile } from '../node/files/file-error.ts';
import { checkWritable, kindOf, writeAtomically } from '../node/files/files.ts';
import type { Model } from '../solver/model.ts';
import { finish, oneOf } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { addModelOption, readModel } from './model-data.ts';
import { count } from './number-text.ts';
import { offer } from './offered.ts';

interface Flags {
  readonly model: string;
  readonly format: ExportFormat;
  readonly out: string;
  readonly participant?: string;
  readonly shared?: true;
  readonly each?: true;
  readonly json?: true;
}

const ENDINGS: Readonly<Record<ExportFormat, string>> = {
  onnx: 'onnx',
  liblinear: 'model',
  csv: 'csv',
  sklearn: 'json',
};

export function addExport(program: Command, io: Io): void {
  const command = program
    .command('export')
    .description(
      'Write a model for other tools. Files take raw rows: the scaling is folded into the weights.',
    )
    .action((flags: Flags) => runExport(io, flags));
  addModelOption(command)
    .addOption(
      offer(
        new Option(
          '--format <format>',
          `${EXPORT_FORMATS.slice(0, -1).join(', ')} or ${EXPORT_FORMATS.at(-1)}`,
        )
          .makeOptionMandatory()
          .argParser(oneOf('--format', EXPORT_FORMATS)),
        EXPORT_FORMATS,
      ),
    )
    .requiredOption('--out <file>', 'file to write; with --each, the folder')
    .option(
      '--participant <id>',
      "one participant's model (default: all in one file; liblinear holds one model)",
    )
    .option('--shared', 'the shared part alone, which serves newcomers')
    .option('--each', 'one file for each participant, in the folder --out');
  finish(
    command,
    'kindred export --model model.json --format onnx --out model.onnx',
    'kindred export --model model.json --format liblinear --participant 7 --out 7.model',
    'kindred export --model model.json --format csv --out weights.csv',
  );
}

/** What is written where; everything is made before the first file is written. */
interface Written extends ExportedFile {
  readonly path: string;
}

async function runExport(io: Io, flags: Flags): Promise<void> {
  const { format, out, each } = flags;
  const whose = whoseOf(flags);
  if (!each) await checkWritable(out);
  else if (((await kindOf(out)) ?? 'folder') !== 'folder')
    throw inputError('NOT_A_FOLDER', `${out}: expected a folder for --each, got a file`);
  const model = await readModel(flags.model);
  const files = each
    ? [...model.personal.keys()].flatMap((participant) =>
        filesOf(model, format, { participant }, join(out, `${fileName(participant)}.${ENDINGS[format]}`)),
      )
    : filesOf(model, format, whose, out);
  if (each) await onFile(out, () => mkdir(out, { recursive: true }));
  for (const { path, bytes } of files) await writeAtomically(path, [bytes]);
  const document = {
    format,
    objective: model.objective,
    features: model.features.length,
    participants: each || whose === 'all' ? model.personal.size : whose === 'shared' ? 0 : 1,
    files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length })),
  };
  await writeResult(io, flags, document, (layout) => report(document, layout));
}

function whoseOf({ participant, shared, each }: Flags): Whose {
  const given = [participant !== undefined && '--participant', shared && '--shared', each && '--each'].filter(
    Boolean,
  );
  if (given.length > 1)
    throw inputError(
      'BAD_OPTION',
      `expected one of --participant, --shared and --each, got ${given.join(' and ')}`,
    );
  if (participant !== undefined) return { participant };
  return shared ? 'shared' : 'all';
}

function filesOf(model: Model, format: ExportFormat, whose: Whose, path: string): Written[] {
  return exportModel(model, format, whose).map((file) => ({ ...file, path: path + file.suffix }));
}

/** Ids are anybody's text: what could leave the folder, or hide in it, is written as %XX. */
function fileName(id: string): string {
  const safe = encodeURIComponent(id).replace(/[!'()*~]|^\.+/g, (some) =>
    [...some].map((letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`).join(''),
  );
  return safe === '' ? '%' : safe;
}

function report(
  {
    files,
    features,
    participants,
  }: { files: readonly { path: string; bytes: number }[]; features: number; participants: number },
  { line }: Layout,
): string[] {
  const shown = files.slice(0, 10).map(({ path, bytes }) => line('Wrote', `${path}, ${count(bytes)} bytes`));
  const more = files.length - shown.length;
  const who =
    participants === 0
      ? 'the shared part'
      : `${count(participants)} participant${participants === 1 ? '' : 's'}`;
  return [
    line('Model', `${who}, ${count(features)} raw features`),
    ...shown,
    ...(more > 0 ? [line('', `and ${count(more)} more files`)] : []),
  ];
}
