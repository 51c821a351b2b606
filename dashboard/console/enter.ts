import { CodeRefused, exchangeCode, sessions } from '../api/session';

/** `/console/#code=<one-time code>`, as the service prints it when it starts. */
const CODE = /^#code=(.+)$/;

/**
 * Signs in with the one-time code of the address, which is taken out of it at once; else, and where the code is
 * refused, with what this tab has kept.
 *
 * @returns why the code was refused, in the words of the service; undefined where there was none, or it was taken.
 */
export async function enter(): Promise<string | undefined> {
  // A link that is opened where the console is open changes nothing but the fragment.
  window.addEventListener('hashchange', () => CODE.test(location.hash) && location.reload());
  const code = CODE.exec(location.hash)?.[1];
  if (code === undefined) {
    sessions.restore();
    return undefined;
  }
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    sessions.begin(await exchangeCode('/console/sign-in', code), { keep: true });
    return undefined;
  } catch (error) {
    sessions.restore();
    return error instanceof CodeRefused ? error.message : String(error);
  }
}
