import { BASE } from '../api/base';
import '../styles.css';
import { screenAt, tenantScreens } from '../screens/screens';

// The screen comes beside the page, not after it. A link of a session leads to the overview.
const path = location.pathname.slice(BASE.length).replace(/^\/portal(\/s\/.*)?/, '');
void (screenAt(tenantScreens, path) ?? tenantScreens['/overview'])?.().catch(() => {}); // the page asks again, and says why
void askAgain(() => import('./main'));
