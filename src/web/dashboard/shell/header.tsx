import { Button, IconButton } from '../../shared/button.tsx';
import { useCell } from '../../shared/cell.ts';
import { Menu } from '../../shared/menu.tsx';
import { setTheme, type Theme, theme } from '../../shared/theme.ts';
import { toast } from '../../shared/toast.tsx';
import { setToken } from '../../shared/token.ts';
import { useMay, who } from '../data/access.ts';
import { compareHash, type Route, reportHash } from '../data/route.ts';
import { isSigningIn, SignInDialog } from './sign-in.tsx';

export function Header({ route }: { readonly route: Route }) {
  const isAdmin = useMay('admin');
  const links = [
    ['#/', 'Federations', route.view === 'federations' || route.view === 'federation'],
    [compareHash([]), 'Compare', route.view === 'compare'],
    [reportHash(), 'Reports', route.view === 'reports'],
    ...(isAdmin ? ([['#/audit', 'Audit log', route.view === 'audit']] as const) : []),
  ] as const;
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="Kindred: all federations">
        <Mark />
        Kindred
      </a>
      <nav class="nav" aria-label="Main">
        {links.map(([href, label, isHere]) => (
          <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class="top-tools">
        <ThemeMenu />
        <Account />
      </div>
    </header>
  );
}

/** A shared model in the middle, personal ones around it. */
function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <circle cx="11" cy="11" r="3.4" fill="var(--accent)" />
      {[0, 72, 144, 216, 288].map((angle) => (
        <circle
          key={angle}
          cx="11"
          cy="3"
          r="1.9"
          fill="var(--accent)"
          opacity="0.55"
          transform={`rotate(${angle} 11 11)`}
        />
      ))}
    </svg>
  );
}

const THEMES: readonly (readonly [Theme, string, 'light' | 'dark' | 'system'])[] = [
  ['system', 'As the system', 'system'],
  ['light', 'Light', 'light'],
  ['dark', 'Dark', 'dark'],
];

function ThemeMenu() {
  const chosen = useCell(theme);
  const items = THEMES.map(([value, label, icon]) => ({
    ...{ icon, label: value === chosen ? `${label} (chosen)` : label },
    onSelect: () => setTheme(value),
  }));
  return <Menu label="Colours" icon={chosen} items={items} />;
}

function Account() {
  const me = useCell(who);
  const isOpen = useCell(isSigningIn);
  const signOut = () => {
    setToken(undefined);
    toast('ok', 'Signed out. The token is no longer in this tab.');
  };
  return (
    <>
      {me?.name ? (
        <span class="account">
          <span class="account-name" title={`Token "${me.name}", role ${me.role}`}>
            {me.name} <small>{me.role}</small>
          </span>
          <IconButton icon="close" label="Sign out" onClick={signOut} />
        </span>
      ) : (
        <Button icon="key" onClick={() => isSigningIn.set(true)}>
          Sign in
        </Button>
      )}
      {isOpen && <SignInDialog onClose={() => isSigningIn.set(false)} />}
    </>
  );
}
