/** @returns runs what it is given one after the other; what fails rejects its own caller, and the next one begins */
export function inTurn(): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
