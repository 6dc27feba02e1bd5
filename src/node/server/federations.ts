/** The federations of a server, by name: loaded from its store, created, deleted. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { FederationRecord, HistoryRow, SavedRun, Store } from '../../host/ports.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { systemClock } from '../clock.ts';
import { entropyStream, nodePrimitives } from '../crypto.ts';
import { checkTree, groupsOn } from '../root/tree.ts';
import type { Admission } from './admission.ts';
import { ApiError } from './api-error.ts';
import { Federation } from './federation.ts';
import type { Front } from './front.ts';
import type { ServerLimits } from './limits.ts';
import type { Meters, TurnedAway } from './meters.ts';
import type { ServerOptions } from './server-options.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** What federations share. */
interface FederationsParts {
  readonly options: Pick<ServerOptions, 'tree' | 'recorderFor'>;
  readonly store: Store;
  readonly limits: ServerLimits;
  readonly log: Logger;
  readonly admission: Admission;
  readonly meters: Meters;
  readonly front: Front;
  /** There is another one, or one less. */
  onChange(): void;
}

export class Federations {
  readonly byName = new Map<string, Federation>();
  /** Federations that are being stored, by name. */
  private readonly created = new Map<string, Promise<Federation>>();
  /** Names of federations that are being deleted. */
  private readonly removing = new Set<string>();
  private readonly primitives = nodePrimitives();
  private readonly parts: FederationsParts;

  constructor(parts: FederationsParts) {
    this.parts = parts;
  }

  /** Those of the store. */
  async load(): Promise<void> {
    for (const record of await this.parts.store.federations()) await this.add(record);
  }

  /** Refuses a name that is not there. */
  get(name: string): Federation {
    const found = this.byName.get(name);
    if (!found) throw new ApiError('NO_SUCH_FEDERATION', `federation "${name}": no such federation`);
    return found;
  }

  /** One of that name, made with these options if there is none yet. */
  async ensure(name: string, options: CoordinatorOptions): Promise<Federation> {
    return this.byName.get(name) ?? this.created.get(name) ?? this.create(name, options);
  }

  async create(name: string, options: CoordinatorOptions): Promise<Federation> {
    if (!NAME.test(name)) {
      throw new ApiError('BAD_NAME', `federation "${name}": expected letters, digits, ".", "_" and "-"`);
    }
    if (this.byName.has(name) || this.created.has(name)) {
      throw new ApiError('NAME_TAKEN', `federation "${name}": the name is taken`);
    }
    const created = this.addNew(name, options).finally(() => this.created.delete(name));
    this.created.set(name, created);
    return created;
  }

  /** Options that a federation cannot be run with are refused before they are stored. */
  private async addNew(name: string, options: CoordinatorOptions): Promise<Federation> {
    const { store, front, log } = this.parts;
    const { tree } = this.parts.options;
    if (tree) checkTree(options, tree.shards);
    const shards = tree && { shards: tree.shards, ...(tree.fanIn !== undefined && { fanIn: tree.fanIn }) };
    const record = { name, id: randomUUID(), createdMs: Date.now(), options, ...shards };
    const federation = this.newFederation(record, undefined);
    await store.addFederation(record);
    this.byName.set(name, federation);
    if (front.isListening) federation.start();
    this.parts.onChange();
    log.info({ federation: name }, 'federation created');
    return federation;
  }

  /** Ends a federation and deletes everything that is stored about it. Where the store fails it goes on as it was. */
  async remove(name: string): Promise<Pick<FederationRecord, 'name' | 'id'>> {
    const federation = this.get(name);
    const { admission, options, log } = this.parts;
    const { record } = federation;
    if (this.removing.has(name))
      throw new ApiError('NO_SUCH_FEDERATION', `federation "${name}": it is being deleted`);
    this.removing.add(name);
    try {
      // Nothing is written about it once it is deleted.
      await federation.host.stop();
      await admission.removeAll(record);
    } catch (error) {
      await federation.stop(1001, 'the store is failing');
      await this.add(record);
      this.get(name).start();
      throw error;
    } finally {
      this.removing.delete(name);
    }
    this.byName.delete(name);
    await federation.stop(CLOSE.deleted, 'deleted by the operator');
    this.parts.onChange();
    await options.tree?.buckets
      .remove(record)
      .catch((error: Error) => log.warn({ err: error }, 'buckets of shards could not be deleted'));
    log.info({ federation: name }, 'federation deleted');
    return { name, id: record.id };
  }

  private async add(record: FederationRecord): Promise<void> {
    const saved = await this.parts.store.loadRun(record.name);
    this.byName.set(record.name, this.newFederation(record, saved));
  }

  private newFederation(record: FederationRecord, saved: SavedRun | undefined): Federation {
    const { name } = record;
    const { options, store, limits, meters, front } = this.parts;
    const log = this.parts.log.child({ federation: name });
    const ports = {
      store,
      primitives: this.primitives,
      clock: systemClock,
      noiseOf: entropyStream,
      limits,
      recorder: options.recorderFor?.(name),
      onRound: (row: HistoryRow, tookMs: number | undefined) => {
        if (tookMs !== undefined) meters.observeRound(name, tookMs);
        const { round, outcome, relativeGap, responders } = row;
        log.debug({ round, outcome, relativeGap, responders: responders.length }, 'round closed');
        if (outcome === 'final') log.info({ round, relativeGap }, 'training finished');
      },
      onSaved: (ms: number) => meters.observeSave(name, ms),
      onTurnedAway: (why: TurnedAway) => front.turnAway(why),
      onFault: (participant: string, code: string, round: number) =>
        log.warn({ participant, code, round }, 'a participant reports a failure'),
      onStoreFailure: (error: Error | undefined) => {
        if (error) log.error({ err: error }, 'the store is failing; trying again');
        else log.info('the store works again');
      },
    };
    return new Federation(record, saved, ports, groupsOn(options.tree, record));
  }
}
