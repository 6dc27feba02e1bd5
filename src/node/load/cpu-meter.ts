/** Processor time of this process, by what it is spent for: on a machine that has other things to do the clock would count those, too. */

export class CpuMeter<Purpose extends string> {
  private readonly ms = new Map<Purpose, number>();
  private purpose: Purpose | undefined;
  private since = process.cpuUsage();

  /** Ends whatever was charged before. Asks the system on a change only: among very many short tasks that would be most of what is measured. */
  charge(purpose: Purpose | undefined): void {
    if (purpose === this.purpose) return;
    const { user, system } = process.cpuUsage(this.since);
    if (this.purpose) this.ms.set(this.purpose, this.of(this.purpose) + (user + system) / 1000);
    this.purpose = purpose;
    this.since = process.cpuUsage();
  }

  of(purpose: Purpose): number {
    return this.ms.get(purpose) ?? 0;
  }
}
