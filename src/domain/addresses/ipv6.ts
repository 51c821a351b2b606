/** The eight numbers of a valid IPv6 address, in any spelling (RFC 4291 §2.2); a zone is left out. */
export function groupsOf(address: string): number[] {
  const [text = ''] = address.split('%', 1);
  const [before = [], after = []] = text.split('::').map((part) => part.split(':').flatMap(numbersOf));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function numbersOf(group: string): number[] {
  if (group === '') {
    return [];
  }
  if (!group.includes('.')) {
    return [Number.parseInt(group, 16)];
  }
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
