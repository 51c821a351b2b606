export interface Place {
  host: string;
  port: number;
}

/** @throws Error with a sentence that names the setting, when the port cannot be had */
export async function listen<Result>(
  setting: string,
  place: Place,
  start: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { host, port } = place;
  try {
    return await start(place);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} on ${host} is taken. Free it, or choose another: ${setting}=${port + 1}.`,
      );
    }
    if (code === 'EACCES') {
      throw new Error(
        `Port ${port} is not for ordinary users. Choose one above 1023: ${setting}=${port + 8000}.`,
      );
    }
    throw error;
  }
}
