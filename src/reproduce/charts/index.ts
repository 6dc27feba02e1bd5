export { curvesCsv } from './curves-csv.ts';
export { drawFigure } from './draw.ts';
export * from './figure.ts';
