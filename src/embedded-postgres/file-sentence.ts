const REASONS: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not do that',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is used up",
  ENOTDIR: 'a part of its path is a file, not a folder',
  ENOENT: 'there is no such folder, and none can be made',
  EEXIST: 'there is a file of that name',
};

/** Makes "<what happened>: <reason>." of an error of the file system. */
export function fileSentence(whatHappened: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Error(`${whatHappened}: ${REASONS[code ?? ''] ?? message}.`, { cause: error });
}
