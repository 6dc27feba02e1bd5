/** `kindred/browser`: what a page can use. */
export * from './client-core.ts';
export * from './page.ts';
export * from './page-models.ts';
