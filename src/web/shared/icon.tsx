/** Small line drawings, of the size and colour of the text beside them. */

const PATHS = {
  add: 'M8 3.5v9M3.5 8h9',
  alert: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.2v.1',
  audit: 'M4 2.5h6l2.5 2.5v8.5H4zM6.2 7.5h4M6.2 10h4',
  chart: 'M2.5 2.5v11h11M5 10.5l2.5-3.5 2 2 3.5-5',
  check: 'm3.5 8.5 3 3 6-7',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  federation: 'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 2v4M8 10v0M4.5 12.5 6.6 9.4M11.5 12.5 9.4 9.4',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  finish: 'M4 14V2.5h8l-2 3 2 3H4',
  forbidden: 'M5 7V5a3 3 0 0 1 6 0v2M3.5 7h9v6.5h-9z',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5v3.5M8 5.2v.1',
  key: 'M5.5 11.5a3 3 0 1 1 2.6-4.5H14v2h-1.5v2h-2v-2H8.1',
  light:
    'M8 10.7a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  motion: 'M5.5 2.5h5v11h-5zM2.5 5.5v5M13.5 5.5v5',
  offline: 'M2 6a9 9 0 0 1 12 0M4.5 8.8a5.3 5.3 0 0 1 7 0M8 12v.1M2.5 2.5l11 11',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13c.3-2.4 2-3.7 4.2-3.7s3.9 1.3 4.2 3.7M10.3 3.1a2.3 2.3 0 0 1 0 4.3M11.5 9.5c1.5.4 2.5 1.6 2.7 3.5',
  play: 'M5 3.2v9.6l7.5-4.8z',
  report: 'M3 2.5h10v11H3zM5.5 11V8M8 11V5M10.5 11V6.5',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2',
  share:
    'M6.8 9.2 9.2 6.8M7.5 5.2l1.7-1.7a2.4 2.4 0 0 1 3.4 3.4L10.8 8.5M8.5 10.8l-1.7 1.7a2.4 2.4 0 0 1-3.4-3.4L5.2 7.5',
  spark: 'M8 2v3.5M8 10.5V14M2 8h3.5M10.5 8H14M4 4l2 2M10 10l2 2M12 4l-2 2M6 10l-2 2',
  system: 'M2.5 3.5h11v7.5h-11zM6 13.5h4',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.7h11M7 6.3V13',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 2.2 : 1.4}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
