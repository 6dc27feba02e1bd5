/** Whether the page is as narrow as a phone. */
import { useEffect, useState } from 'preact/hooks';

const query = matchMedia('(max-width: 719px)');

export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return narrow;
}
