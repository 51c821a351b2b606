/**
 * A path and its query behind those of a url: `/hooks?key=1` and `/actions/7f3?x=1` are `/hooks/actions/7f3?key=1&x=1`.
 * The origin is the url's whatever the path is.
 *
 * @param base of a parsed url, with its query
 * @param path well formed (hookwright.is_target_path)
 */
export function joinedPath(base: string, path: string): string {
  const [ownPath, ownQuery] = parts(base);
  const [behind, query] = parts(path);
  const queries = [ownQuery, query].filter((one) => one !== '').join('&');
  return `${ownPath.replace(/\/$/, '')}${behind}${queries === '' ? '' : '?'}${queries}`;
}

function parts(path: string): [path: string, query: string] {
  const at = path.indexOf('?');
  return at === -1 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}
