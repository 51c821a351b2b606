/** Makes a queue. @returns a function that runs what it is given one by one; what fails rejects its own caller alone */
export function inTurn(): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
