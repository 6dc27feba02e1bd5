import { useCell } from './cell.ts';
import { Menu } from './menu.tsx';
import { setTheme, type Theme, theme } from './theme.ts';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Light or dark; the icons are called as the themes are. */
export function ThemeMenu() {
  const chosen = useCell(theme);
  return (
    <Menu
      label="Colours"
      icon={chosen}
      items={THEMES.map(([value, label]) => ({ label, icon: value, onSelect: () => setTheme(value) }))}
    />
  );
}
