/** The panel that records motion, loaded when somebody asks for it. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Banner } from '../shared/banner.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import type { DataSource } from './read-rows.ts';

interface SensorSlotProps {
  onRows(source: DataSource): void;
}

export function SensorSlot(props: SensorSlotProps) {
  const [Panel, setPanel] = useState<FunctionComponent<SensorSlotProps>>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    import('../sensor/sensor-panel.tsx').then(
      ({ SensorPanel }) => setPanel(() => SensorPanel),
      () => setLost(true),
    );
  }, []);
  if (isLost)
    return (
      <Banner tone="bad" icon="offline" role="alert">
        This part of the page could not be loaded. Check the connection and load the page again.
      </Banner>
    );
  return Panel ? <Panel {...props} /> : <Skeleton height="16rem" />;
}
