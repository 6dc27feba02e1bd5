/** What is not there yet, in the place and size that it will have. */
export function Skeleton({
  height = '1em',
  width = '100%',
}: {
  readonly height?: string;
  readonly width?: string;
}) {
  return <span class="skeleton" style={{ height, width }} aria-hidden="true" />;
}
