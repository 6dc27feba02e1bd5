/** Tables of any length: only rows in view are in the page. Names are buttons that open a row; arrow keys go from row to row. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Frame } from './frame.ts';
import { Icon } from './icon.tsx';
import { rowsInView, scrollFor } from './window.ts';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  /** What it means, where the label is short. */
  readonly about?: string;
  /** As CSS has it; the rest is shared among those without. */
  readonly width?: string;
  readonly align?: 'end';
  /** The direction that a first press sorts by; undefined: it cannot be sorted by. */
  readonly sort?: Direction;
  cell(row: Row): ComponentChildren;
}

export type Direction = 'ascending' | 'descending';

export interface Sort {
  readonly key: string;
  readonly direction: Direction;
}

interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  readonly sort?: Sort;
  onSort?(sort: Sort): void;
  onOpen?(row: Row): void;
  /** As CSS has it. */
  readonly maxHeight?: string;
  /** Below it the table scrolls sideways. */
  readonly minWidth?: string;
}

const ROW = 36;
const HEAD = 32;

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, onOpen, maxHeight = '560px', minWidth = '0' } = props;
  const box = useRef<HTMLElement>(null);
  const view = useView(box);
  const [active, setActive] = useState<string>();
  const { from, to } = rowsInView(rows.length, ROW, view.top, view.height);
  const shown = rows.slice(from, to);
  // Always one that the Tab key reaches.
  const reached = shown.some((row) => keyOf(row) === active) ? active : shown[0] && keyOf(shown[0]);

  const go = (event: KeyboardEvent) => {
    const at = rows.findIndex((row) => keyOf(row) === active);
    const page = Math.max(1, Math.floor(view.height / ROW) - 1);
    const steps: Record<string, number> = {
      ...{ ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page },
      ...{ Home: 0, End: rows.length - 1 },
    };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const target = Math.min(rows.length - 1, Math.max(0, steps[event.key]));
    const { scrollTop, clientHeight } = box.current!;
    const top = scrollFor(target, ROW, scrollTop, clientHeight - HEAD);
    if (top !== undefined) box.current!.scrollTop = top;
    setActive(keyOf(rows[target]));
    // After it has been drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => focusOn(box.current, keyOf(rows[target]))));
  };

  return (
    <section
      class="table-scroll"
      ref={box}
      style={{ maxHeight }}
      aria-label={label}
      tabIndex={onOpen ? -1 : 0}
    >
      <table class="table" aria-rowcount={rows.length + 1} style={{ tableLayout: 'fixed', minWidth }}>
        <colgroup>
          {columns.map(({ key, width }) => (
            <col key={key} style={{ width: width ?? 'auto' }} />
          ))}
        </colgroup>
        <Head {...props} />
        <Spacer rows={from} columns={columns.length} />
        <tbody onKeyDown={onOpen && go}>
          {shown.map((row, i) => {
            const key = keyOf(row);
            return (
              <tr
                key={key}
                aria-rowindex={from + i + 2}
                class={onOpen && 'table-open'}
                onClick={onOpen && (() => onOpen(row))}
              >
                {columns.map((column, c) => {
                  const content = column.cell(row);
                  const isName = c === 0 && onOpen;
                  return (
                    <td key={column.key} data-align={column.align}>
                      {isName ? (
                        <button
                          type="button"
                          class="table-name"
                          data-row={key}
                          tabIndex={key === reached ? 0 : -1}
                          onFocus={() => setActive(key)}
                        >
                          {content}
                        </button>
                      ) : (
                        content
                      )}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
        <Spacer rows={rows.length - to} columns={columns.length} />
      </table>
    </section>
  );
}

function focusOn(box: HTMLElement | null, key: string): void {
  for (const button of box?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
    if (button.dataset.row === key) button.focus({ preventScroll: true });
  }
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows === 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={columns} style={{ height: `${rows * ROW}px`, padding: '0', border: '0' }} />
      </tr>
    </tbody>
  );
}

function Head<Row>({ columns, sort, onSort }: TableProps<Row>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, label, about, align, sort: first }) => (
          <th
            key={key}
            scope="col"
            title={about}
            data-align={align}
            aria-sort={first && (sort?.key === key ? sort.direction : 'none')}
          >
            {first && onSort ? (
              <button
                type="button"
                class="table-sort"
                onClick={() =>
                  onSort({ key, direction: sort?.key === key ? opposite(sort.direction) : first })
                }
              >
                {label}
                <Icon name="chevron" size={12} />
              </button>
            ) : (
              label
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function opposite(direction: Direction): Direction {
  return direction === 'ascending' ? 'descending' : 'ascending';
}

/** What of it is in view; renders again at most once a frame while it is scrolled. */
function useView(box: { readonly current: HTMLElement | null }) {
  const [view, setView] = useState({ top: 0, height: 600 });
  const frame = useMemo(
    () =>
      new Frame(() => {
        const { scrollTop: top, clientHeight: height } = box.current ?? { scrollTop: 0, clientHeight: 0 };
        setView((last) => (last.top === top && last.height === height ? last : { top, height }));
      }),
    [box],
  );
  useLayoutEffect(() => {
    const element = box.current!;
    const request = () => frame.request();
    element.addEventListener('scroll', request, { passive: true });
    const observer = new ResizeObserver(request);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', request);
      observer.disconnect();
      frame.cancel();
    };
  }, [box, frame]);
  return view;
}
