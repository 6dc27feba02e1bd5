/** What the bundler makes of a style sheet that a page's script imports: nothing to refer to. */
declare module '*.css';
