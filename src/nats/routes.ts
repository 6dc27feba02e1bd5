/**
 * Where the participants of a shard are: at which gateway, by which connection. Numbers of connections grow, so that the newest wins whatever
 * order words arrive in. A gateway that has fallen silent has nobody any more.
 */
export interface Route {
  readonly gateway: string;
  readonly connection: number;
}

interface Gateway {
  isHeard: boolean;
  /** Checks in a row before which nothing was heard of it. */
  missed: number;
  readonly participants: Map<number, string>;
}

interface RoutesPorts {
  /** A gateway that is not heard of between so many checks in a row is gone. */
  readonly mostMissed: number;
  /** Nobody is at the end of its connection any more. */
  onAway(participant: string): void;
  /** It is connected elsewhere now. */
  onReplaced(old: Route): void;
  /** Connections at a gateway of which nobody has said whose they are. */
  onUnknown(gateway: string, connections: readonly number[]): void;
}

export class Routes {
  private readonly ports: RoutesPorts;
  private readonly routes = new Map<string, Route>();
  private readonly gateways = new Map<string, Gateway>();

  constructor(ports: RoutesPorts) {
    this.ports = ports;
  }

  of(participant: string): Route | undefined {
    return this.routes.get(participant);
  }

  /** Whoever is connected. */
  participants(): Iterable<string> {
    return this.routes.keys();
  }

  get size(): number {
    return this.routes.size;
  }

  /** Whether it is the participant's newest connection: what comes by an older one is ignored. */
  note(participant: string, { gateway: name, connection }: Route): boolean {
    const route = { gateway: name, connection };
    const known = this.routes.get(participant);
    const gateway = this.gateway(route.gateway);
    gateway.isHeard = true;
    if (known?.connection === route.connection) return true;
    if (known && known.connection > route.connection) {
      this.ports.onReplaced(route);
      return false;
    }
    if (known) {
      this.gateways.get(known.gateway)?.participants.delete(known.connection);
      this.ports.onReplaced(known);
    }
    this.routes.set(participant, route);
    gateway.participants.set(route.connection, participant);
    return true;
  }

  away(participant: string, { connection }: Pick<Route, 'connection'>): void {
    const known = this.routes.get(participant);
    if (known?.connection === connection) this.drop(participant, known);
  }

  /** Who is not in it has gone without our hearing of it. */
  roster(gateway: string, connections: readonly number[]): void {
    const known = this.gateway(gateway);
    known.isHeard = true;
    const there = new Set(connections);
    for (const [connection, participant] of known.participants) {
      if (there.has(connection)) there.delete(connection);
      else this.drop(participant, { gateway, connection });
    }
    if (there.size > 0) this.ports.onUnknown(gateway, [...there]);
  }

  /** Called at every beat. A process that was busy for long checks once and then reads what has waited: only checks are counted. */
  check(): void {
    for (const [name, gateway] of this.gateways) {
      gateway.missed = gateway.isHeard ? 0 : gateway.missed + 1;
      gateway.isHeard = false;
      if (gateway.missed < this.ports.mostMissed) continue;
      this.gateways.delete(name);
      for (const [connection, participant] of gateway.participants) this.away(participant, { connection });
    }
  }

  private gateway(name: string): Gateway {
    let known = this.gateways.get(name);
    if (!known) {
      known = { isHeard: true, missed: 0, participants: new Map() };
      this.gateways.set(name, known);
    }
    return known;
  }

  private drop(participant: string, { gateway, connection }: Route): void {
    this.routes.delete(participant);
    this.gateways.get(gateway)?.participants.delete(connection);
    this.ports.onAway(participant);
  }
}
