/** The frame of all views: header, navigation, the view that the address names, messages. */
import { useEffect, useState } from 'preact/hooks';
import { useCell } from '../../shared/cell.ts';
import { Empty } from '../../shared/empty.tsx';
import { Toasts } from '../../shared/toast.tsx';
import { token } from '../../shared/token.ts';
import { refreshWho } from '../data/access.ts';
import { parseRoute, type Route } from '../data/route.ts';
import { AuditPage } from '../pages/audit-page.tsx';
import { ComparePage } from '../pages/compare-page.tsx';
import { FederationPage } from '../pages/federation-page.tsx';
import { FederationsPage } from '../pages/federations-page.tsx';
import { ReportsPage } from '../pages/reports-page.tsx';
import { Header } from './header.tsx';

export function App() {
  const route = useRoute();
  // Streams and requests begin anew with another token.
  const bearer = useCell(token);
  useEffect(() => void refreshWho(), []);
  useEffect(() => {
    document.title = titleOf(route);
  }, [route]);
  return (
    <>
      <button type="button" class="button skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Header route={route} />
      <main id="main" class="page" tabIndex={-1} key={bearer ?? ''}>
        <View route={route} />
      </main>
      <Toasts />
    </>
  );
}

/** A button: a link to a place in the page would change the address, which names the view. */
function skipToMain(): void {
  document.getElementById('main')?.focus();
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'federations':
      return <FederationsPage />;
    case 'federation':
      return <FederationPage key={route.name} name={route.name} />;
    case 'compare':
      return <ComparePage chosen={route.chosen} />;
    case 'reports':
      return <ReportsPage name={route.name} />;
    case 'audit':
      return <AuditPage />;
    case 'unknown':
      return (
        <Empty title="There is no such page" icon="search">
          <p>
            The address names no view of the dashboard. <a href="#/">Show all federations</a>
          </p>
        </Empty>
      );
  }
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => {
      setRoute(parseRoute(location.hash));
      scrollTo(0, 0);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

function titleOf(route: Route): string {
  switch (route.view) {
    case 'federation':
      return `${route.name} · Kindred`;
    case 'compare':
      return 'Compare runs · Kindred';
    case 'reports':
      return 'Reports · Kindred';
    case 'audit':
      return 'Audit log · Kindred';
    default:
      return 'Kindred';
  }
}
