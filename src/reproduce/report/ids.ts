/** Ids that no other element of the page has: the second of a name gets a number. */
export class Ids {
  #taken = new Set<string>();

  take(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.#taken.has(id); n++) id = `${wanted}_n${n}`;
    this.#taken.add(id);
    return id;
  }
}
