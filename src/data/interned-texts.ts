/** One text for each row. Equal texts are one string where there are few of them, as with classes: a million rows hold references only. */

/** More than this are numbers, of which hardly any is there twice. */
const MOST_DISTINCT = 1000;

export class InternedTexts {
  private readonly texts: string[] = [];
  private readonly distinct = new Map<string, string>();

  push(text: string): void {
    const known = this.distinct.get(text);
    if (known === undefined && this.distinct.size < MOST_DISTINCT) this.distinct.set(text, text);
    this.texts.push(known ?? text);
  }

  finish(): readonly string[] {
    return this.texts;
  }
}
