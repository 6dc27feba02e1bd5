/** Where a store is: the name of a file, or an address of a service with its scheme. */

export function isStoreFile(address: string): boolean {
  // Windows has names like C:\kindred.db; a scheme has two slashes after it.
  return !/^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}

/** How files are called that lie beside the store, before their endings: for a service in the working folder, by the name of its database. */
export function placeOfStore(address: string): string {
  if (isStoreFile(address)) return address;
  const [path] = address.replace(/^[^:]+:\/\/[^/]*\/?/, '').split(/[?#]/);
  const name = path
    .split('/')
    .pop()!
    .replace(/[^\w.-]/g, '-');
  return name || 'kindred';
}
