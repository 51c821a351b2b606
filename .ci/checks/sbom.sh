tools() { has node && has npm || missing 'node and npm' 'of the machine, any version from 20 on'; }

checks() {
  check 'sbom: it is made' sh -c 'node scripts/sbom.mjs >"$WORK/sbom.json"'
  check 'sbom: CycloneDX, with every production dependency of the lock file and no other' \
    node .ci/checks/sbom.mjs "$WORK/sbom.json"
  check 'sbom: no production dependency is compiled for x64 alone' node .ci/checks/sbom.mjs --platforms
}
