import { BASE } from '../api/base';
import '../styles.css';
import { consoleScreens, screenAt, tenantScreens, tenantSettingsScreens } from '../screens/screens';

// The screen comes beside the page, not after it.
const path = location.pathname.slice(BASE.length).replace(/^\/console/, '');
const [, inTenant] = /^\/tenants\/[^/]+(.*)$/.exec(path) ?? [];
const load =
  inTenant === undefined
    ? screenAt(consoleScreens, path)
    : screenAt({ ...tenantScreens, ...tenantSettingsScreens }, inTenant || '/overview');
void load?.().catch(() => {}); // the page asks again, and says why
void askAgain(() => import('./main'));
