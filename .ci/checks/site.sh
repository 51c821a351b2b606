# The docs site: a dead link, or a page outside the sidebar, fails; then it is opened in a browser.
tools() { has npm || missing npm 'of the machine, any version from 10 on'; }

checks() {
  check 'site: its packages are installed' npm ci --prefix site --no-audit --no-fund
  check 'site: it is built, with no dead link' npm run --silent --prefix site build
  check 'site: its pages open in a browser' npm run --silent --prefix site look
}
