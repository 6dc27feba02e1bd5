/** A process that holds leases, so that it can be killed and stopped: node lease-holder.mjs '{"url", "bucket", "ttlMs", "shards"?}' */
import { Bucket } from '../../dist/nats/bucket.js';
import { connectNats } from '../../dist/nats/connection.js';
import { LeaseSet } from '../../dist/nats/lease-set.js';
import { Leases } from '../../dist/nats/leases.js';

const { url, bucket: name, ttlMs, shards } = JSON.parse(process.argv[2]);
const connection = await connectNats({ servers: [url], name: 'holder' });
const bucket = await Bucket.create(connection, { name });
const tell = (message) => process.send?.(message);
process.on('disconnect', () => process.exit());

if (shards === undefined) {
  const leases = new Leases(bucket, ttlMs);
  for (;;) {
    const { epoch, lost } = await leases.acquire('lead', `process ${process.pid}`);
    tell({ gained: 0, epoch });
    tell({ lost: 0, epoch, how: await lost });
  }
} else {
  new LeaseSet({
    ...{ bucket, key: 'shards', owner: `process ${process.pid}`, shards, ttlMs },
    onGain: (shard, epoch) => tell({ gained: shard, epoch }),
    onLoss: (shard, epoch) => tell({ lost: shard, epoch }),
  });
}
